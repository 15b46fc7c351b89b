"""ReplayedMachines: the machines of a recording, built anew and taken through it again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, Final

from attrs import evolve

from fsmkit import Fsm
from fsmkit.core.words.notes import shown_error
from fsmkit.diagram.graph import Cluster, Graph, changed
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.past.recorded import RecordedMachines
from fsmkit.inspector.past.traces import traces_of
from fsmkit.inspector.reading.chart import Chart, Extent
from fsmkit.inspector.reading.details import Detail, detail_of
from fsmkit.inspector.reading.explained import unread
from fsmkit.inspector.reading.explanations import agents_among
from fsmkit.inspector.reading.part_reader import PartReader
from fsmkit.recording import Recording, Replay
from fsmkit.recording.replay.frames import PutBack
from fsmkit.recording.replay.replaying import Build, Decode
from fsmkit.tooling.nesting import MachineNames, members

BUNCH: Final = 64
"""Steps between two looks at the time."""


class ReplayedMachines:
    """Carries out a recording on machines of its own, and shows them at any position.

    Its machines belong to the thread that calls `advance`. Where they did not do what was recorded,
    they are shown as they are; `fault` says so.

    Raises what `Replay` raises.
    """

    def __init__(
        self,
        course: Course,
        build: Build,
        recording: Recording,
        *,
        decode: Decode | None = None,
        world: PutBack | None = None,
    ) -> None:
        self.course = course
        self.fault = ""
        """The reason why it cannot go on, or how it differs from the recording; empty if fine."""
        self._begin: Callable[[], Replay] = partial(
            Replay, build, recording, decode=decode, world=world
        )
        self._replay = self._begin()
        self._has_world = world is not None
        self._is_stuck = False
        self._told = RecordedMachines(course)
        self._charts: dict[str, Chart] = {}
        self._versions: dict[str, tuple[Any, int, Chart]] = {}
        self._readers: dict[str, PartReader] = {}
        self._naming = MachineNames()
        self._machines: Any = None

    @property
    def position(self) -> int:
        """The number of steps that have been carried out."""
        return self._replay.position

    def advance(self, position: int, deadline: float) -> None:
        """Go towards a position, until the deadline at the latest, as of `time.monotonic`."""
        try:
            self._go_back_if_needed(position)
            while not self._is_stuck and self.position < position:
                self._replay.go_to(min(position, self.position + BUNCH))
                if monotonic() >= deadline:
                    break
        except Exception as error:  # of the recording, or raised by the program's own functions
            self._is_stuck = True
            self.fault = f"The replay ends at {self._replay.time:.2f} s. {_text(error)}"
            return
        self._look_at_difference()

    def is_at(self, position: int) -> bool:
        """Return True if it is at that position, or as near as it gets."""
        return self.position == position or (self._is_stuck and self.position < position)

    def drawing(self, name: str, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph of a machine and the meaning of its parts."""
        fsm = self.machine(name)
        if fsm is None:
            return self._told.drawing(name, extent)
        return self._chart(name, fsm).read(extent)

    def detail(self, name: str) -> Detail:
        """Return the details of a machine at the position."""
        fsm = self.machine(name)
        if fsm is None:  # it has left, or has not joined yet
            self._told.advance(self.position, 0.0)
            return self._told.detail(name)
        chart, names = self._chart(name, fsm), self._naming.names
        return {
            **detail_of(fsm, names, self._reader(name)),
            "lit": chart.lit(),
            "dashed": chart.dashed(),
            "why": [unread(names[agent]) for agent in agents_among(chart.machines)],
            **traces_of(self.course, chart, names, self.position),
            "graph": self._version(name, chart),
        }

    def _go_back_if_needed(self, position: int) -> None:
        if position >= self.position:
            return
        self._is_stuck = False
        if self._has_world:
            self._replay.go_to(position)  # from the key frame before it
        else:
            self._replay = self._begin()

    def _look_at_difference(self) -> None:
        """Note the first difference from the recording; it stays noted when one goes back."""
        found = self._replay.difference or self._replay.deviation
        if found is None or self.fault:
            return
        told = None if found.replayed is None else found.replayed.told()
        did_the_same = told == found.recorded.told()
        what = "it has other values" if did_the_same else "it does something else"
        when = f"at {found.recorded.time:.2f} s"
        self.fault = f"The replay differs from the recording {when}: {what}.\n{found}"

    def machine(self, name: str) -> Fsm[Any] | None:
        """Return the machine of that name as it is now; None if it is not there."""
        self._look()
        return next((fsm for fsm, known in self._naming.names.items() if known == name), None)

    def _look(self) -> None:
        """Name the machines that are there now, as the recording does."""
        machines = self._replay.machines
        if machines is not self._machines:
            self._machines, self._naming, self._charts = machines, MachineNames(), {}
        list(self._naming.add(members(machines)))

    def _chart(self, name: str, fsm: Fsm[Any]) -> Chart:
        if name not in self._charts:
            self._charts[name] = Chart(fsm, self._naming.names)
        chart = self._charts[name]
        before = chart.version
        chart.update()
        if chart.version != before:  # the definition has changed: look at the drawing again
            self._versions.pop(name, None)
        for machine in chart.machines:
            list(self._naming.add_inside(machine))
        return chart

    def _reader(self, name: str) -> PartReader:
        if name not in self._readers:
            self._readers[name] = PartReader(lambda: name, lambda _: None)
        return self._readers[name]

    def _version(self, name: str, chart: Chart) -> int:
        """Return the version of a drawing: one that looks the same keeps it."""
        known = self._versions.get(name)
        if known is not None and known[2] is chart:
            return known[1]
        graph, parts = chart.read()
        picture = changed(graph, _empty), parts
        version = known[1] if known is not None and known[0] == picture else chart.version
        self._versions[name] = picture, version, chart
        return version


def _empty(cluster: Cluster) -> Cluster:
    """Return what is drawn of a machine whatever state it is in."""
    return evolve(
        cluster, nodes=tuple(evolve(node, occupants=0, suspended=0) for node in cluster.nodes)
    )


def _text(error: Exception) -> str:
    return shown_error(error)
