"""Usage: visits, transitions and events of machines, summed over any number of runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Self, TypeVar

from attrs import Factory, frozen

from fsmkit import FsmError
from fsmkit.core.checks.arguments import shown
from fsmkit.recording.chronicle import Chronicle, StateVisit, checked_chronicle

FORMAT: Final = "fsmkit usage"
VERSION: Final = 1

QUEUED: Final = "queued"
"""The outcome of a queued event; it is offered later, and then has another outcome."""


class StateName(NamedTuple):
    """A state of a machine.

    >>> from fsmkit.recording import StateName
    >>> StateName("Guard", "Patrol").state
    'Patrol'
    """

    machine: str
    """Its name, as in a `Chronicle`: `Guard`, `Guard/Fight`, `Guard #2`."""
    state: str


class Way(NamedTuple):
    """A transition that was taken: from a state, by an event, to a state.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History, usage_of
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESS", lamp.add_state("On"))
    >>> history = History(lamp)
    >>> lamp.start()
    >>> _ = lamp.send_event("PRESS")
    >>> [tuple(way) for way in usage_of(history.chronicle()).taken]
    [('Lamp', 'Off', 'PRESS', 'On')]
    """

    machine: str
    source: str
    event: str
    target: str | None
    """None for `BACK`: to the state that was suspended last."""


class Sending(NamedTuple):
    """An event, with its place, its sender and its outcome.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History, usage_of
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESS", lamp.add_state("On"))
    >>> history = History(lamp)
    >>> lamp.start()
    >>> _ = lamp.send_event("PRESS")
    >>> [(each.event, each.outcome) for each in usage_of(history.chronicle()).sent]
    [('PRESS', 'changed')]
    """

    machine: str
    state: str
    """The state it was sent in; empty if the machine was not running."""
    event: str
    outcome: str
    """`"changed"`, `"consumed"`, `"refused"`, `"ignored"` or `"unhandled"`."""
    sender: str
    """The action that sent it, as `Patrol.actions[0] (SendEventWhen)`; empty for an
    external call."""


@frozen
class Usage:
    """How long states lasted, how often they were entered, and the transitions and events.

    Usages are added with `+`, and several with `sum(usages, Usage())`.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> history = History(lamp)
    >>> lamp.start()
    >>> lamp.update(1.5)
    >>> _ = lamp.send_event("PRESSED")
    >>> usage = usage_of(history.chronicle())
    >>> usage.seconds["Lamp", "Off"], usage.entered["Lamp", "On"]
    (1.5, 1)
    >>> (usage + usage).taken["Lamp", "Off", "PRESSED", "On"]
    2
    >>> Usage.from_json(usage.to_json()) == usage
    True
    """

    seconds: Mapping[StateName, float] = Factory(dict)
    """State -> how long it was the current one, without the time it was suspended."""
    entered: Mapping[StateName, int] = Factory(dict)
    """State -> how often it was entered. Resuming it does not count."""
    taken: Mapping[Way, int] = Factory(dict)
    """Way -> how often it was taken."""
    sent: Mapping[Sending, int] = Factory(dict)
    """Event with its place, outcome and sender -> how often it was sent."""
    runs: int = 0
    """The number of chronicles it is the sum of."""
    time: float = 0.0
    """How long these were, in seconds: the machines of a group run at the same time."""

    @property
    def machines(self) -> tuple[str, ...]:
        """The names of the machines, in alphabetical order."""
        return tuple(sorted({key.machine for part in PARTS for key in getattr(self, part)}))

    def __add__(self, other: Usage) -> Usage:
        if not isinstance(other, Usage):
            return NotImplemented
        sums = {part: _sum(getattr(self, part), getattr(other, part)) for part in PARTS}
        return Usage(**sums, runs=self.runs + other.runs, time=self.time + other.time)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, for `json.dumps`; the same for equal usages."""
        rows = {part: _rows(getattr(self, part)) for part in PARTS}
        return {
            "format": FORMAT, "version": VERSION, "runs": self.runs, "time": self.time, **rows,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the usage that `to_json` gave as `data`. Raises FsmError for anything else."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise FsmError(f"data must be the result of Usage.to_json(), got {shown(data)}.")
        if data.get("version") != VERSION:
            raise FsmError(
                f"The usage has version {data.get('version')!r}; this fsmkit reads version "
                f"{VERSION}. Use the fsmkit that wrote it."
            )
        try:
            parts = {
                part: {_key(kind, key): count(value) for *key, value in data[part]}
                for part, (kind, count) in PARTS.items()
            }
            time = data["time"] if "time" in data else _longest(parts["seconds"])
            return cls(**parts, runs=int(data["runs"]), time=float(time))
        except (KeyError, TypeError, ValueError) as error:
            raise FsmError(f"The usage is damaged: {error!r}. Write it with to_json().") from None


def usage_of(*chronicles: Chronicle) -> Usage:
    """Return the usage of the runs in `chronicles`, summed up.

    A state that still lasts counts up to the end of its chronicle. Raises TypeError for anything
    that is not a chronicle.

    >>> usage_of() == Usage()
    True
    """
    return sum((_usage_of_one(checked_chronicle(each)) for each in chronicles), Usage())


def _usage_of_one(chronicle: Chronicle) -> Usage:
    seconds: defaultdict[StateName, float] = defaultdict(float)
    entered: Counter[StateName] = Counter()
    for visit in chronicle.visits:
        name = StateName(visit.machine, visit.state)
        seconds[name] += (chronicle.end if visit.end is None else visit.end) - visit.start
        entered[name] += not visit.resumed
    sent = Counter(
        Sending(each.machine, each.state, each.event, each.outcome, each.sender)
        for each in chronicle.events
        if each.outcome != QUEUED
    )
    taken = dict(Counter(_ways(chronicle.visits)))
    time = chronicle.end - chronicle.start
    return Usage(dict(seconds), dict(entered), taken, dict(sent), 1, time)


def _ways(visits: Iterable[StateVisit]) -> Iterator[Way]:
    """Yield the way that led to each visit; it is unknown where a chronicle begins."""
    latest: dict[str, str] = {}
    for visit in visits:
        source = latest.get(visit.machine)
        latest[visit.machine] = visit.state
        if source is not None and visit.event is not None:
            target = None if visit.resumed else visit.state
            yield Way(visit.machine, source, visit.event, target)


def _longest(seconds: Mapping[StateName, float]) -> float:
    """Return how long the machine ran that ran longest; before 0.3 that was all that is known."""
    lengths: defaultdict[str, float] = defaultdict(float)
    for name, length in seconds.items():
        lengths[name.machine] += length
    return max(lengths.values(), default=0.0)


KeyT = TypeVar("KeyT")


def _sum(one: Mapping[KeyT, Any], other: Mapping[KeyT, Any]) -> dict[KeyT, Any]:
    keys = dict.fromkeys((*one, *other))
    return {key: one.get(key, 0) + other.get(key, 0) for key in keys}


def _rows(numbers: Mapping[Any, float]) -> list[list[Any]]:
    rows = [[*key, number] for key, number in numbers.items()]
    return sorted(rows, key=lambda row: [(part is not None, part or "") for part in row[:-1]])


def _key(kind: Any, parts: list[Any]) -> Any:
    texts = parts[:-1] if kind is Way and parts[-1] is None else parts
    if not all(isinstance(part, str) for part in texts):
        raise ValueError(f"expected names, got {parts!r}")
    return kind(*parts)


PARTS: Final[Mapping[str, tuple[Any, Any]]] = {
    "seconds": (StateName, float),
    "entered": (StateName, int),
    "taken": (Way, int),
    "sent": (Sending, int),
}
"""Part of a usage -> the class of its keys, and of its numbers."""
