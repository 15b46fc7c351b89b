"""Moments: the state of a machine and its world between two calls, as comparable data.

Two equal moments have the same future. So that as many as possible are equal, times are counted
from now, and facts that no code reads are left out: where a machine was before, and what actions
still hold from earlier visits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.exploring.code_reads import Reads, set_on_enter
from fsmkit.exploring.world import DIGITS, Leaf, WorldReader, attributes_of
from fsmkit.introspection import walk
from fsmkit.introspection.run_state import (
    AT_REST,
    ActionPath,
    ActionState,
    RunState,
    SuspendedState,
    read_run_state,
)
from fsmkit.recording.action_fields import fields_of, parameters_of, remembered_by

NUMBERS: Final = frozenset({type(None), bool, int, float, str})

Configuration: TypeAlias = "tuple[str | None, ...]"
"""The names of the current states of all machines."""

Shape: TypeAlias = "tuple[Leaf, ...]"


@frozen
class WorldMoment:
    """Everything that influences the future."""

    leaves: tuple[Leaf, ...]
    generators: tuple[int, ...]
    """The hashes of the states of random generators."""

    @property
    def shape(self) -> Shape:
        """The same without the numbers that flow: times and positions."""
        return tuple([float if type(leaf) is float else leaf for leaf in self.leaves])


class MomentReader:
    def __init__(self) -> None:
        self.reads = Reads()
        self.opaque: set[str] = set()

    def read(self, machines: Sequence[Fsm[Any]]) -> WorldMoment:
        reading = _MomentReading(self.reads)
        reading.read(machines)
        self.opaque |= reading.world.opaque
        return WorldMoment(tuple(reading.world.leaves), tuple(reading.world.generators))


class _MomentReading:
    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self.world = WorldReader(reads, self._place)
        self.put = self.world.leaves.append
        self.machines: list[Fsm[Any]] = []
        self.numbers: dict[Fsm[Any], int] = {}
        self.actions: dict[int, Leaf] = {}

    def read(self, machines: Iterable[Fsm[Any]]) -> None:
        for machine in machines:
            self._number(machine)
        for machine in self.machines:  # which grows
            self._machine(machine)

    def _place(self, part: object) -> Leaf:
        """Return the place of a part of a machine; None for an action without a state."""
        if isinstance(part, Fsm):
            return (Fsm, self._number(part))
        if isinstance(part, FsmState):
            return (FsmState, self._number(part.fsm), part.name)
        return self.actions.get(id(part))

    def _number(self, machine: Fsm[Any]) -> int:
        if machine not in self.numbers:
            number = self.numbers[machine] = len(self.machines)
            self.machines.append(machine)
            for state in walk.states(machine):
                for place, action in walk.paths(state):
                    self.actions[id(action)] = (FsmAction, number, state.name, place)
        return self.numbers[machine]

    def _machine(self, machine: Fsm[Any]) -> None:
        run = read_run_state(machine)
        self.put(machine.on_unhandled)
        self._run(run)
        entered = {(run.state, index) for index in run.entered}
        entered |= {(each.state, index) for each in run.suspended for index in each.entered}
        for state in walk.states(machine):
            name, states = state.name, run.actions.get(state.name, {})
            for place, action in walk.paths(state):
                here = states.get(place, AT_REST)
                is_top = "/" not in place
                is_entered = (name, int(place)) in entered if is_top else here.under_way
                self._action(action, place, here, is_entered=is_entered)
            self._functions(state)
        self._functions(machine)
        self.world.value(machine.context)
        self.reads.add_class(type(machine))
        for own in attributes_of(machine).items():
            self.world.value(own)

    def _run(self, run: RunState) -> None:
        self.put(run.holding)
        self._facts(run, "previous_state", "time")
        self._visit(run, run.time - run.entered_at, run.time)
        for suspended in run.suspended:
            self._visit(suspended, suspended.passed, 0.0)
        self.world.value(list(run.queued))
        self.world.value([event for event in run.posted if event[0] is not None])

    def _visit(self, visit: RunState | SuspendedState, passed: float, now: float) -> None:
        self.put((visit.state, visit.entered, visit.taking_part, visit.finished))
        self._facts(visit, "last_event", "event_data")
        if "time_in_state" in self.reads.facts and visit.state is not None:
            self.world.value(passed)
        self.put(len(visit.delayed))
        for due, event, data, keep in visit.delayed:
            self.put(round(due - now, DIGITS))
            self.put((event, keep))
            self.world.value(data)

    def _facts(self, run: RunState | SuspendedState, *facts: str) -> None:
        for fact in facts:
            if fact in self.reads.facts:
                self.world.value(getattr(run, fact))

    def _action(
        self, action: FsmAction[Any], place: ActionPath, here: ActionState, *, is_entered: bool
    ) -> None:
        self.put(place)
        self.put((here.enabled, here.finished, here.under_way))
        self.reads.add_class(type(action))
        is_of_library = type(action).__module__.startswith("actions.")  # which sets none
        for name, parameter in parameters_of(action).items():
            if type(parameter) not in NUMBERS or not is_of_library:
                self.put(name)
                self.world.value(parameter)
        afresh = () if is_entered else set_on_enter(type(action))  # type: ignore[arg-type]
        for name, value in _remembered_by(action).items():
            if name in afresh:
                continue
            self.put(name)
            if name == "ready_at":  # of a cooldown: the one time that counts from the start
                self.put(round(max(0.0, float(value) - action.fsm.time), DIGITS))  # type: ignore[arg-type]  # seconds
            else:
                self.world.value(value)

    def _functions(self, owner: walk.TransitionOwner) -> None:
        for _, _, _, transition in walk.own_transitions(owner):
            for function in (transition.when, transition.do):
                if function is not None:
                    self.world.value(function)


def _remembered_by(action: FsmAction[Any]) -> dict[str, object]:
    """Return the fields that an action remembers, with those still at their initial values."""
    declared = fields_of(type(action)).remembered
    values = {name: getattr(action, name, None) for name in declared}
    return {**values, **remembered_by(action)}
