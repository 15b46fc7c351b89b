"""The model of a picture: the things to draw, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from attrs import evolve, field, frozen

from fsmkit import FAILED, Fsm, FsmState, StateGroup, Transition
from fsmkit.checking import Finding
from fsmkit.introspection import walk

EventOrigin: TypeAlias = Literal["itself", "action", "outside"]
"""Who sends an event: the machine itself (`FINISHED`, `FAILED`, `ERROR`), an action of the state,
or code outside the machine."""


@frozen
class ActionLine:
    depth: int
    """The number of actions around it."""
    name: str
    parameters: tuple[tuple[str, str], ...]
    """Name and value as they are shown."""


@frozen
class Stay:
    entered: int
    seconds: float | None
    """None if the times are not known."""
    share: float
    """The share of the time that its machine was running, from 0 to 1."""


@frozen
class StateNode:
    id: str
    name: str
    is_start: bool
    is_final: bool
    occupants: int
    """The number of machines in it now."""
    suspended: int
    """The number of machines in which it is suspended."""
    actions: tuple[ActionLine, ...]
    runs: tuple[Cluster | Reference, ...]
    """The machines that its actions run."""
    notes: tuple[str, ...]
    """Additional lines."""
    findings: tuple[Finding, ...] = ()
    """The findings of a check about it."""
    stay: Stay | None = None
    """Its usage in recordings; None without any."""
    among: int = 1
    """The number of machines drawn as one that have it."""
    is_failure: bool = False
    """True if it is final, and the machine has failed there."""
    started_by: tuple[str, ...] = ()
    """The names of the states around the machine whose actions may start it here: `start=`."""
    place: tuple[float, float] | None = None
    """Where its centre is kept, in points from the upper left corner of its machine."""

    @property
    def counts(self) -> tuple[str, ...]:
        """Of several machines: how many are in it, and how many are suspended there."""
        counts = {
            f"{self.occupants} of {self.among}": self.occupants,
            f"{self.suspended} suspended": self.suspended,
        }
        return tuple(text for text, count in counts.items() if count and self.among > 1)

    @property
    def marks(self) -> tuple[str, ...]:
        marks = {
            "start": self.is_start,
            "current": self.occupants,
            "suspended": self.suspended,
            "final": self.is_final,
            "failure": self.is_failure,
        }
        return tuple(mark for mark, holds in marks.items() if holds)


@frozen
class EdgeLabel:
    event: str
    place: int = 0
    """The place in which it is asked, from 1, if the event has several transitions; otherwise 0."""
    guard: str = ""
    effect: str = ""
    suspends: bool = False
    origin: EventOrigin = field(default="outside", eq=False)
    senders: tuple[str, ...] = field(default=(), eq=False)
    """The kinds of the actions that send it, each once."""
    findings: tuple[Finding, ...] = field(default=(), eq=False)
    taken: int | None = field(default=None, eq=False)
    """How often it was taken in recordings; None without any."""
    refused: int = field(default=0, eq=False)
    """How often its guards refused the event."""
    sent: tuple[tuple[str, int], ...] = field(default=(), eq=False)
    """The senders in recordings, each with a count; the sender is empty for code outside."""

    @property
    def is_plain(self) -> bool:
        """True if it is the event alone, and nothing is wrong with it."""
        return self == EdgeLabel(self.event) and not self.findings


@frozen
class Edge:
    id: str
    source: str
    target: str
    labels: tuple[EdgeLabel, ...]
    tail: str = ""
    """The id of the tag that it is drawn from; empty if it is drawn from its source."""
    head: str = ""
    """The id of the tag that it is drawn to; empty if it is drawn to its target."""
    sources: tuple[str, ...] = ()
    """The names of the states that it leads away from, if it stands for several arrows."""

    @property
    def taken(self) -> int | None:
        counts = [label.taken for label in self.labels if label.taken is not None]
        return sum(counts) if counts else None

    @property
    def events(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(label.event for label in self.labels))

    @property
    def is_for_failures(self) -> bool:
        """True if all of its transitions are for `FAILED`."""
        return self.events == (FAILED,)

    @property
    def suspends(self) -> bool:
        """True if all of its transitions suspend the state that they lead away from."""
        return all(label.suspends for label in self.labels)


TagKind: TypeAlias = Literal["stub", "bundle", "any-state"]


@frozen
class Tag:
    """A small node that stands for states which are drawn elsewhere, so that an arrow is short."""

    id: str
    kind: TagKind
    text: str
    names: tuple[str, ...] = ()
    """The names of the states."""
    leads_to: str = ""
    """The id of the node that it stands for, if it is a single one."""


@frozen
class GroupFrame:
    """A group of states. Its frame is drawn around those that are in no earlier group."""

    id: str
    name: str
    states: tuple[str, ...]
    """The names of all of them."""
    inside: tuple[str, ...]
    """The ids of those in the frame; empty if there is none, and its arrows come from a tag."""

    def tail_of(self, edge: Edge) -> str:
        """Return the id of the state that an arrow is drawn from, or else that of the tag.

        An arrow from the frame cannot lead into it.
        """
        is_outwards = bool(self.inside) and edge.target not in self.inside
        return self.inside[-1] if is_outwards else self.tag

    @property
    def tag(self) -> str:
        """The id of the small node that arrows come from which cannot come from the frame."""
        return f"{self.id}___any"


@frozen
class Cluster:
    """A machine, or several of the same shape."""

    id: str
    names: tuple[str, ...]
    """The names of the machines, each once."""
    count: int
    """The number of machines it stands for."""
    nodes: tuple[StateNode, ...]
    edges: tuple[Edge, ...]
    any_state: str
    """The id of the node that global transitions come from."""
    global_edges: tuple[Edge, ...]
    back: str
    """The id of the node that transitions to `BACK` lead to."""
    machines: tuple[str, ...] = ()
    """The name of each machine among all that are drawn: `Guard`, `Guard/Fight`, `Guard #2`."""
    findings: tuple[Finding, ...] = ()
    """The findings of a check about the machine as a whole."""
    tags: tuple[Tag, ...] = ()
    captions: tuple[str, ...] = ()
    """Quiet lines below the title of the picture."""
    frames: tuple[GroupFrame, ...] = ()
    group_edges: tuple[Edge, ...] = ()
    """The transitions of its groups: their source is a frame."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids that each of its machines has if it is drawn alone."""
        return tuple(map(machine_id, self.machines))

    @property
    def start(self) -> str:
        """The id of the state that it starts in; empty if that is not in the picture."""
        return next((node.id for node in self.nodes if node.is_start), "")

    @property
    def all_edges(self) -> tuple[Edge, ...]:
        return (*self.edges, *self.group_edges, *self.global_edges)

    @property
    def leads_back(self) -> bool:
        return any(edge.target == self.back for edge in self.all_edges)

    @property
    def title(self) -> str:
        """The names, and the number of machines if that is larger."""
        title = ", ".join(self.names[:3])
        if len(self.names) > 3:
            title += f" and {len(self.names) - 3} more"
        return title if self.count == len(self.names) else f"{title} ×{self.count}"

    def with_nested(self) -> Iterator[Cluster]:
        yield self
        for node in self.nodes:
            for inner in node.runs:
                if isinstance(inner, Cluster):
                    yield from inner.with_nested()


@frozen
class Reference:
    id: str
    title: str


Graph: TypeAlias = tuple[Cluster, ...]
"""The outermost machines."""


def clusters_of(graph: Graph) -> Iterator[Cluster]:
    """Yield all machines, each before those inside it."""
    for cluster in graph:
        yield from cluster.with_nested()


def changed(graph: Graph, change: Callable[[Cluster], Cluster]) -> Graph:
    """Return `graph` with every machine changed, the inner ones before the outer ones."""
    return tuple(_changed(cluster, change) for cluster in graph)


def _changed(cluster: Cluster, change: Callable[[Cluster], Cluster]) -> Cluster:
    nodes = (with_inner(node, lambda inner: _changed(inner, change)) for node in cluster.nodes)
    return change(evolve(cluster, nodes=tuple(nodes)))


def with_inner(node: StateNode, change: Callable[[Cluster], Cluster]) -> StateNode:
    if not node.runs:
        return node
    runs = (change(inner) if isinstance(inner, Cluster) else inner for inner in node.runs)
    return evolve(node, runs=tuple(runs))


# Ids, made of names alone: new parts of a picture do not change them.
#
# `machine` is the name of a machine among all that are drawn: its own name, `Guard/Fight` for a
# nested machine, `Guard #2` for a namesake, as `fsmkit.introspection.nesting` assigns them.


def machine_id(machine: str) -> str:
    """Return the id of a machine.

    >>> machine_id("Guard/Fight")
    'cluster_Guard_2f_Fight'
    """
    return f"cluster_{_encoded(machine)}"


def state_id(machine: str, state: str) -> str:
    """Return the id of a state, unique for any name.

    >>> state_id("Guard", "Patrol"), state_id("Guard", "Go home!")
    ('Guard__Patrol', 'Guard__Go_20_home_21_')
    """
    return f"{_encoded(machine)}__{_encoded(state)}"


def group_id(machine: str, group: str) -> str:
    """Return the id of the frame of a group of states.

    >>> group_id("Guard", "Alive")
    'cluster_Guard__Alive'
    """
    return f"cluster_{state_id(machine, group)}"


def any_state_id(machine: str) -> str:
    """Return the id of the node "any state".

    >>> any_state_id("Guard")
    'Guard__'
    """
    return state_id(machine, "")


def back_id(machine: str) -> str:
    """Return the id of the node "back", where transitions to `BACK` lead.

    >>> back_id("Guard")
    'Guard___back'
    """
    return f"{any_state_id(machine)}_back"


def source_id(machine: str, owner: walk.TransitionOwner) -> str:
    """Return the id of what the transitions of a state, of a group or of the machine come from.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard")
    >>> [source_id("Guard", owner) for owner in (fsm, fsm.add_state("Dead"), fsm.add_group("All"))]
    ['Guard__', 'Guard__Dead', 'cluster_Guard__All']
    """
    if isinstance(owner, Fsm):
        return any_state_id(machine)
    identify = group_id if isinstance(owner, StateGroup) else state_id
    return identify(machine, owner.name)


def target_id(machine: str, transition: Transition[Any]) -> str:
    """Return the id of the node that `transition` leads to: a state, or "back".

    >>> from fsmkit import BACK, Fsm
    >>> pause = Fsm("Game").add_state("Pause")
    >>> target_id("Game", pause.add_transition("AGAIN", pause))
    'Game__Pause'
    >>> target_id("Game", pause.add_transition("RESUME", BACK))
    'Game___back'
    """
    target = transition.target
    return state_id(machine, target.name) if isinstance(target, FsmState) else back_id(machine)


def edge_id(source: str, target: str) -> str:
    """Return the id of the edge between two states with these ids.

    >>> edge_id(state_id("Guard", "Patrol"), state_id("Guard", "Chase"))
    'Guard__Patrol--Guard__Chase'
    """
    return f"{source}--{target}"


def taken_edge_id(
    machine: str, source: FsmState[Any] | None, target: str | None, event: str
) -> str:
    """Return the id of the edge that `event` has taken from a state; None stands for `BACK`.

    A `source` of None is any state, as that of a global transition.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard")
    >>> patrol, dead = fsm.add_state("Patrol"), fsm.add_state("Dead")
    >>> _ = fsm.add_global_transition("KILLED", dead)
    >>> taken_edge_id("Guard", patrol, "Dead", "KILLED")
    'Guard__--Guard__Dead'
    """
    end = back_id(machine) if target is None else state_id(machine, target)
    for each in () if source is None else walk.asked(source, event):
        if target_id(machine, each.transition) == end:
            return edge_id(source_id(machine, each.owner), end)
    return edge_id(any_state_id(machine), end)


def bundle_id(any_state: str, target: str, event: str) -> str:
    """Return the id of the node that many arrows for `event` come from as one.

    >>> bundle_id(any_state_id("Guard"), state_id("Guard", "Dead"), "KILLED")
    'Guard___from_KILLED--Guard__Dead'
    """
    return f"{any_state}_from_{_encoded(event)}--{target}"


def tag_id(edge: str) -> str:
    """Return the id of the small node that an arrow with the id `edge` is drawn to or from.

    >>> tag_id(edge_id(state_id("Guard", "Chase"), state_id("Guard", "Patrol")))
    'Guard__Chase--Guard__Patrol--tag'
    """
    return f"{edge}--tag"


@lru_cache(maxsize=10_000)
def _encoded(name: str) -> str:
    """Keep ASCII letters and digits, write others as their code points: `_20_` is a blank."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)
