"""Reads the model of a picture from machines: their states, transitions and actions.

Machines of the same shape are one part of the picture; parameters that say nothing are left out.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any, Final

from attrs import define, evolve, field

from fsmkit import (
    ERROR,
    FAILED,
    FINISHED,
    Fsm,
    FsmAction,
    FsmGroup,
    FsmState,
    StateGroup,
    Transition,
)
from fsmkit.checking.emissions import Emission, Emissions
from fsmkit.checking.names_in_code import started_states
from fsmkit.checking.transitions import Transitions
from fsmkit.core.words.parameters import parameters, shown_parameter
from fsmkit.diagram.graph import (
    ActionLine,
    Cluster,
    Edge,
    EdgeLabel,
    EventOrigin,
    Graph,
    GroupFrame,
    Reference,
    StateNode,
    any_state_id,
    back_id,
    clusters_of,
    edge_id,
    group_id,
    machine_id,
    source_id,
    state_id,
    target_id,
)
from fsmkit.diagram.selection import unknown
from fsmkit.diagram.wording import abbreviated, function_text
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import MachineNames, inner_machines, is_option, members, option_of
from fsmkit.terminal.console import printable

VARYING: Final = "…"
"""The value of a parameter that differs between machines of the same shape."""

MAX_VALUE_COLUMNS: Final = 26

BODY: Final = "transform"
"""The parameter for the object that an action moves: nearly always the same in a machine."""

VALUES: Final = (
    str, bytes, int, float, complex, tuple, list, dict, set, frozenset, Fsm, type(None),
)  # fmt: skip
"""The types of values that stand for themselves. Others are objects, which may be shared."""

ADDRESS: Final = re.compile(r"<(?:(?:[^<>]|<locals>)*\.)?(\w+) object at 0x[0-9A-Fa-f]+>")
"""The default repr of an object, which differs in every run."""


def read(
    machine: Fsm[Any] | FsmGroup,
    *,
    actions: bool = False,
    notes: Mapping[str, str] | None = None,
    arms_as_one: bool = False,
    senders: bool = False,
) -> Graph:
    """Return the model of `machine`. Machines of a group with the same shape are one cluster.

    With `arms_as_one`, so are those that one state runs. With `senders`, labels say which actions
    send their events. Raises ValueError if there is a note for a state that does not exist.
    """
    reader = _Reader(actions, notes or {}, arms_as_one, senders)
    graph = merged([*reader.clusters(members(machine))])
    names = [node.name for cluster in clusters_of(graph) for node in cluster.nodes]
    for name in reader.notes:
        if name not in names:
            raise unknown("notes", "state", name, names)
    return graph


@define
class _Reader:
    """Reads each machine once, where it is found first."""

    with_actions: bool
    notes: Mapping[str, str]
    arms_as_one: bool
    with_senders: bool
    _machine_names: MachineNames = field(factory=MachineNames, init=False)
    _seen: set[Fsm[Any]] = field(factory=set, init=False)
    _started: dict[FsmState[Any], dict[str, None]] = field(factory=dict, init=False)
    """State -> the names of the states that may start its machine there."""

    def clusters(self, machines: Iterable[Fsm[Any]]) -> Iterator[Cluster]:
        """Yield the machines, without those that are nested in an earlier one."""
        for machine in machines:
            if machine not in self._seen:
                for _, each, _ in self._machine_names.add([machine]):  # names them all
                    self._add_starts(each)
                yield self._cluster(machine)

    def _cluster(self, machine: Fsm[Any]) -> Cluster:
        self._seen.add(machine)
        name = self._machine_names.names[machine]
        states = walk.states(machine)
        hidden = _repeated_parameters(machine) if self.with_actions else frozenset()
        senders = _Senders(machine) if self.with_senders else None
        return Cluster(
            id=machine_id(name),
            names=(machine.name,),
            count=1,
            nodes=tuple(self._node(name, state, hidden) for state in states),
            edges=tuple(edge for state in states for edge in _edges(name, state, senders)),
            any_state=any_state_id(name),
            global_edges=tuple(_edges(name, machine, senders)),
            back=back_id(name),
            machines=(name,),
            frames=tuple(_frames(name, machine)),
            group_edges=tuple(
                edge for group in walk.groups(machine) for edge in _edges(name, group, senders)
            ),
        )

    def _node(self, machine: str, state: FsmState[Any], hidden: frozenset[str]) -> StateNode:
        runs = [self._inner(machine) for machine in dict.fromkeys(inner_machines(state))]
        if self.arms_as_one:
            clusters = merged([each for each in runs if isinstance(each, Cluster)])
            runs = [*clusters, *(each for each in runs if isinstance(each, Reference))]
        return StateNode(
            id=state_id(machine, state.name),
            name=state.name,
            is_start=state is walk.states(state.fsm)[0],
            is_final=state.final,
            occupants=int(state is state.fsm.current_state),
            suspended=int(state in state.fsm.suspended),
            actions=tuple(_action_lines(state, hidden)) if self.with_actions else (),
            runs=tuple(runs),
            notes=(*_tags(state), *([note] if (note := self.notes.get(state.name)) else ())),
            is_failure=state.failed,
            started_by=tuple(self._started.get(state, ())),
        )

    def _add_starts(self, machine: Fsm[Any]) -> None:
        for state in walk.states(machine):
            for action in walk.actions(state):
                for started in started_states(action):
                    self._started.setdefault(started, {})[state.name] = None

    def _inner(self, machine: Fsm[Any]) -> Cluster | Reference:
        if machine in self._seen:
            return Reference(machine_id(self._machine_names.names[machine]), machine.name)
        return self._cluster(machine)


def _frames(name: str, machine: Fsm[Any]) -> Iterator[GroupFrame]:
    """Yield the groups; a state stands in the frame of the first one that it is in."""
    for group in walk.groups(machine):
        inside = (state for state in group if walk.groups(state)[0] is group)
        yield GroupFrame(
            group_id(name, group.name),
            group.name,
            tuple(state.name for state in group),
            tuple(state_id(name, state.name) for state in inside),
        )


def _tags(state: FsmState[Any]) -> list[str]:
    """Return a line about the groups that a state is in beside the first."""
    others = [group.name for group in walk.groups(state)[1:]]
    return [f"also in {', '.join(others)}"] if others else []


def _edges(machine: str, owner: walk.TransitionOwner, senders: _Senders | None) -> Iterator[Edge]:
    source = source_id(machine, owner)
    labels: dict[str, list[EdgeLabel]] = {}
    for event, same in walk.table(owner).items():
        kinds = senders.of(event, owner) if senders is not None else ()
        for number, transition in enumerate(same, start=1):
            label = _label(transition, number if len(same) > 1 else 0, kinds)
            labels.setdefault(target_id(machine, transition), []).append(label)
    for target, together in labels.items():
        yield Edge(edge_id(source, target), source, target, tuple(together))


def _label(transition: Transition[Any], place: int, senders: tuple[str, ...]) -> EdgeLabel:
    event, functions = transition.event, (transition.when, transition.do)
    guard, effect = (function_text(function) if function else "" for function in functions)
    origin: EventOrigin = "action" if senders else "outside"
    if event in (FINISHED, FAILED, ERROR):
        origin = "itself"
    return EdgeLabel(event, place, guard, effect, transition.suspend, origin, senders)


class _Senders:
    """The actions of a machine that send it events: as they declare, or as their code shows."""

    def __init__(self, machine: Fsm[Any]) -> None:
        self._kinds: dict[tuple[FsmState[Any] | None, str], dict[str, None]] = {}
        self._late: dict[str, dict[str, None]] = {}
        """Event -> those whose event may come when another state is the current one."""
        for sent in Emissions(Transitions(machine)).every():
            if _is_to(machine, sent):
                self._add(sent)

    def of(self, event: str, owner: walk.TransitionOwner) -> tuple[str, ...]:
        """Return the kinds of the actions that send `event` in a state, each once.

        A group, or a machine, stands for its states. That includes actions of other states whose
        event may come late.
        """
        states: Iterable[FsmState[Any] | None] = (None,)
        if not isinstance(owner, Fsm):
            states = owner.states if isinstance(owner, StateGroup) else (owner,)
        own = {kind: None for state in states for kind in self._kinds.get((state, event), ())}
        return tuple({**own, **self._late.get(event, {})})

    def _add(self, sent: Emission) -> None:
        kind = {printable(type(sent.action).__name__): None}
        for state in (sent.state, None):
            self._kinds.setdefault((state, sent.event), {}).update(kind)
        if not sent.is_here:
            self._late.setdefault(sent.event, {}).update(kind)


def _is_to(machine: Fsm[Any], sent: Emission) -> bool:
    to = sent.receiver
    return machine in to if isinstance(to, FsmGroup) else to is machine


def _repeated_parameters(machine: Fsm[Any]) -> frozenset[str]:
    """Return the names of the parameters that say the same in every action of `machine`.

    These are the body, and those for which several actions, all that have them, were given the same
    object.
    """
    given: dict[str, list[object]] = {}
    for action in walk.actions(machine):
        for name, value in parameters(action).items():
            given.setdefault(name, []).append(value)
    shared = {name for name, values in given.items() if _is_shared(values)}
    return frozenset({BODY, *shared})


def _is_shared(values: Sequence[object]) -> bool:
    first = values[0]
    is_object = not isinstance(first, VALUES) and not callable(first)
    return is_object and len(values) > 1 and all(value is first for value in values)


def _action_lines(state: FsmState[Any], hidden: frozenset[str]) -> Iterator[ActionLine]:
    """Yield the actions, each before its children, without the `hidden` parameters."""
    for path, action in walk.paths(state):
        kind = printable(type(action).__name__)
        yield ActionLine(path.count("/"), kind, tuple(_shown_parameters(action, hidden)))


def _shown_parameters(action: FsmAction[Any], hidden: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield names and values in the order in which a call names them; of an option, these first."""
    option = option_of(action)
    for name, value in parameters(option).items() if option is not None else ():
        if value is not action:
            yield name, _value_text(option, name, value)
    given = parameters(action)
    children = {id(child) for child in walk.own_actions(action)}
    try:
        order = [name for name in signature(type(action)).parameters if name in given]
    except (TypeError, ValueError):  # a class may hide its signature
        order = []
    for name in dict.fromkeys([*order, *given]):
        if name not in hidden and not _is_among(children, given[name]):
            yield name, _value_text(action, name, given[name])


def _is_among(children: set[int], value: object) -> bool:
    """Return True if `value` is one or several of the children, which have their own lines."""
    if isinstance(value, (list, tuple)) and value:
        members = [each.action if is_option(each) else each for each in value]
        return all(id(member) in children for member in members)
    return id(value) in children


def _value_text(action: object, name: str, value: object) -> str:
    try:
        text = value.name if isinstance(value, Fsm) else shown_parameter(action, name, value)
    except Exception:  # a user's class may have a failing __repr__
        text = type(value).__name__
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", ADDRESS.sub(r"\1", printable(text)))
    return abbreviated(text, MAX_VALUE_COLUMNS)


def merged(clusters: Sequence[Cluster]) -> Graph:
    """Return the clusters, with those of the same shape merged into one.

    Machines have the same shape if they differ at most in their names, their current states and
    the values of their actions' parameters.
    """
    families: dict[Hashable, list[Cluster]] = {}
    for cluster in clusters:
        families.setdefault(_shape(cluster), []).append(cluster)
    return tuple(map(_merged_cluster, families.values()))


def _shape(cluster: Cluster | Reference) -> Hashable:
    if isinstance(cluster, Reference):
        return cluster.title
    numbers = {node.id: number for number, node in enumerate(cluster.nodes)}
    edges = cluster.all_edges
    return (
        cluster.count,
        tuple(map(_shape_of_node, cluster.nodes)),
        tuple((numbers.get(e.source), numbers.get(e.target), e.labels) for e in edges),
        tuple((frame.name, frame.states) for frame in cluster.frames),
    )


def _shape_of_node(node: StateNode) -> Hashable:
    actions = tuple(
        (line.depth, line.name, tuple(name for name, _ in line.parameters)) for line in node.actions
    )
    return node.name, node.is_final, node.is_failure, actions, tuple(map(_shape, node.runs))


def _merged_cluster(family: Sequence[Cluster]) -> Cluster:
    if len(family) == 1:
        return family[0]
    return evolve(
        family[0],
        names=tuple(dict.fromkeys(name for cluster in family for name in cluster.names)),
        count=sum(cluster.count for cluster in family),
        machines=tuple(name for cluster in family for name in cluster.machines),
        nodes=tuple(map(_merged_node, zip(*(cluster.nodes for cluster in family), strict=True))),
    )


def _merged_node(same: tuple[StateNode, ...]) -> StateNode:
    node = evolve(
        same[0],
        occupants=sum(node.occupants for node in same),
        suspended=sum(node.suspended for node in same),
        among=sum(node.among for node in same),
        actions=tuple(map(_merged_action, zip(*(node.actions for node in same), strict=True))),
        runs=tuple(map(_merged_inner, zip(*(node.runs for node in same), strict=True))),
    )
    own = (note for note in same[0].notes if note not in same[0].counts)
    return evolve(node, notes=(*node.counts, *own))


def _merged_action(same: tuple[ActionLine, ...]) -> ActionLine:
    columns = zip(*(line.parameters for line in same), strict=True)
    shown = (column[0] if len({*column}) == 1 else (column[0][0], VARYING) for column in columns)
    return evolve(same[0], parameters=tuple(shown))


def _merged_inner(same: tuple[Cluster | Reference, ...]) -> Cluster | Reference:
    clusters = [inner for inner in same if isinstance(inner, Cluster)]
    return _merged_cluster(clusters) if clusters else same[0]
