"""What a machine is made of: states and transitions, and the checks that keep them sound."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, cast, overload

from fsmkit.core.errors import (
    DuplicateStateError,
    DuplicateTransitionError,
    FsmError,
    UnknownStateError,
)
from fsmkit.core.messages import unknown_state
from fsmkit.core.quoting import quote, quoted
from fsmkit.core.state import FsmState
from fsmkit.core.transition import (
    BACK,
    Back,
    Function,
    OfData,
    OfState,
    Table,
    Transition,
    all_transitions,
    checked,
    plain,
    transitions_of,
    without_target,
)
from fsmkit.core.types import ContextT

if TYPE_CHECKING:
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.observers import Observers


class Definition(Generic[ContextT]):
    """The part of an `Fsm` that does not change while it runs."""

    __slots__ = ("_current_state", "_global_transitions", "_phase", "_states", "name")

    _current_state: FsmState[ContextT] | None
    _phase: str | None
    _observers: Observers | None

    def __init__(self, name: str) -> None:
        self.name = _checked_name(name, "The name of a machine")
        self._states: dict[str, FsmState[ContextT]] = {}
        self._global_transitions: Table[ContextT] = {}

    @property
    def states(self) -> Mapping[str, FsmState[ContextT]]:
        """Name -> state, in order of adding; read-only."""
        return MappingProxyType(self._states)

    @property
    def global_transitions(self) -> Mapping[str, tuple[Transition[ContextT], ...]]:
        """Event -> its transitions from any state, in the order they are asked in; read-only."""
        return MappingProxyType(dict(all_transitions(self._global_transitions)))

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
        if not isinstance(final, bool):
            raise TypeError(
                f"Fsm {self.name!r}, state {name!r}: final must be True or False, got {final!r}."
            )
        state = self._states[name] = FsmState(cast("Fsm[ContextT]", self), name, final)
        return state

    def remove_state(self, state: FsmState[ContextT] | str) -> None:
        """Remove a state and every transition that leads to it.

        Raises FsmError for the current state and one that is suspended, UnknownStateError if there
        is no such state.
        """
        self._check_definable("remove_state()")
        state = self._find_state(state)
        if state is self._current_state or self._is_suspended(state):
            how = "the current state" if state is self._current_state else "suspended"
            raise FsmError(
                f"{state} is {how} and cannot be removed. Change the state or stop() first."
            )
        del self._states[state.name]
        self._global_transitions = without_target(self._global_transitions, state)
        for other in self._states.values():
            other._drop_transitions_to(state)
            self._renew_routes(other)

    @overload
    def add_global_transition(
        self,
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfState[ContextT] | None = None,
        do: OfState[ContextT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

    @overload
    def add_global_transition(
        self,
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfData[ContextT] | None = None,
        do: OfData[ContextT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

    def add_global_transition(
        self,
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: Function | None = None,
        do: Function | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]:
        """Let `event` lead to `state` from any state whose own transitions do not take it.

        Arguments, result and errors are those of `FsmState.add_transition`.
        """
        self._check_definable("add_global_transition()")
        given = plain((event, state, when, do, suspend))
        return self._add_transition(self._global_transitions, None, given)

    def remove_global_transition(self, event: str) -> None:
        """Remove the global transitions for `event`; FsmError if there is none."""
        self._check_definable("remove_global_transition()")
        self._remove_transition(self._global_transitions, None, event)

    def _add_transition(
        self, table: Table[ContextT], source: FsmState[ContextT] | None, given: Transition[Any]
    ) -> Transition[ContextT]:
        """Put a transition as it was given after the others of its event."""
        target: Any
        event, target, when, do, suspend = given
        try:
            found: Any = target if target is BACK else self._find_state(target)
        except (TypeError, UnknownStateError):
            if isinstance(event, FsmState):
                raise TypeError(
                    f"{self._place(source)}: an event must be a str, got {event!r}. "
                    "The event comes first, then the state."
                ) from None
            raise
        added: Transition[ContextT] = given if found is target else given._replace(target=found)
        is_plain = when is None and do is None and suspend is False and found is not BACK
        if is_plain and self._checked_event(event, source) not in table:
            table[event] = found  # pyright: ignore[reportArgumentType]  # no BACK here
        else:
            added = self._checked_transition(table, source, added)
            table[event] = (*transitions_of(event, table.get(event)), added)
        if source is not None and (source._visit is not None or source is self._current_state):
            self._renew_routes(source)
        return added

    def _checked_transition(
        self, table: Table[ContextT], source: FsmState[ContextT] | None, given: Transition[Any]
    ) -> Transition[ContextT]:
        """Return a transition that may follow the others of its event, which are all guarded."""
        event = self._checked_event(given.event, source)
        place = f"Fsm {self.name!r}: {_owner(source)}"
        before = transitions_of(event, table.get(event))
        if before and before[-1].when is None:
            raise DuplicateTransitionError(
                f"{place} has a transition for event {quote(event)} already, to "
                f"{before[-1].target.name!r}. It is always taken: give it a guard, when=..., to "
                "add another after it."
            )
        if given.suspend and given.target is BACK:
            raise FsmError(
                f"{place}, event {quote(event)}: a transition to BACK exits its state, so it "
                "cannot suspend it. Leave out suspend=True."
            )
        if given.suspend and given.target is source:
            raise FsmError(
                f"{place}, event {quote(event)}: it leads back to its state, so it cannot suspend "
                "it. Leave out suspend=True, or go to another state."
            )
        return checked(given, place)

    def _remove_transition(
        self, table: Table[ContextT], state: FsmState[ContextT] | None, event: str
    ) -> None:
        if self._checked_event(event, state) not in table:
            raise FsmError(
                f"Fsm {self.name!r}: {_owner(state)} has no transition for event {quote(event)}. "
                f"It has: {quoted(table)}."
            )
        del table[event]

    def _checked_event(self, event: object, source: FsmState[ContextT] | None) -> str:
        if isinstance(event, str) and event:
            return event
        return _checked_name(event, f"{self._place(source)}: an event")

    def _place(self, state: FsmState[ContextT] | None) -> str:
        return f"Fsm {self.name!r}" if state is None else str(state)

    def _first_state(self) -> FsmState[ContextT]:
        if not self._states:
            raise FsmError(f"Fsm {self.name!r} has no states to start in. Call add_state() first.")
        return next(iter(self._states.values()))

    def _find_state(self, state: FsmState[ContextT] | str) -> FsmState[ContextT]:
        """The state of that name, or that state."""
        if isinstance(state, FsmState):
            if self._states.get(state._name) is not state:
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

    def _is_suspended(self, state: FsmState[Any]) -> bool:
        raise NotImplementedError

    def _renew_routes(self, state: FsmState[Any]) -> None:
        """See to it that the machine knows where the events of `state` lead now."""
        raise NotImplementedError

    def _check_definable(self, call: str) -> None:
        if self._observers is not None:
            self._observers.refuse(self, call)
        if self._phase is not None:
            raise FsmError(
                f"Fsm {self.name!r}: {call} from inside one of its own callbacks. "
                "Change a machine from outside, between two calls to it."
            )


def _owner(state: FsmState[Any] | None) -> str:
    return "the machine" if state is None else f"state {state.name!r}"


def _checked_name(name: object, what: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a str, got {name!r}.")
    if not name:
        raise ValueError(f"{what} must not be empty.")
    return name
