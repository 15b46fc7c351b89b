"""KeptPlaces: where states have been dragged to on pages, in a file or for the session only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from attrs import define, evolve, field

from fsmkit.core.checks import arguments
from fsmkit.diagram.graph import Cluster, Graph, changed
from fsmkit.diagram.positions import (
    FARTHEST,
    PlacesByMachine,
    read_positions,
    write_positions,
)
from fsmkit.inspector.live.requests.page_request import PageAnswer, RequestError

NamedMachines: TypeAlias = Callable[[], Iterable[tuple[str, tuple[str, ...]]]]
"""Returns the names of machines, nested ones included, with the names of their states."""


@define(eq=False)
class KeptPlaces:
    """Keeps places of states. Machines with the same states have the same places.

    They are kept for the first of these machines: `fsmkit draw` draws machines of one shape as one.
    Belongs to the thread that answers requests.
    """

    machines: NamedMachines | None = None
    """None: those that have been drawn."""
    check: Callable[[str], object] = lambda _name: None
    """Raises RequestError for the name of a machine that is not there."""
    path: Path | None = None
    """The file that keeps them; None: they are kept for this session."""
    version: int = field(default=0, init=False)
    """A new number whenever a place has changed."""
    _places: PlacesByMachine = field(factory=dict, init=False)
    _drawn: dict[str, tuple[str, ...]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        if self.path is not None:
            self._places = read_positions(self.path)

    def applied(self, graph: Graph, parts: dict[str, Any]) -> Graph:
        """Return the graph that a page shows, with states in their places."""
        for name in {fact["machine"] for fact in parts["nodes"].values()}:
            facts = parts["nodes"].values()
            self._drawn[name] = tuple(each["state"] for each in facts if each["machine"] == name)
        if not self._places:
            return graph
        names = {id_: fact["machine"] for id_, fact in parts["clusters"].items()}
        return changed(graph, lambda cluster: self._placed(cluster, names.get(cluster.id, "")))

    def _placed(self, cluster: Cluster, name: str) -> Cluster:
        own = self._places.get(self._first_like(name), {})
        if not own:
            return cluster
        nodes = (evolve(node, place=own.get(node.name)) for node in cluster.nodes)
        return evolve(cluster, nodes=tuple(nodes))

    def _first_like(self, name: str) -> str:
        """Return the name of the first machine with the same states."""
        machines = self._known()
        own = machines.get(name)
        return next((each for each, states in machines.items() if states == own), name)

    def _known(self) -> dict[str, tuple[str, ...]]:
        return self._drawn if self.machines is None else dict(self.machines())

    # Requests

    def keep_place(self, machine: str, state: str, x: float, y: float) -> PageAnswer:
        """Keep a state in a place: its centre, in points from the corner of its machine."""
        if state not in self._states(machine):
            raise RequestError(f"{machine!r} has no state {state!r}.")
        place = (
            arguments.number(x, "x", least=-FARTHEST, most=FARTHEST, error=RequestError),
            arguments.number(y, "y", least=-FARTHEST, most=FARTHEST, error=RequestError),
        )
        rounded = round(place[0], 1), round(place[1], 1)
        self._places.setdefault(self._first_like(machine), {})[state] = rounded
        return self._changed()

    def free_places(self, machine: str) -> PageAnswer:
        """Let the states of a machine, and of those inside it, be laid out freely again."""
        self._states(machine)
        first = self._first_like(machine)
        for name in [*self._places]:
            if name == first or name.startswith(f"{first}/"):
                del self._places[name]
        return self._changed()

    def _states(self, machine: str) -> tuple[str, ...]:
        self.check(machine)
        states = self._known().get(machine)
        if states is None:
            raise RequestError(f"{machine!r} is not on display.")
        return states

    def _changed(self) -> PageAnswer:
        self.version += 1
        if self.path is None:
            return {"kept": "for this session"}
        try:
            write_positions(self.path, self._places)
        except OSError as error:
            reason = error.strerror or str(error)
            raise RequestError(f"{self.path.name!r} cannot be written: {reason}.") from None
        return {"kept": f"in {self.path.name}"}
