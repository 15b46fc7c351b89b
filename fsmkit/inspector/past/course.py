"""Course: what a recording tells of its machines, ready to be looked up at any moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final

from fsmkit.inspector.past.machine_course import NAMELESS, MachineCourse
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.values import text_of
from fsmkit.recording import Header, Recording, Step
from fsmkit.recording.replay.steps import UNKNOWN
from fsmkit.timing import TIME_TOLERANCE

MOST_ENTRIES: Final = 100_000
"""Log entries of a machine that are shown: the last ones."""

DEEPEST: Final = 20
"""Levels of nested machines that a recording is believed to have."""


class Course:
    """The machines of a recording over time.

    A *position* is a number of steps: those that have been carried out. A *frame* is all steps of
    the same time, such as the updates of all machines of a group.
    """

    def __init__(self, recording: Recording) -> None:
        self.header: Header = recording.header
        self.steps: Sequence[Step] = recording.steps
        self.machines: dict[str, MachineCourse] = {}
        self.changed: list[tuple[int, str]] = []
        """The position after each change, and the outermost machine that it concerns."""
        for name in self.header.machines:
            self._machine(name)
        for name, state in self.header.states.items():
            if state != UNKNOWN:
                self._machine(name).begin(state)
        for index, step in enumerate(self.steps):
            for place in range(len(step.journal)):
                self._read(index, place)

    @property
    def outermost(self) -> list[str]:
        """The names of the machines that are not nested in another one."""
        return [name for name, course in self.machines.items() if course.outer is None]

    @property
    def start(self) -> float:
        """Seconds at the beginning."""
        return self.header.time

    @property
    def end(self) -> float:
        """Seconds after the last step."""
        return self.steps[-1].time if self.steps else self.start

    def state_names(self, name: str) -> Sequence[str]:
        """Return the states that a machine has been in, in the order of their first visits."""
        return [*dict.fromkeys(each.state for each in self.machines[name].changes if each.state)]

    # Positions

    def time_at(self, position: int) -> float:
        """Return the seconds at a position."""
        return self.steps[position - 1].time if position else self.start

    def position_at(self, time: float) -> int:
        """Return the position after the last step up to that time."""
        return bisect_right(self.steps, time + TIME_TOLERANCE, key=attrgetter("time"))

    def next_frame(self, position: int) -> int:
        """Return the position after the frame that follows."""
        if position >= len(self.steps):
            return len(self.steps)
        return self.position_at(self.steps[position].time)

    def last_frame(self, position: int) -> int:
        """Return the position before the frame that led here."""
        time = self.time_at(position)
        return bisect_right(self.steps, time - TIME_TOLERANCE, key=attrgetter("time"))

    def next_change(self, name: str, position: int) -> int | None:
        """Return the position after the next change of a machine, or of one nested in it."""
        changes = self.machines[name].positions
        index = bisect_right(changes, position)
        return self.next_frame(changes[index] - 1) if index < len(changes) else None

    def last_change(self, name: str, position: int) -> int | None:
        """Return the position after the change before the last one, where the last state began."""
        changes = self.machines[name].positions
        index = bisect_right(changes, self.last_frame(position)) - 1
        return self.next_frame(changes[index] - 1) if index >= 0 else None

    def changed_between(self, one: int, other: int) -> set[str]:
        """Return the outermost machines that changed between two positions."""
        first, last = sorted((one, other))
        begin = bisect_right(self.changed, first, key=lambda pair: pair[0])
        end = bisect_right(self.changed, last, key=lambda pair: pair[0])
        return {name for _, name in self.changed[begin:end]}

    # Machines

    def outermost_of(self, name: str) -> str:
        """Return the machine that one is nested in at last: itself if it is in none."""
        while (outer := self.machines[name].outer) is not None:
            name = outer
        return name

    def states(self, position: int) -> list[tuple[str, str | None]]:
        """Return each outermost machine and its state."""
        return [(name, self.state(name, position)) for name in self.outermost]

    def state(self, name: str, position: int) -> str | None:
        """Return the state of a machine; None if it is not running."""
        return self.machines[name].at(position).state

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return the errors and unhandled events of the outermost machines that had any."""
        found: dict[str, tuple[int, int]] = {}
        for course in self.machines.values():
            if course.errors or course.unhandled:
                name = self.outermost_of(course.name)
                errors, unhandled = found.get(name, (0, 0))
                found[name] = errors + len(course.errors), unhandled + course.unhandled
        return found

    # The log

    def first_entry(self, name: str) -> int:
        """Return the number of the first log entry of a machine that is shown."""
        return max(0, len(self.machines[name].log) - MOST_ENTRIES)

    def log_times(self, name: str) -> list[float]:
        """Return the time of each log entry of a machine."""
        return [self.steps[index].time for index, _, _ in self.machines[name].log]

    def entries(self, name: str, begin: int, count: int) -> list[Entry]:
        """Return the log entries of a machine, and of those nested in it, from a number on."""
        places = self.machines[name].log[begin : begin + count]
        return [
            self._entry(number, *place) for number, place in enumerate(places, start=begin)
        ]  # fmt: skip

    def _entry(self, number: int, index: int, place: int, state: str) -> Entry:
        step = self.steps[index]
        kind, name, *rest = step.journal[place]
        more = _shown(step, kind, rest, state)
        details = {key: text for key, text in more.items() if text}
        return {"kind": kind, **details, "seq": number, "time": step.time, "machine": name}

    # Reading

    def _machine(self, name: str) -> MachineCourse:
        if name not in self.machines:
            outer = self._outer(name)
            depth = self.machines[outer].depth + 1 if outer is not None else 0
            self.machines[name] = MachineCourse(name, outer, self.start, depth)
            if outer is not None:
                self.machines[outer].inner.append(name)
        return self.machines[name]

    def _outer(self, name: str) -> str | None:
        """Return the machine that one is nested in: its name begins with that of the outer one."""
        end = len(name)
        for _ in range(DEEPEST):
            end = name.rfind("/", 0, end)
            if end <= 0:
                return None
            outer = self.machines.get(name[:end])
            if outer is not None:
                return outer.name if outer.depth < DEEPEST else None
        return None

    def _read(self, index: int, place: int) -> None:
        step = self.steps[index]
        course = outermost = self._machine(step.journal[place][1])
        state = course.changes[-1].state or ""
        has_changed = course.read(index + 1, step.time, len(self.changed), step.journal[place])
        while True:
            outermost.log.append((index, place, state))
            if has_changed:
                outermost.positions.append(index + 1)
            if outermost.outer is None:
                break
            outermost = self.machines[outermost.outer]
        if has_changed or course.changes[-1].position == index + 1:
            self.changed.append((index + 1, outermost.name))


def _shown(step: Step, kind: str, parts: Sequence[str], state: str) -> Mapping[str, str]:
    """Return what the log shows of an entry, beside its time and machine."""
    if kind == "event":
        event, outcome, sender, *told = parts
        given = step.arguments.get("data") if step.arguments.get("event") == event else None
        data = text_of(given) if given is not None else "".join(told)
        return {
            "state": state, "event": event, "outcome": outcome, "sender": sender, "data": data,
        }  # fmt: skip
    if kind == "error":
        return {"state": state, "text": parts[0]}
    if kind == "restored":
        return {"kind": "note", "text": "a snapshot was loaded"}
    event = parts[1] if kind == "enter" else ""
    return {"kind": _AS.get(kind, kind), "state": parts[0] or NAMELESS, "event": event}


_AS: Final = {"in": "enter"}
"""Kind of journal entry -> kind of log entry, where they differ."""
