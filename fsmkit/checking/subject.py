"""Subject: a machine to check, and the machines around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final, TypeAlias, TypeVar

from attrs import evolve, frozen

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
from fsmkit.checking.emissions import Emissions
from fsmkit.checking.entry import EntryEffects, InstantChange
from fsmkit.checking.finding import Finding, Place
from fsmkit.checking.names_in_code import code_of, given_functions, mentioned, own_classes
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.spelling import Spelling
from fsmkit.checking.transitions import Transitions, TransitionSource, components, states_in
from fsmkit.core.checks import arguments
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import CodePlace
from fsmkit.introspection.definition_sites import DefinitionSites
from fsmkit.introspection.known_events import handled_events, keeps, may_take, sent_events
from fsmkit.introspection.nesting import MachineNames, members

FindingT = TypeVar("FindingT", bound=Finding)


def line_of(
    places: DefinitionSites,
    machine: Fsm[Any],
    source: TransitionSource,
    *,
    action: FsmAction[Any] | None = None,
    event: str | None = None,
    transition: Transition[Any] | None = None,
) -> CodePlace | None:
    """Return the line that added the action, else the transition, else the state or the group."""
    line = None if action is None else places.of(action)
    if action is None and transition is None and event is not None:
        transition = next(iter(walk.table(source or machine).get(event, ())), None)
    if line is None and transition is not None:
        line = places.of_transition(source or machine, transition)
    return places.of(source) if line is None and source is not None else line


def located(
    findings: Iterable[FindingT], machines: Fsm[Any] | FsmGroup, places: DefinitionSites
) -> Iterator[FindingT]:
    """Yield findings with the lines of code that the names in their places lead to.

    `machines` are those they are about, or others that the same code has built, `places` theirs.
    """
    named = {name: machine for name, machine, _ in MachineNames().add(members(machines))}
    for finding in findings:
        machine = named.get(finding.place.machine)
        line = None if machine is None else _line_of(places, machine, finding.place)
        if finding.place.code is not None or line is None:
            yield finding
        else:
            yield evolve(finding, place=evolve(finding.place, file=line.file, line=line.line))


def _line_of(places: DefinitionSites, machine: Fsm[Any], place: Place) -> CodePlace | None:
    state = machine.states.get(place.state or "")
    found = re.match(r"actions\[(\d+)\]", place.action or "")
    actions = state.actions[int(found[1]) :] if state is not None and found is not None else ()
    source = state or machine.groups.get(place.group or "")
    return line_of(places, machine, source, action=next(iter(actions), None), event=place.event)


class OutsideEvents:
    def __init__(self, events: Iterable[str], machines: Iterable[Fsm[Any]]) -> None:
        self.events = arguments.names(events, "inputs", "events")
        if "" in self.events:
            raise TypeError("inputs must be a list of events, got '' in it.")
        self.machines = tuple(machines)

    def may_come(self, event: str) -> bool:
        return event in (FINISHED, FAILED, ERROR) or event in self.events or event in self.sent

    @cached_property
    def sent(self) -> set[str]:
        """The events that some machine may send: those declared, and every string in its code."""
        words: set[str] = set()
        for machine in self.machines:
            for action in walk.actions(machine, "fixed"):
                words.update(sent_events(action))
            words |= mentioned(_code_in(machine))
        return words

    @cached_property
    def is_open(self) -> bool:
        """True if code sends events whose names cannot be read."""
        return any(
            sent.event is None
            for machine in self.machines
            for emissions in (Emissions(Transitions(machine)),)
            for action in walk.actions(machine, "fixed")
            for reading in emissions.readings(action)
            for sent in reading.sent
        )

    @cached_property
    def spelling(self) -> Spelling:
        return Spelling((*self.events, *sorted(self.sent)))

    @cached_property
    def known(self) -> Spelling:
        return Spelling(chain.from_iterable(map(handled_events, self.machines)))


def _code_in(machine: Fsm[Any]) -> Iterator[object]:
    for action in walk.actions(machine, "fixed"):
        yield from given_functions(action)
        yield from code_of(kind for kind in own_classes(action) if not is_of_library(kind))
        yield from (value for value in vars(action).values() if isinstance(value, str))
    for _, _, _, transition in walk.transitions(machine):
        yield from filter(None, (transition.when, transition.do))
    yield from code_of(kind for kind in type(machine.context).__mro__ if kind is not object)


ANY: Final = "any state"
"""Stands in a graph for the global transitions, which lead away from any state."""


@frozen(eq=False)
class Subject:
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
    suspended_with: tuple[FsmState[Any], ...]
    """The states of machines around it that may be suspended while it runs in them."""
    places: DefinitionSites | None
    """The lines of code that built it, if they have been noted."""
    inputs: OutsideEvents | None
    """The events that come from outside, if they have been named."""

    @property
    def states(self) -> tuple[FsmState[Any], ...]:
        return self.transitions.states

    @cached_property
    def transitions(self) -> Transitions:
        return Transitions(self.machine)

    def in_order(self, states: Iterable[FsmState[Any]]) -> list[FsmState[Any]]:
        return sorted(states, key=self._order.__getitem__)

    @cached_property
    def _order(self) -> dict[FsmState[Any], int]:
        return {state: number for number, state in enumerate(self.states)}

    @cached_property
    def emissions(self) -> Emissions:
        return Emissions(self.transitions)

    @cached_property
    def entry_effects(self) -> EntryEffects:
        return EntryEffects(self.transitions, self.emissions)

    def suspending(self, state: FsmState[Any]) -> list[str]:
        """Return the events that may suspend the state, without those that its actions keep."""
        return _suspending(self.transitions, state)

    def left_at_once(self, state: FsmState[Any]) -> InstantChange | None:
        """Return the change by which a state is exited whenever it is entered, if there is one.

        States in a chain without end do not count: the machine stays in one of them after all.
        """
        change = self.entry_effects.change_of(state)
        if change is None or not change.is_certain or change.suspends or state in self._looping:
            return None
        return change

    @cached_property
    def edges(self) -> Mapping[FsmState[Any] | str, Sequence[FsmState[Any] | str]]:
        """State -> the states that it may lead to; `ANY` stands for the global transitions."""
        edges: dict[FsmState[Any] | str, Sequence[FsmState[Any] | str]] = {
            state: (*self._targets(state), ANY) for state in self.states
        }
        return edges | {ANY: self.transitions.targets(None)}

    def _targets(self, state: FsmState[Any]) -> Sequence[FsmState[Any]]:
        change = self.left_at_once(state)
        if change is None:
            return self.transitions.local_targets(state)
        return (*change.targets, *states_in(self.transitions.of(state, ERROR)))

    @cached_property
    def _looping(self) -> set[FsmState[Any]]:
        """The states from which instant changes lead round to themselves."""
        changes = {state: self.entry_effects.change_of(state) for state in self.states}
        edges = {state: change.targets if change else () for state, change in changes.items()}
        groups = components(edges)
        return {
            state for group in groups for state in group if len(group) > 1 or state in edges[state]
        }

    @cached_property
    def spelling(self) -> Spelling:
        return Spelling(self._events)

    def knows(self, event: str) -> bool:
        """Return True if some state of the machine, or a nested machine, may take `event`."""
        return event in self._events or any(may_take(state, event) for state in self._listening)

    @cached_property
    def _events(self) -> dict[str, None]:
        """The events that lead somewhere, the global ones first."""
        return dict.fromkeys(handled_events(self.machine))

    @cached_property
    def _listening(self) -> list[FsmState[Any]]:
        """The states with an action that may take events: few, in most machines."""
        listening = (
            action.state
            for action in walk.own_actions(self.machine)
            if type(action).on_event is not FsmAction.on_event
        )
        return list(dict.fromkeys(listening))

    def place(
        self,
        source: TransitionSource = None,
        *,
        action: FsmAction[Any] | None = None,
        event: str | None = None,
        transition: Transition[Any] | None = None,
    ) -> Place:
        """Return the place of a finding about this machine, or about a state or group of it.

        `transition` is the one that it is about, if there may be several for the event.
        """
        if transition is not None:
            event = transition.event
        line = None
        if self.places is not None:
            line = line_of(
                self.places, self.machine, source, action=action, event=event, transition=transition
            )
        state = source if isinstance(source, FsmState) else None
        return Place(
            self.name,
            None if state is None else state.name,
            None if state is None or action is None else walk.position(state, action),
            event,
            None if line is None else line.file,
            None if line is None else line.line,
            source.name if isinstance(source, StateGroup) else None,
        )


def subjects(
    machines: Fsm[Any] | FsmGroup, places: DefinitionSites | None, inputs: Iterable[str] | None
) -> Iterator[Subject]:
    machine_names = MachineNames()
    found = [(name, machine) for name, machine, _ in machine_names.add(members(machines))]
    hosts = _hosts(machine_names.names)
    named = None if inputs is None else OutsideEvents(inputs, machine_names.names)
    grouped = set(machines) if isinstance(machines, FsmGroup) else set()
    for name, machine in found:
        yield Subject(
            machine,
            name,
            outer=_around(machine, hosts),
            is_exited_from_outside=_is_exited(machine, hosts, set()),
            is_member=machine in grouped,
            hosts=tuple(hosts.get(machine, ())),
            suspended_with=tuple(_suspended_around(machine, hosts)),
            places=places,
            inputs=named,
        )


Hosts: TypeAlias = dict[Fsm[Any], list[FsmAction[Any]]]
"""Machine -> the actions of states that run it."""


def _hosts(machines: Iterable[Fsm[Any]]) -> Hosts:
    hosts: Hosts = {}
    for action in chain.from_iterable(map(walk.own_actions, machines)):
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


def _suspended_around(machine: Fsm[Any], hosts: Hosts) -> Iterator[FsmState[Any]]:
    """Yield the states around `machine` that may be suspended with it inside, inner ones first."""
    found = dict.fromkeys(host.state for host in hosts.get(machine, ()))
    waiting = [*found]
    while waiting:
        state = waiting.pop(0)
        if _suspending(Transitions(state.fsm), state):
            yield state
        outer = [host.state for host in hosts.get(state.fsm, ()) if host.state not in found]
        found.update(dict.fromkeys(outer))
        waiting += outer


def _suspending(transitions: Transitions, state: FsmState[Any]) -> list[str]:
    return [event for event in transitions.suspending(state) if not keeps(state, event)]


def _is_exited(machine: Fsm[Any], hosts: Hosts, seen: set[Fsm[Any]]) -> bool:
    """Return True if an action that runs `machine` ends, is ended, or its state is exited."""
    seen.add(machine)
    return any(
        bool(host.children)  # such an action may end what it runs
        or bool(host.state.transitions)
        or any(
            each.transition.target is not host.state
            for owner in walk.sources(host.state)
            for each in walk.own_transitions(owner)
        )
        or (host.fsm not in seen and _is_exited(host.fsm, hosts, seen))
        for host in hosts.get(machine, ())
    )
