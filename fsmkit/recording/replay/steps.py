"""Step: one call from outside, and its effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from fsmkit.terminal.console import described, printable

CALLS: Final = (
    "start", "stop", "update", "send_event", "offer_event", "post_event", "send_event_after",
    "cancel", "finish", "post_result",
)  # fmt: skip
"""The calls; `cancel` is that of a delayed event, `finish` that of an action."""

NAMED: Final = ("keep",)
"""The arguments that are passed by name."""

Entry = Sequence[Any]
"""One entry of a journal: its kind, the name of the machine, and more:

`("event", machine, event, outcome, sender)`, `("leave", machine, state)`,
`("enter", machine, state, event)`, `("suspend", machine, state)`, `("resume", machine, state)` or
`("error", machine, error)`.
"""


@frozen
class Step:
    """One call from outside, and its effects."""

    machine: str
    call: str
    arguments: Mapping[str, Any]
    time: float
    """Seconds that had passed when the call was over."""
    journal: Sequence[Entry] = ()
    raised: str = ""
    """The exception that was raised to the caller, if any."""

    def __str__(self) -> str:
        values = ", ".join(self._values())
        return printable(f"{self.time:.2f} s  {self.machine}.{self.call}({values})")

    def told(self) -> list[str]:
        """Return its effects, a line for each."""
        lines = [self._line(*entry) for entry in self.journal]
        if self.raised:
            lines.append(f"raised {self.raised}")
        return [*map(printable, lines)]

    def _values(self) -> Iterator[str]:
        """Yield the arguments as they were written."""
        for name, value in self.arguments.items():
            yield f"{name}={value!r}" if name in NAMED else described(value)

    def _line(self, kind: str, machine: str, *rest: str) -> str:
        text = _ENTRY_TEXTS[kind].format(*rest)
        return text if machine == self.machine else f"{machine}: {text}"


@frozen
class Header:
    """The first line of a recording."""

    machines: tuple[str, ...]
    states: Mapping[str, str] = field(factory=dict)
    """Running machine -> its state when the recording began."""


_ENTRY_TEXTS: Final = {
    "event": "event {0}: {1}",
    "leave": "leave {0}",
    "enter": "enter {0}",
    "suspend": "suspend {0}",
    "resume": "resume {0}",
    "error": "error {0}",
}
