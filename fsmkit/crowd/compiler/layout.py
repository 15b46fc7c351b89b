"""Layout: a machine as a crowd sees it: states and events by number, values by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from logging import getLogger
from typing import Any, Final

from attrs import frozen

from fsmkit import FsmState, Transition, TransitionOnExitError, UnhandledEventError
from fsmkit.core.functions import described
from fsmkit.crowd.action import Behaviour, CrowdAction
from fsmkit.crowd.compiler.binding import Binding, Columns, identifier
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.guard import CrowdGuard, guard_of
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.records import fitted, fitted_tables
from fsmkit.crowd.source import events_of

_logger: Final = getLogger("fsmkit")

MAX_TRAIL: Final = 40

MAX_STATES: Final = 32_000


@frozen
class Way:
    """A transition that is asked when an event is offered in some state."""

    guard: CrowdGuard | None
    target: FsmState[Any] | None
    """None for the global transition to the current state, which changes nothing (rule 7)."""


class Layout:
    """Reads a machine as it is now; later additions to it have no effect.

    Raises CrowdError for a machine that cannot run over columns, TransitionOnExitError for a
    function that may change the state on exit, UnhandledEventError if the machine is set to raise.
    """

    def __init__(self, machine: CrowdFsm, *, is_float32: bool = False) -> None:
        self.machine = machine = machine.copy()
        self.states: tuple[FsmState[Any], ...] = tuple(machine.states.values())
        if not self.states:
            raise CrowdError(f"{machine!r} has no states. Add one with add_state().")
        if len(self.states) > MAX_STATES:
            raise CrowdError(
                f"{machine!r} must have at most {MAX_STATES} states, got {len(self.states)}."
            )
        self.numbers = {state.name: number for number, state in enumerate(self.states)}
        self.events = tuple(
            dict.fromkeys(
                [
                    *(event for state in self.states for event in state.transitions),
                    *machine.global_transitions,
                ]
            )
        )
        self.columns = Columns(machine.agent_record, machine.world_record, is_float32)
        self._world_kinds = {n: kind for n, kind in self.columns.world.kinds.items() if n != "dt"}
        """The fields of the world, without dt."""
        self._constants = dict(zip(self.numbers, _constants(self.numbers), strict=True))
        self._bindings = {
            (state.name, index): self._bind(state, index, action)
            for state in self.states
            for index, action in enumerate(state.actions)
            if isinstance(action, Behaviour)  # as all are: CrowdFsm.copy() has checked it
        }
        self.guard_binding = Binding(self.columns, CrowdAction(), {}, "a guard")
        """The values that guards read."""
        self._check_events()

    def constant(self, state: str) -> str:
        """Return the name in compiled code of the state with that name."""
        return self._constants[state]

    def ways(self, state: FsmState[Any], event: str) -> Sequence[Way]:
        """Return the ways that an event may take from a state, in the order of asking (rule 17)."""
        anywhere = self.machine.global_transitions.get(event, ())
        own = [Way(guard_of(each), _state(each)) for each in state.transitions.get(event, ())]
        if own and own[-1].guard is None:
            return own
        return own + [
            Way(guard_of(each), None if each.target is state else _state(each)) for each in anywhere
        ]

    def may_change(self, state: FsmState[Any], event: str) -> bool:
        """Return True if an event may lead to another state, or to the same one again."""
        return any(way.target is not None for way in self.ways(state, event))

    def binding(self, state: FsmState[Any], index: int) -> Binding:
        """Return the values that the functions of an action read and write."""
        return self._bindings[state.name, index]

    def parameters(self, *own: str) -> list[str]:
        """Return the parameters of a loop: its own ones, and those that all loops have."""
        names = ("dt", *self._world_kinds, *self.columns.world.tables)
        world = [self.columns.world_variable(name) for name in names]
        return [
            *own, "now", "seed", "step", *world, "notes", "trails",
            "state", "entered_at", "ids", *self.columns.kinds,
        ]  # fmt: skip

    @property
    def trail_length(self) -> int:
        """The number of last states that are noted for an agent that changes them without end."""
        return min(MAX_TRAIL, self.machine.max_transitions)

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
            values |= fitted_tables(self.columns.world, world, "")
        except (TypeError, OverflowError) as error:
            raise CrowdError(f"crowd.world.{error}") from None
        return values

    def cells(self) -> dict[str, str]:
        """Return the columns of compiled code, by the names that users know."""
        memory = {
            f"{name} of state {state!r}, actions[{index}]": column
            for (state, index), binding in self._bindings.items()
            for name, column in binding.memory.items()
        }
        return {**{name: self.columns.field(name) for name in self.columns.record.kinds}, **memory}

    def outline(self) -> dict[str, dict[str, Any]]:
        """Return the structure as JSON values, for comparing a saved crowd with it."""
        return {
            "agent": {
                name: self.columns.kinds[column].__name__ for name, column in self.cells().items()
            },
            "states": {
                state.name: {event: _shown(each) for event, each in state.transitions.items()}
                for state in self.states
            },
            "global": {e: _shown(each) for e, each in self.machine.global_transitions.items()},
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
        binding = Binding(self.columns, action, memory, where)
        for name in action.definition.parameters:
            binding.own(name)
        return binding

    def _check_events(self) -> None:
        for (state, index), binding in self._bindings.items():
            for phase in binding.action.definition.functions:
                for event in events_of(binding.action.definition, [phase]):
                    self._check_event(
                        self.machine.states[state], f"actions[{index}] {phase}", event
                    )

    def _check_event(self, state: FsmState[Any], where: str, event: str) -> None:
        machine = self.machine
        if where.endswith("on_exit") and self.may_change(state, event):
            raise TransitionOnExitError(
                f"{state}, {where} may send {event!r}, which changes the state. A state cannot be "
                "changed while it is being exited: send it from on_update."
            )
        if event in state.transitions or event in machine.global_transitions:
            return
        known = ", ".join(map(repr, [*state.transitions, *machine.global_transitions])) or "none"
        text = (
            f"{state}, {where} may send {event!r}, but has no transition for it. It knows {known}. "
            "Add it with add_transition(), or check the spelling."
        )
        if machine.on_unhandled == "raise":
            raise UnhandledEventError(text)
        if machine.on_unhandled == "warn":
            _logger.warning(text)


def _state(transition: Transition[Any]) -> FsmState[Any] | None:
    """Return the state it leads to; CrowdFsm.copy() has seen to it that there is one."""
    return transition.target if isinstance(transition.target, FsmState) else None


def _shown(transitions: Sequence[Transition[Any]]) -> str | list[list[str | None]]:
    """Return the transitions for an event as JSON values: the target alone where there is no guard.

    The text is that of older files.
    """
    if transitions[0].when is None:
        return transitions[0].target.name
    return [
        [None if each.when is None else described(each.when), each.target.name]
        for each in transitions
    ]


def _constants(names: Iterable[str]) -> Iterator[str]:
    """Yield names for states in compiled code, no two the same."""
    taken = {"STAY"}
    for number, name in enumerate(names):
        constant = identifier(name).upper()
        while constant in taken:
            constant += f"_{number}"
        taken.add(constant)
        yield constant
