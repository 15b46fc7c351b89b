"""The layout of a machine for a crowd: states and events by number, values by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from logging import getLogger
from typing import Any, Final

from attrs import frozen

from fsmkit import (
    FAILED,
    FsmState,
    Transition,
    TransitionOnExitError,
    UnhandledEventError,
    UnknownStateError,
)
from fsmkit.core.checks.functions import described
from fsmkit.core.words.quoting import quoted
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.crowd.action import Behaviour, CrowdAction
from fsmkit.crowd.agent_functions import events_of
from fsmkit.crowd.compiler.columns import GUARD, Binding, CrowdColumns, CrowdPlan, identifier
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.guard import CrowdGuard, guard_of
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.records import fitted, fitted_tables
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import events_in

_logger: Final = getLogger("fsmkit")

MAX_STATES: Final = 32_000


@frozen
class Route:
    guard: CrowdGuard | None
    target: FsmState[Any] | None
    """None for one of a group, or a global one, to the current state: it changes nothing."""


class Layout:
    """Reads a machine as it is now; later additions to it have no effect.

    Raises CrowdError for a machine that cannot run over columns, TransitionOnExitError for a
    function that may change the state on exit, UnhandledEventError if the machine is set to raise.
    """

    def __init__(self, machine: CrowdFsm, *, is_float32: bool = False) -> None:
        self.machine = machine = machine.copy()
        self.states: tuple[FsmState[Any], ...] = walk.states(machine)
        if not self.states:
            raise CrowdError(f"Fsm {machine.name!r} has no states. Add one with add_state().")
        if len(self.states) > MAX_STATES:
            raise CrowdError(
                f"Fsm {machine.name!r} must have at most {MAX_STATES} states, "
                f"got {len(self.states)}."
            )
        self.numbers = {state.name: number for number, state in enumerate(self.states)}
        self.events = tuple(dict.fromkeys(each.event for each in walk.transitions(machine)))
        self.columns = CrowdColumns(machine.agent_record, machine.world_record, is_float32)
        self._world_kinds = {n: kind for n, kind in self.columns.world.kinds.items() if n != "dt"}
        """The fields of the world, without dt."""
        self.constants = dict(zip(self.numbers, _constants(self.numbers), strict=True))
        """The names of the states -> their names in compiled code."""
        self.bindings = {
            (state, index): self._bind(state, index, action)
            for state in self.states
            for index, action in enumerate(walk.own_actions(state))
            if isinstance(action, Behaviour)  # as all are: CrowdFsm.copy() has checked it
        }
        """State and index -> the action there, in order."""
        self.guard_binding = Binding(self.columns, CrowdAction(), {}, {}, GUARD)
        """The values that guards read."""
        self._check_events()

    def found(self, state: FsmState[Any] | str) -> FsmState[Any]:
        name = state.name if isinstance(state, FsmState) else state
        if not isinstance(name, str):
            raise CrowdError(f"A state must be an FsmState or the name of one, got {state!r}.")
        return self.states[self.number(name)]

    def start_number(self, state: FsmState[Any] | str) -> int:
        """Return the number that stands for a start in a state, after those of events."""
        return len(self.events) + self.numbers[self.found(state).name]

    def number(self, state: Any) -> int:
        if state not in self.numbers:
            known = ", ".join(map(repr, self.numbers))
            raise UnknownStateError(
                f"Crowd of {self.machine.name!r} has no state {state!r}. Its states: {known}."
            )
        return self.numbers[state]

    def event_number(self, event: str) -> int:
        if event not in self.events:
            known = ", ".join(map(repr, self.events)) or "none"
            raise CrowdError(
                f"Crowd of {self.machine.name!r}: no state knows {event!r}. Known events: {known}. "
                "Check the spelling."
            )
        return self.events.index(event)

    def routes(self, state: FsmState[Any], event: str) -> Sequence[Route]:
        """Return the routes of an event from a state, in the order of asking (rule 17)."""
        routes = []
        for owner, _, _, each in walk.asked(state, event):
            changes_nothing = owner is not state and each.target is state
            routes.append(Route(guard_of(each), None if changes_nothing else _state(each)))
        return routes

    def may_change(self, state: FsmState[Any], event: str) -> bool:
        return any(route.target is not None for route in self.routes(state, event))

    def binding(self, state: FsmState[Any], index: int) -> Binding:
        return self.bindings[state, index]

    def parameters(self, *own: str, spawns: bool = False) -> list[str]:
        """Return the parameters of a loop: its own ones, and those of all loops.

        With `spawns`, they include those that note births.
        """
        names = ("dt", *self._world_kinds, *self.columns.world.tables)
        world = [self.columns.world_variable(name) for name in names]
        births = [
            "births", "born_parent", "born_start",
            *(self.columns.born(name) for name in self.columns.record.kinds),
        ]  # fmt: skip
        return [
            *own, "now", "seed", "step", *world, *self.columns.parameters, "notes", "trails",
            *(births if spawns else ()), "state", "entered_at", "ids", *self.columns.kinds,
        ]  # fmt: skip

    def plan(self, text: str = "", places: Sequence[str] = (), most_births: int = 0) -> CrowdPlan:
        return CrowdPlan(
            name=self.machine.name,
            states=tuple(self.numbers),
            events=self.events,
            max_transitions=self.machine.max_transitions,
            columns=self.columns,
            parameters=dict(self.columns.parameters),
            text=text,
            places=tuple(places),
            retiring=tuple(self.numbers[name] for name in self.machine.retiring),
            most_births=most_births,
        )

    def world_values(self, world: Any, dt: float) -> dict[str, Any]:
        """Return the values of the world, with dt. Raises CrowdError for one of another kind."""
        if self.machine.world is not None and not isinstance(world, self.machine.world):
            raise CrowdError(
                f"crowd.world must be an instance of {self.columns.world.name}, got {world!r}."
            )
        values: dict[str, Any] = {"dt": dt}
        try:
            for name, kind in self._world_kinds.items():
                values[name] = fitted(kind, getattr(world, name), name)
            values |= fitted_tables(self.columns.world, world, "", self.columns.dimensions)
        except (TypeError, OverflowError) as error:
            raise CrowdError(f"crowd.world.{error}") from None
        return values

    def cells(self) -> dict[str, str]:
        """Return the columns of compiled code by the names that users know."""
        memory = {
            f"{name} of state {state.name!r}, actions[{index}]": column
            for (state, index), binding in self.bindings.items()
            for name, column in binding.memory.items()
        }
        return {**{name: self.columns.field(name) for name in self.columns.record.kinds}, **memory}

    def outline(self) -> dict[str, dict[str, Any]]:
        """Return the structure as JSON values, to compare a saved crowd with it."""
        return {
            "agent": {
                name: self.columns.kinds[column].__name__ for name, column in self.cells().items()
            },
            "states": {state.name: _ways(state) | _ways_of_groups(state) for state in self.states},
            "global": _ways(self.machine),
            "world": {
                "dt": "float",
                **{n: kind.__name__ for n, kind in self._world_kinds.items()},
                **{n: f"table of {kind.__name__}" for n, kind in self.columns.world.tables.items()},
            },
        }

    def _bind(self, state: FsmState[Any], index: int, action: Behaviour) -> Binding:
        where = f"{state}, actions[{index}] ({type(action).__name__})"
        if not action.enabled:
            raise CrowdError(f"{where} must be enabled: a crowd runs all actions. Leave it out.")
        memory = self.columns.memory(state.name, index, action)
        constants = self.columns.constants(state.name, index, action)
        binding = Binding(self.columns, action, memory, constants, where)
        for name in action.definition.parameters:
            binding.own(name)
        return binding

    def _check_events(self) -> None:
        for (state, index), binding in self.bindings.items():
            for phase in binding.action.definition.functions:
                for event in events_of(binding.action.definition, [phase]):
                    self._check_event(state, f"actions[{index}] {phase}", event)

    def _check_event(self, state: FsmState[Any], where: str, event: str) -> None:
        if event == FAILED:
            raise CrowdError(
                f"{state}, {where} may send {event!r}, but nothing fails in a crowd. Return an "
                "event of your own."
            )
        if where.endswith("on_exit") and self.may_change(state, event):
            raise TransitionOnExitError(
                f"{state}, {where} may send {event!r}, which changes the state. A state cannot be "
                "changed while it is being exited: send it from on_update."
            )
        events = events_in(state)
        if event in events:
            return
        text = (
            f"{state}, {where} may send {event!r}, but has no transition for it. It knows "
            f"{quoted(events)}. {did_you_mean(event, events)}"
            "Add it with add_transition(), or check the spelling."
        )
        if self.machine.on_unhandled == "raise":
            raise UnhandledEventError(text)
        if self.machine.on_unhandled == "warn":
            _logger.warning(text)


def _state(transition: Transition[Any]) -> FsmState[Any] | None:
    """Return the target of a transition; CrowdFsm.copy() has checked that it has one."""
    return transition.target if isinstance(transition.target, FsmState) else None


def _ways(owner: walk.TransitionOwner) -> dict[str, str | list[list[str | None]]]:
    return {event: _shown(each) for event, each in walk.table(owner).items()}


def _ways_of_groups(state: FsmState[Any]) -> dict[str, str | list[list[str | None]]]:
    return {
        f"{event} of {group.name}": way
        for group in walk.groups(state)
        for event, way in _ways(group).items()
    }


def _shown(transitions: Sequence[Transition[Any]]) -> str | list[list[str | None]]:
    """Return the transitions for an event as JSON values, or the target alone if unguarded.

    The text is that of older files.
    """
    if transitions[0].when is None:
        return transitions[0].target.name
    return [
        [None if each.when is None else described(each.when), each.target.name]
        for each in transitions
    ]


def _constants(names: Iterable[str]) -> Iterator[str]:
    taken = {"STAY"}
    for number, name in enumerate(names):
        constant = identifier(name).upper()
        while constant in taken:
            constant += f"_{number}"
        taken.add(constant)
        yield constant
