"""CrowdView: what the displays of a crowd and of its agents have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fsmkit.crowd import Crowd
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.crowd.moments import Moments
from fsmkit.inspector.reading.chart import Chart, Extent
from fsmkit.inspector.reading.details import Detail, bare_detail
from fsmkit.inspector.reading.log import Log
from fsmkit.inspector.reading.values import text_of


class CrowdView:
    """The drawing, the log and the past of a crowd or of one agent, under a name.

    `now` returns the seconds of the inspector's clock.
    """

    def __init__(self, crowd: Crowd, name: str, now: Callable[[], float]) -> None:
        self.crowd = crowd
        self.name = name
        self.now = now
        self.log = Log()
        self.moments = Moments()
        self.machine = crowd.layout.machine
        self.chart = Chart(self.machine, {self.machine: name})

    def close(self) -> None:
        """Stop watching."""

    def before_update(self) -> None:
        """Do nothing: a crowd is looked at after updates."""

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
        self.log.add(self.now(), self.name, "note", text=text)

    def _bare(self) -> Detail:
        """Return the details of what is in no state."""
        return {
            **bare_detail(self.machine, {self.machine: self.name}),
            "time": self.crowd.time, "states": [*self.machine.states],
            "lit": [], "dashed": [], "resumed_by": None, "edge": None, "shade": {}, "share": {},
            "graph": self.chart.version, "size": self.chart.size,
        }  # fmt: skip

    def _world(self) -> Iterator[list[str]]:
        for name in self.machine.world_record.kinds:
            yield [f"world.{name}", text_of(getattr(self.crowd.world, name))]
