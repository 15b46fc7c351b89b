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
    suspended: int
    """The number of machines that will go back to it."""
    actions: tuple[ActionLine, ...]
    runs: tuple[Cluster | Reference, ...]
    """The machines that its actions run."""
    notes: tuple[str, ...]
    """Additional lines."""

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that apply to it: `start`, `current`, `suspended`, `final`."""
        marks = {
            "start": self.is_start,
            "current": self.occupants,
            "suspended": self.suspended,
            "final": self.is_final,
        }
        return tuple(mark for mark, holds in marks.items() if holds)


@frozen
class Label:
    """What leads along an edge: an event, and what there is to its transition."""

    event: str
    place: int = 0
    """The place in which it is asked, from 1, if the event has several transitions; otherwise 0."""
    guard: str = ""
    effect: str = ""
    suspends: bool = False

    @property
    def is_plain(self) -> bool:
        """True if it is the event alone."""
        return self == Label(self.event)


@frozen
class Edge:
    """The transitions from one node to another, or to itself."""

    id: str
    source: str
    target: str
    labels: tuple[Label, ...]

    @property
    def events(self) -> tuple[str, ...]:
        """The events, each once."""
        return tuple(dict.fromkeys(label.event for label in self.labels))

    @property
    def suspends(self) -> bool:
        """True if all of its transitions suspend the state that they lead away from."""
        return all(label.suspends for label in self.labels)


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
    back: str
    """The id of the node that transitions to `BACK` lead to."""

    @property
    def leads_back(self) -> bool:
        """True if there are transitions to `BACK`."""
        return any(edge.target == self.back for edge in (*self.edges, *self.global_edges))

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
