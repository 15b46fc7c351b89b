"""The model of a picture: the things to draw, whatever the format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import frozen


@frozen
class ActionLine:
    """An action of a state, or a child of one."""

    depth: int
    """The number of actions around it."""
    name: str
    parameters: tuple[tuple[str, str], ...]
    """Name and value as they are shown."""


@frozen
class Node:
    """A state."""

    id: str
    name: str
    is_start: bool
    is_final: bool
    occupants: int
    """The number of machines in it now."""
    actions: tuple[ActionLine, ...]
    runs: tuple[Cluster | Reference, ...]
    """The machines that its actions run."""
    notes: tuple[str, ...]
    """Additional lines."""

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that apply to it: `start`, `current`, `final`."""
        marks = {"start": self.is_start, "current": self.occupants, "final": self.is_final}
        return tuple(mark for mark, holds in marks.items() if holds)


@frozen
class Edge:
    """The transitions from one node to another, or to itself."""

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
    """The number of machines it stands for."""
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    any_state: str
    """The id of the node that global transitions come from."""
    global_edges: tuple[Edge, ...]

    @property
    def title(self) -> str:
        """The names, and the number of machines if that is larger."""
        title = ", ".join(self.names[:3])
        if len(self.names) > 3:
            title += f" and {len(self.names) - 3} more"
        return title if self.count == len(self.names) else f"{title} ×{self.count}"

    def with_nested(self) -> Iterator[Cluster]:
        """Yield the cluster and those inside it."""
        yield self
        for node in self.nodes:
            for inner in node.runs:
                if isinstance(inner, Cluster):
                    yield from inner.with_nested()


@frozen
class Reference:
    """A machine that is drawn elsewhere in the picture."""

    id: str
    title: str


Graph: TypeAlias = tuple[Cluster, ...]
"""The outermost machines."""
