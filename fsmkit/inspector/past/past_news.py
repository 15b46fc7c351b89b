"""PastNews: what all machines of a recording have done, for a page that shows them all."""

from __future__ import annotations

from fsmkit.inspector.loop.all_machines import MOST_CHANGES, MOST_ENTRIES
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.machine_record import Change, MachineRecord
from fsmkit.inspector.reading.ring import Ring


class PastNews:
    """The last changes, errors and unhandled events of a whole recording, in order.

    As of `AllMachines`: what a nested machine does wrong counts for the outermost one.
    """

    def __init__(self, course: Course) -> None:
        self.changes: Ring[Change] = Ring(MOST_CHANGES)
        self.entries: Ring[Entry] = Ring(MOST_ENTRIES)
        self._course = course
        self._records = {name: MachineRecord(name, None, course.start) for name in course.outermost}
        self._next = 0
        for name in course.outermost:
            state = course.machines[name].changes[0].state
            if state is not None:
                self._change(name, course.start, "enter", state, None)
        for step in course.steps:
            for kind, name, *rest in step.journal:
                self._read(step.time, kind, name, rest)

    def _read(self, time: float, kind: str, name: str, rest: list[str]) -> None:
        outermost = self._course.outermost_of(name)
        if kind == "error":
            self._trouble(time, name, outermost, {"kind": kind, "text": rest[0]})
        elif kind == "event" and rest[1] == "unhandled":
            more = {"kind": kind, "event": rest[0], "outcome": rest[1], "sender": rest[2]}
            self._trouble(time, name, outermost, more)
        elif name == outermost and kind in ("enter", "resume", "in"):
            event = rest[1] if kind == "enter" else None
            self._change(name, time, "resume" if kind == "resume" else "enter", rest[0], event)
        elif name == outermost and kind in ("leave", "restored"):
            self._change(name, time, "leave", None, None)

    def _change(
        self, name: str, time: float, kind: str, state: str | None, event: str | None
    ) -> None:
        record = self._records[name]
        self.changes.add(Change(self._number(), time, record, kind, state, event or None))

    def _trouble(self, time: float, name: str, outermost: str, parts: Entry) -> None:
        within = {"within": outermost} if name != outermost else {}
        kept = {key: value for key, value in parts.items() if value != ""}
        times = {"time": time, "times": 1, "last": time}
        self.entries.add({"seq": self._number(), "machine": name, **times, **within, **kept})

    def _number(self) -> int:
        self._next += 1
        return self._next - 1
