"""Moments: the state of a machine and its world between two calls, as comparable data.

Two equal moments have the same future. So that as many as possible are equal, times are counted
from now, and facts that no code reads are left out: where a machine was before, and what actions
still hold from earlier visits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeAlias

from attrs import NOTHING, field, frozen

from fsmkit import Fsm, FsmAction, FsmState, StateGroup
from fsmkit.exploring.code_reads import Reads, set_on_enter
from fsmkit.exploring.world import KnownContents, Leaf, WorldReader, attributes_of
from fsmkit.introspection import walk
from fsmkit.introspection.run_state import (
    AT_REST,
    ActionPath,
    ActionState,
    RunState,
    SuspendedState,
    read_run_state,
)
from fsmkit.recording.action_fields import fields_of, remembered_by

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
    shape: Shape = field(eq=False)
    """The leaves without the numbers that flow: times and positions."""


class MomentReader:
    def __init__(self) -> None:
        self.reads = Reads()
        self.opaque: set[str] = set()
        self._contents = KnownContents()

    def read(self, machines: Sequence[Fsm[Any]]) -> WorldMoment:
        reading = _MomentReading(self.reads, self._contents)
        reading.read(machines)
        world = reading.world
        self.opaque |= world.opaque
        shape = world.leaves.copy()
        for place in world.floats:
            shape[place] = float
        return WorldMoment(tuple(world.leaves), tuple(world.generators), tuple(shape))


class _MomentReading:
    def __init__(self, reads: Reads, contents: KnownContents) -> None:
        self.reads = reads
        self.world = WorldReader(reads, self._place, contents)
        self.put = self.world.leaves.append
        self.machines: list[Fsm[Any]] = []
        self.numbers: dict[Fsm[Any], int] = {}
        self.actions: dict[int, Leaf] = {}
        self.places: dict[Fsm[Any], walk.PlacedActions] = {}

    def read(self, machines: Iterable[Fsm[Any]]) -> None:
        for machine in machines:
            self._number(machine)
        for machine in self.machines:  # which grows
            self._machine(machine)

    def _place(self, part: object) -> Leaf:
        """Return the place of a part of a machine; None for an action without a state."""
        if isinstance(part, Fsm):
            return (Fsm, self._number(part))
        if isinstance(part, FsmState | StateGroup):
            return (type(part), self._number(part.fsm), part.name)
        return self.actions.get(id(part))

    def _number(self, machine: Fsm[Any]) -> int:
        if machine not in self.numbers:
            number = self.numbers[machine] = len(self.machines)
            self.machines.append(machine)
            places = self.places[machine] = walk.placed(machine)
            for name, here in places.items():
                for place, action in here.items():
                    self.actions[id(action)] = (FsmAction, number, name, place)
        return self.numbers[machine]

    def _machine(self, machine: Fsm[Any]) -> None:
        places = self.places[machine]
        run = read_run_state(machine, places)
        self.put(machine.on_unhandled)
        self._run(run)
        entered = {(run.state, index) for index in run.entered}
        entered |= {(each.state, index) for each in run.suspended for index in each.entered}
        for state in walk.states(machine):
            name, states = state.name, run.actions.get(state.name, {})
            for place, action in places[name].items():
                here = states.get(place, AT_REST)
                is_top = "/" not in place
                is_entered = (name, int(place)) in entered if is_top else here.under_way
                self._action(action, place, here, is_entered=is_entered)
            self._functions(state)
        for owner in walk.shared(machine):
            self._functions(owner)
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
            self.world.number(due - now)
            self.put((event, keep))
            self.world.value(data)

    def _facts(self, run: RunState | SuspendedState, *facts: str) -> None:
        for fact in facts:
            if fact in self.reads.facts:
                self.world.value(getattr(run, fact))

    def _action(
        self, action: FsmAction[Any], place: ActionPath, here: ActionState, *, is_entered: bool
    ) -> None:
        kind: Any = type(action)
        plan = _plan_of(kind)
        self.put(place)
        marks = here.enabled, here.finished, here.under_way, here.failed, here.suspended
        self.put(marks)
        if here.reason is not None:
            self.world.value(here.reason)
        self.reads.add_class(kind)
        for name in plan.parameters:
            value = getattr(action, name, NOTHING)
            if value is not NOTHING and not (plan.is_of_library and type(value) in NUMBERS):
                self.put(name)
                self.world.value(value)
        for name in plan.remembered if is_entered else plan.lasting:
            self._remembered(action, name, getattr(action, name, None))
        if plan.has_slots or not plan.known.issuperset(vars(action)):
            afresh = () if is_entered else plan.afresh
            for name, value in remembered_by(action).items():
                if name not in plan.remembered and name not in afresh:
                    self._remembered(action, name, value)

    def _remembered(self, action: FsmAction[Any], name: str, value: Any) -> None:
        self.put(name)
        if name == "ready_at":  # of a cooldown: the one time that counts from the start
            self.world.number(max(0.0, float(value) - action.fsm.time))
        else:
            self.world.value(value)

    def _functions(self, owner: walk.TransitionOwner) -> None:
        for transition in chain.from_iterable(walk.table(owner).values()):
            for function in (transition.when, transition.do):
                if function is not None:
                    self.world.value(function)


@frozen
class _ActionPlan:
    """What is read of the actions of a class."""

    is_of_library: bool
    """Then nothing sets its parameters."""
    parameters: tuple[str, ...]
    remembered: tuple[str, ...]
    """The declared fields, also those still at their initial values."""
    lasting: tuple[str, ...]
    """Those of them that last until the next visit."""
    afresh: frozenset[str]
    """The attributes that are set on entering."""
    has_slots: bool
    known: frozenset[str]


@lru_cache(maxsize=1_000)  # a build() may make new classes each time
def _plan_of(kind: type[FsmAction[Any]]) -> _ActionPlan:
    fields, afresh = fields_of(kind), set_on_enter(kind)  # type: ignore[arg-type]  # it has a hash
    return _ActionPlan(
        is_of_library=kind.__module__.startswith("actions."),
        parameters=fields.parameters,
        remembered=tuple(fields.remembered),
        lasting=tuple(name for name in fields.remembered if name not in afresh),
        afresh=afresh,
        has_slots=bool(fields.extra_slots),
        known=fields.known,
    )
