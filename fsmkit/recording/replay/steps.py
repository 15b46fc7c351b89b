"""The parts of a recording: a header, steps (external calls and their effects), key frames.

A replay can go on from a key frame. `KeptSteps` is what a recording keeps in memory.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from math import inf
from typing import Any, Final, TypeAlias

from attrs import define, evolve, field, frozen

import fsmkit
from fsmkit import Fsm, FsmGroup
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.replay import warn
from fsmkit.recording.replay.digest import ActionMemory
from fsmkit.recording.snapshots import SnapshotError, restore, snapshot
from fsmkit.recording.value_codec import Encode, Unsaved, decoded_plainly, encoded_plainly
from fsmkit.terminal.console import described, printable

CALLS: Final = (
    "start", "stop", "update", "send_event", "offer_event", "post_event", "send_event_after",
    "cancel", "finish", "fail", "post_result", "restore",
)  # fmt: skip
"""The calls; `cancel` is that of a delayed event, `finish` and `fail` those of an action, `restore`
that of a snapshot of this machine, and perhaps of others; its argument says where all of them were
then."""

ENDINGS: Final = ("finish", "fail")
"""Those of actions: no observer is notified of their end."""

OPTIONAL: Final = ("data", "error", "state")
"""The arguments that are None unless they are given."""

NAMED: Final = ("keep",)
"""The arguments that are passed by name."""

JournalEntry = Sequence[Any]
"""One entry of a journal: its kind, the name of the machine, and more:

`("event", machine, event, outcome, sender)` and the text of its data, if there is any that did not
come with the call; `("leave", machine, state)`, `("enter", machine, state, event)`,
`("suspend", machine, state)`, `("resume", machine, state)` or `("error", machine, error)`. After a
snapshot was restored: `("restored", machine)` and `("in", machine, state)`.
"""


@frozen
class Step:
    """One external call, and its effects.

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
    journal: Sequence[JournalEntry] = ()
    raised: str = ""
    """The exception that was raised to the caller, if any."""
    memory: ActionMemory | str | None = field(default=None, repr=False, eq=False)
    """The parameters and the memory of the actions after the call, or their digest."""

    @property
    def digest(self) -> str:
        """A hash of parameters and memory of the actions after the call; empty if unknown."""
        return self.memory.digest if isinstance(self.memory, ActionMemory) else self.memory or ""

    def __str__(self) -> str:
        values = ", ".join(self._values())
        return printable(f"{self.time:.2f} s  {self.machine}.{self.call}({values})")

    @property
    def is_reload(self) -> bool:
        """True for the restoring of machines that a hot reload has put in the place of others."""
        return self.call == "restore" and bool(self.arguments.get("reloaded"))

    def told(self) -> list[str]:
        """Return its effects, a line for each."""
        lines = [self._line(*entry) for entry in self.journal]
        if self.raised:
            lines.append(f"raised {self.raised}")
        return [*map(printable, lines)]

    def _values(self) -> Iterator[str]:
        given = self.arguments if self.call != "restore" else {}  # that would be long
        if self.is_reload:
            yield "reloaded=True"
        for name, value in given.items():
            yield f"{name}={value!r}" if name in NAMED else described(value)

    def _line(self, kind: str, machine: str, *rest: str) -> str:
        with_data = kind == "event" and len(rest) > PARTS_OF_AN_EVENT
        text = _ENTRY_TEXTS["event with data" if with_data else kind].format(*rest)
        return text if machine == self.machine else f"{machine}: {text}"


NotedStep: TypeAlias = tuple[
    str, str, Mapping[str, Any], float, Sequence[JournalEntry], str, ActionMemory | str | None
]
"""The fields of a `Step`, which is made when somebody reads it: making it takes a microsecond."""

TIME: Final = 3
"""The place of the time among these fields."""


def noted_again(step: Step) -> NotedStep:
    return (
        step.machine, step.call, step.arguments, step.time, step.journal, step.raised, step.memory,
    )  # fmt: skip


@frozen
class KeyFrame:
    """The machines at one moment.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     for _ in range(30):
    ...         lamp.update(1.0)
    >>> [frame.time for _, frame in recording.frames]
    []
    """

    time: float
    moment: Mapping[str, Any]
    """The data of a `StepMaker` at that moment."""
    saved: str
    """As JSON: the `snapshot` of the machines, and the `world` around them."""

    @property
    def states(self) -> Mapping[str, str]:
        """Running machine -> its state."""
        states: Mapping[str, str] = self.moment.get("states", {})
        return states


Groups: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Machine -> its groups of states, by name, each with its states; only machines that have any."""


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
    """Running machine -> its state when the recording began; empty if unknown."""
    made_by: str = ""
    """The version of fsmkit that recorded it; empty for 0.1.0, which made no digests."""
    frame: KeyFrame | None = None
    """The beginning, unless the machines were newly built."""
    reason: str = ""
    """Why the beginning could not be saved, if it should have been."""
    time: float = 0.0
    """Seconds at the beginning."""
    groups: Groups = field(factory=dict)


Reported: TypeAlias = NotedStep | KeyFrame
"""A part of a recording after its header."""


@cache
def this_version() -> str:
    return fsmkit.__version__


def copied_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given, with copies of plain containers."""
    return {
        name: value if type(value) in SCALARS else _copied(value)
        for name, value in arguments.items()
        if value is not None or name not in OPTIONAL
    }


SCALARS: Final = frozenset({bool, float, int, str})
"""Classes of the values that most calls have; no copy of them is needed."""


def _copied(value: Any) -> Any:
    try:
        return _copied_part(value)
    except RecursionError:  # it contains itself
        return value


def _copied_part(value: Any) -> Any:
    kind = type(value)
    if kind is list or kind is tuple:
        return kind(map(_copied_part, value))
    if kind is dict:
        return {key: _copied_part(each) for key, each in value.items()}
    return set(value) if kind is set else value


UNKNOWN: Final = ""
"""Stands for an unknown state."""

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


World: TypeAlias = Callable[[], Any]
"""Returns plain data about the game around the machines, to be saved with them."""

PutBack: TypeAlias = Callable[[Any, Any], object]
"""Called with restored machines, and with the data that a `World` returned."""

BYTES_OF_A_STEP: Final = 100
"""Roughly, in a file."""

SHARE: Final = 20
"""Key frames take a twentieth of a file at most."""


def check_world(world: object) -> None:
    if world is not None and not callable(world):
        raise TypeError(f"world must be a function, got {world!r}.")


def saved(machines: Fsm[Any] | FsmGroup, encode: Encode | None, world: World | None) -> str:
    """Return the machines and the world, to be restored by `put_back`.

    Raises SnapshotError if they cannot be saved now, whatever the reason.
    """
    try:
        content: dict[str, Any] = {"snapshot": snapshot(machines, encode=encode)}
        if world is not None:
            content["world"] = encoded_plainly(world(), encode)
        return as_saved(content)
    except SnapshotError:
        raise
    except Exception as error:  # raised by functions of the game's own
        raise SnapshotError(shown_error(error)) from error


def as_saved(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def put_back(
    machines: Fsm[Any] | FsmGroup,
    content: str,
    decode: Callable[[Any], Any] | None,
    world: PutBack | None,
) -> None:
    """Restore newly built machines, and the world around them. Raises SnapshotError."""
    try:
        data = json.loads(content)
        machines_then = data["snapshot"]
    except (LookupError, TypeError, ValueError) as error:
        raise SnapshotError(f"It is damaged: {type(error).__name__}: {error}") from error
    restore(machines, machines_then, decode=decode)
    if world is not None and "world" in data:
        around = decoded_plainly(data["world"])
        if isinstance(around, Unsaved):
            raise SnapshotError(
                f"The world was not saved, because JSON cannot hold {around.description}. Let the "
                "function world= of the Recording return plain data, or give an encode=."
            )
        world(machines, around)


class FrameSchedule:
    """Says when the next key frame is due.

    That is after `interval` seconds and not before `least` steps, but after `most` steps at the
    latest. When none could be taken it is due again soon.
    """

    def __init__(self, start: float, interval: float, most: int | None = None) -> None:
        self._interval = interval
        self._most = most
        self._least = 0
        self._steps = 0
        self._at = start + interval
        self._latest = most

    def is_due(self, time: float) -> bool:
        """Count one more step; return True if a key frame is due."""
        self._steps += 1
        if self._latest is not None and self._steps >= self._latest:
            return True
        return time >= self._at and self._steps >= self._least

    def take(self, frame: KeyFrame) -> None:
        self._at, self._latest, self._steps = frame.time + self._interval, self._most, 0
        if self._most is None:  # a file may grow without bounds, but not by key frames
            self._least = len(frame.saved) * SHARE // BYTES_OF_A_STEP

    def fail(self, time: float) -> None:
        """Try again in an eighth of the time: no frame could be taken."""
        self._at = time + self._interval / 8
        if self._most is not None:
            self._latest = self._steps + self._most // 8 + 1


STEPS_A_SECOND: Final = 1000
"""The steps of a machine that are kept of one second at most."""

PARTS: Final = 5
"""The parts that the last seconds consist of; each begins with a key frame."""

NO_MOMENT: Final = "there was no moment between two calls to take a snapshot"

SHORTEST: Final = 1.0
"""Seconds between two key frames at least, if so much is kept."""

PATIENCE: Final = 3
"""How many times as long as wanted is kept before a beginning without key frame is accepted."""


@define
class _Part:
    header: Header
    made: deque[Step] = field(factory=deque)
    """The first steps: those that there were when they were last read."""
    noted: deque[NotedStep] = field(factory=deque)
    """The others."""

    def __len__(self) -> int:
        return len(self.made) + len(self.noted)

    @property
    def steps(self) -> deque[Step]:
        while self.noted:
            self.made.append(Step(*self.noted.popleft()))
        return self.made

    @property
    def begin(self) -> float:
        """The time of the first step."""
        return self.made[0].time if self.made else self.noted[0][TIME]

    @property
    def end(self) -> float:
        """The time of the last step; that of the header without one."""
        if self.noted:
            return self.noted[-1][TIME]
        return self.made[-1].time if self.made else self.header.time

    def drop_first(self) -> None:
        if self.made:
            self.made.popleft()
        else:
            self.noted.popleft()


class KeptSteps:
    """The steps and key frames of a recording: all of them, or those of the last `limit` seconds.

    With a limit, a fifth or a second more is kept, from a key frame on, and at most
    `STEPS_A_SECOND` for each machine and second. While no key frame can be taken, up to three times
    as much is kept; then the beginning is dropped, and the rest cannot be replayed.
    """

    def __init__(self, header: Header, limit: float = inf, machines: int = 1) -> None:
        self.limit = limit
        self.most = int(min(max(limit, 1.0) * STEPS_A_SECOND * max(1, machines), sys.maxsize))
        self.interval = max(limit / PARTS, min(limit, SHORTEST))
        self._failure = NO_MOMENT
        self._has_warned = False
        self.has_lost_beginning = False
        """Whether steps were dropped that a replay would need."""
        self._parts = deque([_Part(header)])
        self._count = 0
        self._noted = self._parts[-1].noted

    @property
    def header(self) -> Header:
        return self._parts[0].header

    @property
    def steps(self) -> list[Step]:
        return [step for part in self._parts for step in part.steps]

    @property
    def time(self) -> float:
        return self._parts[-1].end

    @property
    def frames(self) -> list[tuple[int, KeyFrame]]:
        """The key frames after the beginning, each with the number of the steps before it."""
        later = list(self._parts)[1:]
        counts = accumulate(map(len, self._parts))
        frames = zip(counts, (part.header.frame for part in later), strict=False)
        return [(count, frame) for count, frame in frames if frame is not None]

    def add(self, step: Reported) -> None:
        if isinstance(step, tuple):
            self._noted.append(step)
            self._count += 1
        else:
            header = evolve(self.header, states=step.states, frame=step, reason="", time=step.time)
            self._parts.append(_Part(header))
            self._noted = self._parts[-1].noted
        if self.limit < inf:
            self._drop_old(step[TIME] if isinstance(step, tuple) else step.time)

    def failed(self, reason: str) -> None:
        self._failure = reason

    def _drop_old(self, now: float) -> None:
        parts = self._parts
        while len(parts) > 1 and (
            parts[1].header.time <= now - self.limit or self._count > self.most
        ):
            self._count -= len(parts.popleft())
            self.has_lost_beginning = False
        if len(parts) == 1:
            self._lose_patience(now, parts[0])

    def _lose_patience(self, now: float, oldest: _Part) -> None:
        """Drop steps although no key frame replaces them, once there was none for too long."""
        patience = self.limit * (1 if self.header.reason else PATIENCE)
        while oldest and (self._count > self.most or oldest.begin < now - patience):
            patience = self.limit
            self._count -= 1
            oldest.drop_first()
            self._lose_beginning(oldest.begin if oldest else now)

    def _lose_beginning(self, time: float) -> None:
        self.has_lost_beginning = True
        known = self.header
        states = dict.fromkeys(known.machines, UNKNOWN)
        self._parts[0].header = Header(
            known.machines, states, known.made_by, reason=self._failure, time=time,
            groups=known.groups,
        )  # fmt: skip
        if not self._has_warned:
            self._has_warned = True
            warn(
                f"Recording: the last {self.limit:g} s cannot be replayed for the time being, as "
                f"no snapshot could be taken since {known.time:g} s: {self._failure}"
            )

    def __iter__(self) -> Iterator[Reported]:
        """Yield steps and key frames in their order, after those of the beginning."""
        for part in self._parts:
            if part is not self._parts[0] and part.header.frame is not None:
                yield part.header.frame
            yield from map(noted_again, part.made)
            yield from part.noted
