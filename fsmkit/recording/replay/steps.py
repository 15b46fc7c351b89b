"""Step: one call from outside, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from fsmkit.terminal.console import described, printable

CALLS: Final = (
    "start", "stop", "update", "send_event", "offer_event", "post_event", "send_event_after",
    "cancel", "finish",
)  # fmt: skip
"""What may be called; `cancel` is that of a delayed event, `finish` is `FsmAction.finish`."""

NAMED: Final = ("keep",)
"""The arguments that are given by name."""

Entry = Sequence[Any]
"""One line of a journal: what it is, the name of the machine, and more:

`("event", machine, event, outcome, sender)`, `("leave", machine, state)`,
`("enter", machine, state, event)` or `("error", machine, error)`.
"""


@frozen
class Step:
    """One call from outside, and what came of it."""

    machine: str
    call: str
    arguments: Mapping[str, Any]
    time: float
    """Seconds that had passed when it was over."""
    journal: Sequence[Entry] = ()
    raised: str = ""
    """The exception that the caller got, if any."""

    def __str__(self) -> str:
        values = ", ".join(self._values())
        return printable(f"{self.time:.2f} s  {self.machine}.{self.call}({values})")

    def told(self) -> list[str]:
        """What came of it, a line for each thing that happened."""
        lines = [self._line(*entry) for entry in self.journal]
        if self.raised:
            lines.append(f"raised {self.raised}")
        return [*map(printable, lines)]

    def _values(self) -> Iterator[str]:
        """The arguments as they were written."""
        for name, value in self.arguments.items():
            if value is not None:
                yield f"{name}={value!r}" if name in NAMED else described(value)

    def _line(self, kind: str, machine: str, *rest: str) -> str:
        told = _TOLD[kind].format(*rest)
        return told if machine == self.machine else f"{machine}: {told}"


@frozen
class Header:
    """What a recording begins with."""

    machines: tuple[str, ...]
    states: Mapping[str, str] = field(factory=dict)
    """Machine -> the state it was in when the recording began, of those that were running."""


_TOLD: Final = {
    "event": "event {0}: {1}",
    "leave": "leave {0}",
    "enter": "enter {0}",
    "error": "error {0}",
}
