"""The model of a picture: what there is to draw, whatever the format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import frozen


@frozen
class ActionLine:
    """An action of a state, or one inside another."""

    depth: int
    """How many actions it is inside of."""
    name: str
    parameters: tuple[tuple[str, str], ...]
    """Name and value, as they are shown."""


@frozen
class Node:
    """A state."""

    id: str
    name: str
    is_start: bool
    is_final: bool
    present: int
    """How many machines are in it now."""
    actions: tuple[ActionLine, ...]
    runs: tuple[Cluster | Reference, ...]
    """The machines that its actions run."""
    notes: tuple[str, ...]
    """More lines about it."""

    @property
    def marks(self) -> tuple[str, ...]:
        """What is special about it: `start`, `current`, `final`."""
        marks = {"start": self.is_start, "current": self.present, "final": self.is_final}
        return tuple(mark for mark, holds in marks.items() if holds)


@frozen
class Edge:
    """All transitions that lead from one node to one other, or to itself."""

    id: str
    source: str
    target: str
    events: tuple[str, ...]


@frozen
class Cluster:
    """A machine, or several of the same shape."""

    id: str
    names: tuple[str, ...]
    """The names of the machines, each once."""
    count: int
    """How many machines it stands for."""
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    any_state: str
    """The id of the node that global transitions come from."""
    global_edges: tuple[Edge, ...]

    @property
    def title(self) -> str:
        """The names, and how many machines there are if that is more."""
        title = ", ".join(self.names[:3])
        if len(self.names) > 3:
            title += f" and {len(self.names) - 3} more"
        return title if self.count == len(self.names) else f"{title} ×{self.count}"

    def everything(self) -> Iterator[Cluster]:
        """The cluster and those inside it."""
        yield self
        for node in self.nodes:
            for inner in node.runs:
                if isinstance(inner, Cluster):
                    yield from inner.everything()


@frozen
class Reference:
    """A machine that is drawn somewhere else in the picture."""

    id: str
    title: str


Graph: TypeAlias = tuple[Cluster, ...]
"""The outermost machines."""
