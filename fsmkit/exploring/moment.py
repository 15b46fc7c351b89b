"""Moments: what a machine and its world are like between two calls, as data that can be compared.

Two equal moments have the same future. So that as many as possible are equal, times are counted
from now, and what nothing asks about is left out: where a machine has been before, and what actions
still hold from visits that are over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.exploring.afresh import set_on_enter
from fsmkit.exploring.reads import Reads
from fsmkit.exploring.world import DIGITS, Leaf, WorldReader, attributes_of
from fsmkit.recording.snapshots.fields import fields_of, parameters_of, remembered_by
from fsmkit.tooling.run_state import (
    AT_REST,
    ActionState,
    Delayed,
    Place,
    RunState,
    places,
    read_run_state,
)

NUMBERS: Final = frozenset({type(None), bool, int, float, str})

Configuration: TypeAlias = "tuple[str | None, ...]"
"""The names of the current states of all machines."""

Shape: TypeAlias = "tuple[Leaf, ...]"


@frozen
class Moment:
    """All that has an influence on what comes."""

    leaves: tuple[Leaf, ...]
    generators: tuple[int, ...]
    """The states of random generators, in place of which a number is enough to compare."""

    @property
    def shape(self) -> Shape:
        """The same without the numbers that flow: times and places."""
        return tuple([float if type(leaf) is float else leaf for leaf in self.leaves])


class MomentReader:
    """Reads the moments of machines that were built alike."""

    def __init__(self) -> None:
        self.reads = Reads()
        self.opaque: set[str] = set()

    @property
    def facts(self) -> set[str]:
        """What the code seen so far asks about."""
        return self.reads.facts

    def read(self, machines: Sequence[Fsm[Any]]) -> Moment:
        """Return the present moment of `machines`, and of those that they refer to."""
        reading = _Reading(machines, self.reads)
        reading.all_machines()
        self.opaque |= reading.world.opaque
        return Moment(tuple(reading.world.leaves), tuple(reading.world.generators))


class _Reading:
    """One pass over the machines and their world."""

    def __init__(self, machines: Sequence[Fsm[Any]], reads: Reads) -> None:
        self.reads = reads
        self.facts = reads.facts
        self.world = WorldReader(reads, self._place)
        self.put = self.world.leaves.append
        self.machines = list(machines)
        self.numbers = {machine: number for number, machine in enumerate(machines)}
        self.actions: dict[int, Leaf] = {}

    def all_machines(self) -> None:
        """Read the machines, and those that come to light meanwhile."""
        for number, machine in enumerate(self.machines):
            self._find_actions(machine, number)
        number = 0
        while number < len(self.machines):
            self._machine(self.machines[number])
            number += 1

    def _place(self, part: object) -> Leaf:
        """Return where a part of a machine is; None for an action that is nowhere."""
        if isinstance(part, Fsm):
            return (Fsm, self._number(part))
        if isinstance(part, FsmState):
            return (FsmState, self._number(part.fsm), part.name)
        return self.actions.get(id(part))

    def _number(self, machine: Fsm[Any]) -> int:
        if machine not in self.numbers:
            self.numbers[machine] = len(self.machines)
            self.machines.append(machine)
            self._find_actions(machine, self.numbers[machine])
        return self.numbers[machine]

    def _find_actions(self, machine: Fsm[Any], number: int) -> None:
        for name, state in machine.states.items():
            for place, action in places(state):
                self.actions[id(action)] = (FsmAction, number, name, place)

    def _machine(self, machine: Fsm[Any]) -> None:
        run = read_run_state(machine)
        self._run(machine, run)
        entered = {(run.state, index) for index in run.entered}
        entered |= {(each.state, index) for each in run.suspended for index in each.entered}
        for name, state in machine.states.items():
            states = run.actions.get(name, {})
            for place, action in places(state):
                here = states.get(place, AT_REST)
                is_top = "/" not in place
                is_entered = (name, int(place)) in entered if is_top else here.under_way
                self._action(action, place, here, is_entered=is_entered)
            self._functions(state.transitions)
        self._functions(machine.global_transitions)
        self.world.value(machine.context)
        self.reads.add_class(type(machine))
        for own in attributes_of(machine).items():
            self.world.value(own)

    def _run(self, machine: Fsm[Any], run: RunState) -> None:
        now, put, value = run.time, self.put, self.world.value
        put(run.state)
        put(run.entered)
        put(run.taking_part)
        put(run.finished)
        put(run.holding)
        for fact in ("previous_state", "last_event", "event_data", "time"):
            if fact in self.facts:
                value(getattr(run, fact))
        if "time_in_state" in self.facts and run.state is not None:
            value(now - run.entered_at)
        for suspended in run.suspended:
            put((suspended.state, *suspended.entered))
            put((suspended.taking_part, suspended.finished))
            for fact in ("last_event", "event_data"):
                if fact in self.facts:
                    value(getattr(suspended, fact))
            if "time_in_state" in self.facts:
                value(suspended.passed)
            self._delayed(suspended.delayed, 0.0)
        value(list(run.queued))
        value([event for event in run.posted if event[0] is not None])
        self._delayed(run.delayed, now)
        put(machine.on_unhandled)

    def _delayed(self, delayed: Sequence[Delayed], now: float) -> None:
        self.put(len(delayed))
        for due, event, data, keep in delayed:
            self.put(round(due - now, DIGITS))
            self.put((event, keep))
            self.world.value(data)

    def _action(
        self, action: FsmAction[Any], place: Place, here: ActionState, *, is_entered: bool
    ) -> None:
        self.put(place)
        self.put((here.enabled, here.finished, here.under_way))
        self.reads.add_class(type(action))
        is_of_library = type(action).__module__.startswith("actions.")  # which sets none
        for name, parameter in parameters_of(action).items():
            if type(parameter) not in NUMBERS or not is_of_library:
                self.put(name)
                self.world.value(parameter)
        afresh = () if is_entered else set_on_enter(type(action))
        for name, value in _remembered_by(action).items():
            if name in afresh:
                continue
            self.put(name)
            if name == "ready_at":  # of a cooldown: the one time that counts from the start
                self.put(round(max(0.0, float(value) - action.fsm.time), DIGITS))  # type: ignore[arg-type]  # seconds
            else:
                self.world.value(value)

    def _functions(self, transitions: Any) -> None:
        for ways in transitions.values():
            for way in ways:
                for function in (way.when, way.do):
                    if function is not None:
                        self.world.value(function)


def _remembered_by(action: FsmAction[Any]) -> dict[str, object]:
    """Return what an action remembers, with what is as in the beginning."""
    declared = fields_of(type(action)).remembered
    values = {name: getattr(action, name, None) for name in declared}
    return {**values, **remembered_by(action)}
