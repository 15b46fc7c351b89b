"""Step: one call from outside, and its effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from fsmkit.recording.replay.digest import Memory
from fsmkit.recording.replay.frames import KeyFrame
from fsmkit.terminal.console import described, printable

CALLS: Final = (
    "start", "stop", "update", "send_event", "offer_event", "post_event", "send_event_after",
    "cancel", "finish", "post_result", "restore",
)  # fmt: skip
"""The calls; `cancel` is that of a delayed event, `finish` that of an action, `restore` that of a
snapshot of this machine, and perhaps of others; its argument says where all of them were then."""

NAMED: Final = ("keep",)
"""The arguments that are passed by name."""

Entry = Sequence[Any]
"""One entry of a journal: its kind, the name of the machine, and more:

`("event", machine, event, outcome, sender)` and the text of its data, if there is any that did not
come with the call; `("leave", machine, state)`, `("enter", machine, state, event)`,
`("suspend", machine, state)`, `("resume", machine, state)` or `("error", machine, error)`. After a
snapshot was restored: `("restored", machine)` and `("in", machine, state)`.
"""


@frozen
class Step:
    """One call from outside, and its effects.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     lamp.update(0.5)
    >>> [(str(step), step.told()) for step in recording.steps]
    [('0.00 s  Lamp.start()', ['enter On']), ('0.50 s  Lamp.update(0.5)', [])]
    """

    machine: str
    call: str
    arguments: Mapping[str, Any]
    time: float
    """Seconds that had passed when the call was over."""
    journal: Sequence[Entry] = ()
    raised: str = ""
    """The exception that was raised to the caller, if any."""
    memory: Memory | str | None = field(default=None, repr=False, eq=False)
    """What the actions were given and remember after the call, or the digest of that."""

    @property
    def digest(self) -> str:
        """A hash of what the actions were given and remember after the call; empty if unknown."""
        return self.memory.digest if isinstance(self.memory, Memory) else self.memory or ""

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
        given = self.arguments if self.call != "restore" else {}  # that would be long
        for name, value in given.items():
            yield f"{name}={value!r}" if name in NAMED else described(value)

    def _line(self, kind: str, machine: str, *rest: str) -> str:
        with_data = kind == "event" and len(rest) > PARTS_OF_AN_EVENT
        text = _ENTRY_TEXTS["event with data" if with_data else kind].format(*rest)
        return text if machine == self.machine else f"{machine}: {text}"


@frozen
class Header:
    """The first line of a recording.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    >>> recording.header.time
    0.0
    """

    machines: tuple[str, ...]
    states: Mapping[str, str] = field(factory=dict)
    """Running machine -> its state when the recording began; empty where nobody knows."""
    made_by: str = ""
    """The version of fsmkit that recorded it; empty for 0.1.0, which made no digests."""
    frame: KeyFrame | None = None
    """The beginning, unless the machines were newly built."""
    reason: str = ""
    """Why the beginning could not be saved, if it should have been."""
    time: float = 0.0
    """Seconds at the beginning."""


UNKNOWN: Final = ""
"""In place of a state that nobody knows."""

PARTS_OF_AN_EVENT: Final = 3
"""Its name, its outcome and its sender."""

_ENTRY_TEXTS: Final = {
    "event": "event {0}: {1}",
    "event with data": "event {0} {3}: {1}",
    "restored": "restored",
    "in": "in {0}",
    "leave": "leave {0}",
    "enter": "enter {0}",
    "suspend": "suspend {0}",
    "resume": "resume {0}",
    "error": "error {0}",
}
