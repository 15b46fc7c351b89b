"""Step: one call from outside, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

CALLS: Final = ("start", "stop", "send_event", "offer_event", "post_event", "update", "finish")
"""What may be called; `finish` is `FsmAction.finish`."""

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
        values = ", ".join(f"{value!r}" for value in self.arguments.values() if value is not None)
        return f"{self.time:.2f} s  {self.machine}.{self.call}({values})"

    def told(self) -> list[str]:
        """What came of it, a line for each thing that happened."""
        lines = [self._line(*entry) for entry in self.journal]
        return [*lines, f"raised {self.raised}"] if self.raised else lines

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
