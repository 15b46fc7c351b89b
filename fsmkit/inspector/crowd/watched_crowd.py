"""WatchedCrowd: a crowd on display, with its census over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from traceback import format_exception_only
from typing import Any, Final

from fsmkit.crowd import Crowd
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.crowd.moments import Moments
from fsmkit.inspector.crowd.shares import shade_of, share_of
from fsmkit.inspector.reading.chart import Chart, Extent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.log import Log
from fsmkit.inspector.reading.values import text_of

INTERVAL: Final = 0.25
"""Seconds between two counts."""


class WatchedCrowd:
    """Counts the agents of a crowd from time to time, and writes the counts into its log.

    `now` returns the seconds of the inspector's clock.
    """

    def __init__(self, crowd: Crowd, now: Callable[[], float]) -> None:
        self.crowd = crowd
        self.machine = crowd.layout.machine
        self.now = now
        self.log = Log()
        self.moments = Moments()
        self.chart = Chart(self.machine, {self.machine: self.machine.name})
        self._counted_at: float | None = None
        self._count()

    def close(self) -> None:
        """Stop watching."""

    def before_update(self) -> None:
        """Do nothing: the crowd is counted after updates."""

    def after_update(self) -> None:
        """Count the agents if it is due."""
        due = self._counted_at is None or not 0.0 <= self.now() - self._counted_at < INTERVAL
        if due:
            self._count()

    def detail(self) -> Detail:
        """Return what the page shows of the crowd as it is now."""
        counts = self.crowd.count()
        running = sum(counts.values())
        return {
            "machine": self.machine.name, "running": running > 0, "state": None, "previous": None,
            "time": self.crowd.time, "time_in_state": 0.0, "last_event": None, "suspended": [],
            "events": list(self._events(counts)), "states": list(counts), "actions": [],
            "context": [*self._world(), *self._columns()], "inner": [],
            "lit": [], "dashed": [], "resumed_by": None, "edge": None,
            "shade": shade_of(self.machine, counts), "share": share_of(self.machine, counts),
            "census": {"size": len(self.crowd), "counts": counts},
            "graph": self.chart.version, "size": self.chart.size,
        }  # fmt: skip

    def drawing(self, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph to draw, or as much of it, and the meaning of its parts."""
        return self.chart.read(extent)

    def moment(self, time: float) -> dict[str, Any] | None:
        """Return what the page showed then; None if nothing has been kept yet."""
        return self.moments.at(time)

    def go_back(self, seq: int) -> None:
        """Do nothing: a crowd goes on only forwards."""

    def note_jump(self, text: str) -> None:
        """Write a note of the inspector into the log."""
        self.note(text)

    def note(self, text: str) -> None:
        """Write a note of the inspector into the log."""
        self.log.add(self.now(), self.machine.name, "note", text=text)

    def note_error(self, error: BaseException) -> None:
        """Write an error of an update into the log, with the agent and the line in its notes."""
        lines = [*format_exception_only(error), *getattr(error, "__notes__", ())]
        text = "\n".join(dict.fromkeys(line.strip() for line in lines))
        self.log.add(self.now(), self.machine.name, "error", text=text)

    def note_event(self, event: str, moved: int) -> None:
        """Write an event that was sent from the page into the log."""
        outcome = "changed" if moved else "ignored"
        why = f"{moved:,} of {len(self.crowd):,} agents changed their state."
        self.log.add(self.now(), self.machine.name, "event", event=event, outcome=outcome, why=why)

    def _count(self) -> None:
        self._counted_at = self.now()
        counts = self.crowd.count()
        numbers = " ".join(map(str, counts.values()))
        self.log.add(self.now(), self.machine.name, "census", counts=numbers)
        self.moments.keep(self.now(), self.detail())

    def _events(self, counts: dict[str, int]) -> Iterator[dict[str, Any]]:
        """Yield each event with the number of agents that it might move now."""
        machine = self.machine
        global_ones = set(machine.global_transitions)
        knowing = Counter(dict.fromkeys(global_ones, sum(counts.values())))
        for state in machine.states.values():
            for event in state.transitions.keys() - global_ones:
                knowing[event] += counts[state.name]
        states = [state.transitions for state in machine.states.values()]
        for event in dict.fromkeys(chain(*states, machine.global_transitions)):
            yield {
                "name": event, "target": f"up to {knowing[event]:,} agents",
                "global": event in global_ones, "machine": machine.name,
            }  # fmt: skip

    def _world(self) -> Iterator[list[str]]:
        for name in self.machine.world_record.kinds:
            yield [f"world.{name}", text_of(getattr(self.crowd.world, name))]

    def _columns(self) -> Iterator[list[str]]:
        """Yield each field of the agents with its mean and its range."""
        for name, kind in self.machine.agent_record.kinds.items():
            column = self.crowd[name]
            if not len(column):
                yield [name, "–"]
            elif kind is bool:
                yield [name, f"{100 * float(column.mean()):.3g} % are True"]
            else:
                ends = f"{float(column.min()):.4g} to {float(column.max()):.4g}"
                yield [name, f"mean {float(column.mean()):.4g}, {ends}"]
