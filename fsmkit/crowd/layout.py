"""Layout: a machine as a crowd sees it: states and events by number, values by column."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from logging import getLogger
from typing import Any, Final

from fsmkit import FsmState, TransitionOnExitError, UnhandledEventError
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.binding import Binding, Columns, identifier
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.reading import returned_events, source_of

_logger: Final = getLogger("fsmkit")

TRAIL: Final = 40

MOST_STATES: Final = 32_000


class Layout:
    """Reads a machine as it is now. What is added to that later is not in it.

    Raises CrowdError for what cannot be run over columns, TransitionOnExitError for a function that
    may change the state on exit, UnhandledEventError as the machine wants it.
    """

    def __init__(self, machine: CrowdFsm) -> None:
        self.machine = machine = machine.copy()
        self.states: tuple[FsmState[Any], ...] = tuple(machine.states.values())
        if not self.states:
            raise CrowdError(f"{machine!r} has no states. Add one with add_state().")
        if len(self.states) > MOST_STATES:
            raise CrowdError(f"{machine!r} has more than {MOST_STATES} states.")
        self.numbers = {state.name: number for number, state in enumerate(self.states)}
        self.events = tuple(
            dict.fromkeys(
                [
                    *(event for state in self.states for event in state.transitions),
                    *machine.global_transitions,
                ]
            )
        )
        self.columns = Columns(machine.agent_record, machine.world_record)
        self._world: dict[str, Any] = {
            name: kind for name, kind in machine.world_record.kinds.items() if name != "dt"
        }
        self._bindings = {
            (state.name, index): self._bind(state, index, action)
            for state in self.states
            for index, action in enumerate(state.actions)
        }
        self._check_events()

    def constant(self, state: FsmState[Any]) -> str:
        """What a state is called in compiled code."""
        name = identifier(state.name).upper()
        same = [other for other in self.states if identifier(other.name).upper() == name]
        return name if len(same) == 1 and name != "STAY" else f"{name}_{self.numbers[state.name]}"

    def target(self, state: FsmState[Any], event: str) -> FsmState[Any] | None:
        """Where an event leads to from a state; None if nowhere."""
        own = state.transitions.get(event)
        if own is not None:
            return own
        anywhere = self.machine.global_transitions.get(event)
        return None if anywhere is state else anywhere

    def binding(self, state: FsmState[Any], index: int) -> Binding:
        """What the functions of an action read and write."""
        return self._bindings[state.name, index]

    def parameters(self, loop: str) -> list[str]:
        """The parameters of a loop."""
        what = ["where", "moved", "event"] if loop == "change" else []
        world = [f"world_{name}" for name in ("dt", *self._world)]
        return [
            *what, "now", "seed", "step", "notes", "trails", *world,
            "state", "entered_at", "ids", *self.columns.kinds,
        ]  # fmt: skip

    @property
    def trail(self) -> int:
        """How many of its last states are told of an agent that changes them without end."""
        return min(TRAIL, self.machine.max_transitions)

    def shared(self, world: Any, dt: float) -> list[Any]:
        """The values of the world, in their order."""
        return [dt, *[kind(getattr(world, name)) for name, kind in self._world.items()]]

    def events_of(self, action: Behaviour, phase: str) -> list[str]:
        """The events that a function of an action may return."""
        function = action.functions.get(phase)
        if function is None:
            return []
        source = source_of(function)
        return [
            event
            for statement in source.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Return) and node.value is not None
            for event in returned_events(source, action, node.value)
        ]

    def outline(self) -> Mapping[str, Any]:
        """How it is built, as JSON has it: what a saved crowd has to fit."""
        return {
            "agent": {name: kind.__name__ for name, kind in self.columns.kinds.items()},
            "states": {
                state.name: {event: target.name for event, target in state.transitions.items()}
                for state in self.states
            },
            "global": {e: t.name for e, t in self.machine.global_transitions.items()},
        }

    def _bind(self, state: FsmState[Any], index: int, action: Any) -> Binding:
        return Binding(self.columns, action, self.columns.memory(state.name, index, action))

    def _check_events(self) -> None:
        for state in self.states:
            for index, action in enumerate(state.actions):
                for phase in action.functions:  # type: ignore[attr-defined]
                    for event in self.events_of(action, phase):  # type: ignore[arg-type]
                        self._check_event(state, f"actions[{index}] {phase}", event)

    def _check_event(self, state: FsmState[Any], where: str, event: str) -> None:
        machine = self.machine
        if where.endswith("on_exit") and self.target(state, event) is not None:
            raise TransitionOnExitError(
                f"{state}, {where} may send {event!r}, which leads on from there. A state cannot "
                "be changed while it is being left: send it from on_update."
            )
        if event in state.transitions or event in machine.global_transitions:
            return
        known = ", ".join(map(repr, [*state.transitions, *machine.global_transitions])) or "none"
        text = (
            f"{state}, {where} may send {event!r}, and nobody handles it. It knows {known}. "
            "Add it with add_transition(), or check the spelling."
        )
        if machine.on_unhandled == "raise":
            raise UnhandledEventError(text)
        if machine.on_unhandled == "warn":
            _logger.warning(text)
