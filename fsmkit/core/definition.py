"""What a machine is made of: states and transitions, and the checks that keep them sound."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, cast

from fsmkit.core.errors import (
    DuplicateStateError,
    DuplicateTransitionError,
    FsmError,
    UnknownStateError,
)
from fsmkit.core.messages import quoted, unknown_state
from fsmkit.core.state import FsmState
from fsmkit.core.types import ContextT

if TYPE_CHECKING:
    from fsmkit.core.fsm import Fsm


class Definition(Generic[ContextT]):
    """The part of an `Fsm` that does not change while it runs."""

    __slots__ = ("_current_state", "_global_transitions", "_phase", "_states", "name")

    _current_state: FsmState[ContextT] | None
    _phase: str | None

    def __init__(self, name: str) -> None:
        self.name = _checked_name(name, "The name of a machine")
        self._states: dict[str, FsmState[ContextT]] = {}
        self._global_transitions: dict[str, FsmState[ContextT]] = {}

    @property
    def states(self) -> Mapping[str, FsmState[ContextT]]:
        """Name -> state, in order of adding; read-only."""
        return MappingProxyType(self._states)

    @property
    def global_transitions(self) -> Mapping[str, FsmState[ContextT]]:
        """Event -> the state it leads to from any state; read-only."""
        return MappingProxyType(self._global_transitions)

    def add_state(self, name: str, *, final: bool = False) -> FsmState[ContextT]:
        """Add a state and return it. The first one added is where `start()` begins.

        `final` is a mark: here the behaviour is over. It changes nothing in the machine itself;
        `RunFsm`, checks and pictures read it. Raises DuplicateStateError for a name in use.
        """
        self._check_definable("add_state()")
        if _checked_name(name, "The name of a state") in self._states:
            raise DuplicateStateError(
                f"Fsm {self.name!r} has a state {name!r} already. Names are unique in a machine."
            )
        state = self._states[name] = FsmState(cast("Fsm[ContextT]", self), name, final)
        return state

    def remove_state(self, state: FsmState[ContextT] | str) -> None:
        """Remove a state and every transition that leads to it.

        Raises FsmError for the current state, UnknownStateError if there is no such state.
        """
        self._check_definable("remove_state()")
        state = self._find_state(state)
        if state is self._current_state:
            raise FsmError(
                f"{state} is the current state and cannot be removed. "
                "Change the state or stop() first."
            )
        del self._states[state.name]
        for transitions in self._all_transitions():
            for event in [event for event, target in transitions.items() if target is state]:
                del transitions[event]

    def add_global_transition(self, event: str, state: FsmState[ContextT] | str) -> None:
        """Let `event` lead to `state` from any state that has no transition of its own for it.

        Raises what `FsmState.add_transition` raises.
        """
        self._check_definable("add_global_transition()")
        self._add_transition(self._global_transitions, "the machine", event, state)

    def remove_global_transition(self, event: str) -> None:
        """Remove the global transition for `event`; FsmError if there is none."""
        self._check_definable("remove_global_transition()")
        self._remove_transition(self._global_transitions, "the machine", event)

    def _all_transitions(self) -> list[dict[str, FsmState[ContextT]]]:
        own = [state._transitions for state in self._states.values()]
        return [*own, self._global_transitions]

    def _add_transition(
        self,
        transitions: dict[str, FsmState[ContextT]],
        owner: str,
        event: str,
        state: FsmState[ContextT] | str,
    ) -> None:
        if _checked_name(event, "An event") in transitions:
            raise DuplicateTransitionError(
                f"Fsm {self.name!r}: {owner} has a transition for event {event!r} already, to "
                f"{transitions[event].name!r}. One event leads to one state."
            )
        transitions[event] = self._find_state(state)

    def _remove_transition(
        self, transitions: dict[str, FsmState[ContextT]], owner: str, event: str
    ) -> None:
        if event not in transitions:
            raise FsmError(
                f"Fsm {self.name!r}: {owner} has no transition for event {event!r}. "
                f"It has: {quoted(transitions)}."
            )
        del transitions[event]

    def _find_state(self, state: FsmState[ContextT] | str | None) -> FsmState[ContextT]:
        """The state of that name, or that state; None: the first one."""
        if state is None:
            if not self._states:
                raise FsmError(
                    f"Fsm {self.name!r} has no states to start in. Call add_state() first."
                )
            return next(iter(self._states.values()))
        if isinstance(state, FsmState):
            if self._states.get(state.name) is not state:
                raise UnknownStateError(
                    f"{state!r} is not (or no longer) a state of Fsm {self.name!r}. "
                    f"Its states: {quoted(self._states)}."
                )
            return state
        if not isinstance(state, str):
            raise TypeError(f"A state must be an FsmState or a name, got {state!r}.")
        found = self._states.get(state)
        if found is None:
            raise UnknownStateError(unknown_state(self.name, state, self._states))
        return found

    def _check_definable(self, call: str) -> None:
        if self._phase is not None:
            raise FsmError(
                f"Fsm {self.name!r}: {call} from inside one of its own callbacks. "
                "Change a machine from outside, between two calls to it."
            )


def _checked_name(name: object, what: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a str, got {name!r}.")
    if not name:
        raise ValueError(f"{what} must not be empty.")
    return name
