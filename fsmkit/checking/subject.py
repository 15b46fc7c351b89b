"""Subject: a machine to check, and the machines around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import ERROR, Fsm, FsmAction, FsmGroup, FsmState, Transition
from fsmkit.checking.entering import Entering, InstantChange
from fsmkit.checking.events import may_take
from fsmkit.checking.finding import Finding, Place, Severity
from fsmkit.checking.graph import components
from fsmkit.checking.inputs import Inputs
from fsmkit.checking.locating import line_of
from fsmkit.checking.sending import Sending
from fsmkit.checking.spelling import Spelling
from fsmkit.checking.ways import Ways, all_ways, targets_in
from fsmkit.tooling.nesting import MachineNames, members
from fsmkit.tooling.places import Places

ANY: Final = "any state"
"""Stands in a graph for the global transitions, which lead away from any state."""


@frozen(eq=False)
class Subject:
    """A machine to check."""

    machine: Fsm[Any]
    name: str
    outer: tuple[Fsm[Any], ...]
    """The machines that it is nested in, each in some state."""
    is_exited_from_outside: bool
    """True if a machine around it may end its run."""
    is_member: bool
    """True if it is a member of the group that is checked."""
    hosts: tuple[FsmAction[Any], ...]
    """The actions of states that run it."""
    places: Places | None
    """The lines of code that built it, if they have been noted."""
    inputs: Inputs | None
    """The events that come from outside, if they have been named."""

    @property
    def states(self) -> tuple[FsmState[Any], ...]:
        """The states of the machine."""
        return self.ways.states

    @cached_property
    def ways(self) -> Ways:
        """The transitions of the machine."""
        return Ways(self.machine)

    def in_order(self, states: Iterable[FsmState[Any]]) -> list[FsmState[Any]]:
        """Return states in the order in which they were added."""
        return sorted(states, key=self._order.__getitem__)

    @cached_property
    def _order(self) -> dict[FsmState[Any], int]:
        return {state: number for number, state in enumerate(self.states)}

    @cached_property
    def sending(self) -> Sending:
        """What the actions of the machine send."""
        return Sending(self.ways)

    @cached_property
    def entering(self) -> Entering:
        """What entering the states of the machine leads to."""
        return Entering(self.ways, self.sending)

    def left_at_once(self, state: FsmState[Any]) -> InstantChange | None:
        """Return the change by which a state is exited whenever it is entered, if there is one.

        States in a chain without end do not count: the machine stays in one of them after all.
        """
        change = self.entering.change_of(state)
        if change is None or not change.is_certain or change.suspends or state in self._looping:
            return None
        return change

    @cached_property
    def edges(self) -> Mapping[FsmState[Any] | str, Sequence[FsmState[Any] | str]]:
        """State -> the states that it may lead to; `ANY` stands for the global transitions."""
        edges: dict[FsmState[Any] | str, Sequence[FsmState[Any] | str]] = {
            state: (*self._targets(state), ANY) for state in self.states
        }
        return edges | {ANY: targets_in(self.ways.shared)}

    def _targets(self, state: FsmState[Any]) -> Sequence[FsmState[Any]]:
        change = self.left_at_once(state)
        if change is None:
            return targets_in(self.ways.own(state))
        return (*change.targets, *targets_in({ERROR: self.ways.own(state).get(ERROR, ())}))

    @cached_property
    def _looping(self) -> set[FsmState[Any]]:
        """The states from which instant changes lead round to themselves."""
        changes = {state: self.entering.change_of(state) for state in self.states}
        edges = {state: change.targets if change else () for state, change in changes.items()}
        groups = components(edges)
        return {
            state for group in groups for state in group if len(group) > 1 or state in edges[state]
        }

    @cached_property
    def spelling(self) -> Spelling:
        """The events that lead somewhere, the global ones first."""
        return Spelling(self._events)

    def knows(self, event: str) -> bool:
        """Return True if some state of the machine, or a nested machine, may take `event`."""
        return event in self._events or any(may_take(state, event) for state in self._listening)

    @cached_property
    def _events(self) -> dict[str, None]:
        """The events that lead somewhere, the global ones first."""
        own = (event for state in self.states for event in self.ways.own(state))
        return dict.fromkeys((*self.ways.shared, *own))

    @cached_property
    def _listening(self) -> tuple[FsmState[Any], ...]:
        """The states with an action that may take events."""
        return tuple(state for state in self.states if any(map(_listens, state.actions)))

    def finding(
        self,
        code: str,
        severity: Severity,
        message: str,
        advice: str,
        *,
        state: FsmState[Any] | None = None,
        action: FsmAction[Any] | None = None,
        event: str | None = None,
        way: Transition[Any] | None = None,
    ) -> Finding:
        """Return a finding about this machine, or about a part of it.

        `way` is the transition that it is about, if there may be several for the event.
        """
        line = None
        if self.places is not None:
            line = line_of(self.places, self.machine, state, action=action, event=event, way=way)
        place = Place(
            self.name,
            None if state is None else state.name,
            None if state is None or action is None else position(state, action),
            event,
            None if line is None else line.file,
            None if line is None else line.line,
        )
        return Finding(code, severity, place, message, advice)


def subjects(
    machines: Fsm[Any] | FsmGroup, places: Places | None, inputs: Iterable[str] | None
) -> Iterator[Subject]:
    """Yield the machines and their nested machines, each once."""
    machine_names = MachineNames()
    found = [(name, machine) for name, machine, _ in machine_names.add(members(machines))]
    hosts = _hosts(machine_names.names)
    named = None if inputs is None else Inputs(inputs, machine_names.names)
    grouped = set(machines) if isinstance(machines, FsmGroup) else set()
    for name, machine in found:
        yield Subject(
            machine,
            name,
            outer=_around(machine, hosts),
            is_exited_from_outside=_is_exited(machine, hosts, set()),
            is_member=machine in grouped,
            hosts=tuple(hosts.get(machine, ())),
            places=places,
            inputs=named,
        )


def position(state: FsmState[Any], action: FsmAction[Any]) -> str:
    """Return the place of an action in `state`: `actions[0] (Sequence), children[2] (Move)`."""
    return next(path for path, member in _paths("actions", state.actions) if member is action)


def _listens(action: FsmAction[Any]) -> bool:
    return type(action).on_event is not FsmAction.on_event


Hosts: TypeAlias = dict[Fsm[Any], list[FsmAction[Any]]]
"""Machine -> the actions of states that run it."""


def _hosts(machines: Iterable[Fsm[Any]]) -> Hosts:
    hosts: Hosts = {}
    for machine in machines:
        for state in machine.states.values():
            for action in state.actions:
                for inner in action.machines:
                    hosts.setdefault(inner, []).append(action)
    return hosts


def _around(machine: Fsm[Any], hosts: Hosts) -> tuple[Fsm[Any], ...]:
    around: dict[Fsm[Any], None] = {}
    waiting = [machine]
    while waiting:
        outer = [host.fsm for host in hosts.get(waiting.pop(), ())]
        waiting.extend(fsm for fsm in outer if fsm not in around)
        around.update(dict.fromkeys(outer))
    return tuple(around)


def _is_exited(machine: Fsm[Any], hosts: Hosts, seen: set[Fsm[Any]]) -> bool:
    """Return True if an action that runs `machine` ends, is ended, or its state is exited."""
    seen.add(machine)
    return any(
        bool(host.children)  # such an action may end what it runs
        or bool(host.state.transitions)
        or any(way.target is not host.state for way in all_ways(host.fsm.global_transitions))
        or (host.fsm not in seen and _is_exited(host.fsm, hosts, seen))
        for host in hosts.get(machine, ())
    )


def _paths(name: str, actions: Sequence[FsmAction[Any]]) -> Iterator[tuple[str, FsmAction[Any]]]:
    for index, action in enumerate(actions):
        path = f"{name}[{index}] ({type(action).__name__})"
        yield path, action
        yield from _paths(f"{path}, children", action.children)
