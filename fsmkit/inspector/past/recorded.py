"""RecordedMachines: machines as a recording alone shows them: nothing is built, nothing runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsmkit import Fsm
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.past.sketch import sketches_of
from fsmkit.inspector.past.traces import traces_of
from fsmkit.inspector.reading.chart import Chart, Extent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.ways import labelled, own_ways

UNKNOWN = (
    "The recording alone does not hold this. Give the machine as well, and the run is replayed: "
    "fsmkit inspect run.jsonl game.py:build"
)


class RecordedMachines:
    """Shows the machines of a recording: states and transitions as far as they occurred.

    With several recordings their graphs are drawn together.
    """

    def __init__(self, course: Course, *others: Course) -> None:
        self.course = course
        self.position = 0
        self.fault = ""
        """Always empty: there is nothing that could fail."""
        self._sketches = sketches_of([course, *others])
        self._names = {fsm: name for name, fsm in self._sketches.items()}
        self._charts: dict[str, Chart] = {}

    def advance(self, position: int, _deadline: float) -> None:
        """Be at that position."""
        self.position = position

    def is_at(self, position: int) -> bool:
        """Return True if it is at that position."""
        return self.position == position

    def drawing(self, name: str, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph of a machine and the meaning of its parts."""
        return self._chart(name).read(extent)

    def detail(self, name: str) -> Detail:
        """Return the details of a machine at the position."""
        change = self.course.machines[name].at(self.position)
        chart = self._chart(name)
        now = self.course.time_at(self.position)
        is_running = change.state is not None
        return {
            "machine": name,
            "running": is_running,
            "state": change.state,
            "previous": change.previous,
            "time": now - self.course.start,
            "time_in_state": now - change.time if is_running else 0.0,
            "last_event": change.event or None,
            "suspended": list(change.suspended),
            "events": list(self._events(name)),
            "states": list(self._sketches[name].states),
            "actions": [],
            "context": [],
            "unknown": UNKNOWN,
            "inner": [
                {"machine": inner, "running": True, "state": state}
                for inner, state in self._inside(name)
            ],
            "lit": [
                chart.state(machine, state)
                for machine in chart.machines
                if (state := self._state(self._names[machine])) in machine.states
            ],
            "dashed": [
                chart.state(machine, state)
                for machine in chart.machines
                for state in self._suspended(self._names[machine])
                if state in machine.states
            ],
            **traces_of(self.course, chart, self._names, self.position),
            "graph": chart.version,
        }

    def _chart(self, name: str) -> Chart:
        if name not in self._charts:
            self._charts[name] = Chart(self._sketches[name], self._names)
        return self._charts[name]

    def _state(self, name: str) -> Any:
        known = self.course.machines.get(name)
        return known.at(self.position).state if known is not None else None

    def _suspended(self, name: str) -> Sequence[str]:
        known = self.course.machines.get(name)
        return known.at(self.position).suspended if known is not None else ()

    def _inside(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the machines that run in the current state, and those nested in them."""
        state = self._sketches[name].states.get(self._state(name))
        for action in state.actions if state is not None else ():
            for inner in map(self._names.__getitem__, action.machines):
                if (running := self._state(inner)) is not None:
                    yield inner, running
                    yield from self._inside(inner)

    def _events(self, name: str) -> Iterator[dict[str, Any]]:
        for each in (name, *(inner for inner, _ in self._inside(name))):
            fsm: Fsm[Any] = self._sketches[each]
            place = "" if each == name else f"{fsm.name}: "
            state = fsm.states.get(self._state(each))
            if state is None:
                continue
            for event in state.transitions:
                for way, label in labelled(own_ways(state, event)):
                    target = getattr(way.target, "name", "the suspended state")
                    yield {
                        "name": event, "target": f"{place}{target}", "global": False,
                        "machine": each, **({} if label == event else {"label": label}),
                    }  # fmt: skip
