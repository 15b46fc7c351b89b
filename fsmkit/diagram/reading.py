"""Reads the model of a picture from machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmGroup, FsmState, Transition
from fsmkit.diagram.graph import Cluster, Edge, Graph, Label, Node, Reference
from fsmkit.diagram.ids import any_state_id, back_id, edge_id, machine_id, state_id, target_id
from fsmkit.diagram.merging import merged
from fsmkit.diagram.parameters import action_lines, repeated_parameters
from fsmkit.diagram.senders import Senders, origin_of
from fsmkit.diagram.wording import function_text
from fsmkit.tooling.nesting import MachineNames, members


def read(
    machine: Fsm[Any] | FsmGroup,
    *,
    actions: bool = False,
    notes: Mapping[str, str] | None = None,
    arms_as_one: bool = False,
    senders: bool = False,
) -> Graph:
    """Return the model of `machine`. Machines of a group with the same shape are one cluster.

    With `arms_as_one`, so are those that one state runs. With `senders` it is found out who sends
    each event. Raises ValueError if there is a note for a state that does not exist.
    """
    reader = Reader(actions, notes or {}, arms_as_one, senders)
    graph = merged(list(reader.clusters(members(machine))))
    reader.check_notes(graph)
    return graph


@define
class Reader:
    """Reads each machine once, where it is found first."""

    with_actions: bool
    notes: Mapping[str, str]
    arms_as_one: bool = False
    with_senders: bool = False
    _machine_names: MachineNames = field(factory=MachineNames, init=False)
    _seen: set[Fsm[Any]] = field(factory=set, init=False)

    def clusters(self, machines: Iterable[Fsm[Any]]) -> Iterator[Cluster]:
        """Yield the machines, without those that are nested in an earlier one."""
        for machine in machines:
            if machine not in self._seen:
                list(self._machine_names.add([machine]))  # names them all
                yield self._cluster(machine)

    def check_notes(self, graph: Graph) -> None:
        """Raise ValueError if there is a note for a state that does not exist."""
        names = {n.name: None for top in graph for c in top.with_nested() for n in c.nodes}
        if unknown := [name for name in self.notes if name not in names]:
            known = ", ".join(map(repr, names))
            raise ValueError(f"notes: there is no state {unknown[0]!r}. The states are: {known}.")

    def _cluster(self, machine: Fsm[Any]) -> Cluster:
        self._seen.add(machine)
        name = self._machine_names.names[machine]
        any_state = any_state_id(name)
        hidden = repeated_parameters(machine) if self.with_actions else frozenset()
        senders = Senders(machine) if self.with_senders else None
        return Cluster(
            id=machine_id(name),
            names=(machine.name,),
            count=1,
            nodes=tuple(self._node(name, state, hidden) for state in machine.states.values()),
            edges=tuple(
                edge
                for state in machine.states.values()
                for edge in _edges(name, state, state.transitions, senders)
            ),
            any_state=any_state,
            global_edges=tuple(_edges(name, None, machine.global_transitions, senders)),
            back=back_id(name),
            machines=(name,),
        )

    def _node(self, machine: str, state: FsmState[Any], hidden: frozenset[str]) -> Node:
        inner = [inner for action in state.actions for inner in action.machines]
        runs = tuple(self._inner(machine) for machine in dict.fromkeys(inner))
        return Node(
            id=state_id(machine, state.name),
            name=state.name,
            is_start=state is next(iter(state.fsm.states.values())),
            is_final=state.final,
            occupants=int(state is state.fsm.current_state),
            suspended=int(state in state.fsm.suspended),
            actions=tuple(action_lines(state.actions, hidden)) if self.with_actions else (),
            runs=_as_one(runs) if self.arms_as_one else runs,
            notes=(self.notes[state.name],) if state.name in self.notes else (),
        )

    def _inner(self, machine: Fsm[Any]) -> Cluster | Reference:
        if machine in self._seen:
            return Reference(machine_id(self._machine_names.names[machine]), machine.name)
        return self._cluster(machine)


def _as_one(runs: Sequence[Cluster | Reference]) -> tuple[Cluster | Reference, ...]:
    clusters = merged([inner for inner in runs if isinstance(inner, Cluster)])
    return (*clusters, *(inner for inner in runs if isinstance(inner, Reference)))


def _edges(
    machine: str,
    state: FsmState[Any] | None,
    transitions: Mapping[str, Sequence[Transition[Any]]],
    senders: Senders | None,
) -> Iterator[Edge]:
    """Yield the arrows from a state, or from any state."""
    source = any_state_id(machine) if state is None else state_id(machine, state.name)
    labels: dict[str, list[Label]] = {}
    for event, ways in transitions.items():
        kinds = senders.of(event, state) if senders is not None else ()
        for number, way in enumerate(ways, start=1):
            label = _label(way, number if len(ways) > 1 else 0, kinds)
            labels.setdefault(target_id(machine, way), []).append(label)
    for target, merged_labels in labels.items():
        yield Edge(edge_id(source, target), source, target, tuple(merged_labels))


def _label(way: Transition[Any], place: int, senders: tuple[str, ...]) -> Label:
    guard, effect = (function_text(each) if each else "" for each in (way.when, way.do))
    origin = origin_of(way.event, senders)
    return Label(way.event, place, guard, effect, way.suspend, origin, senders)
