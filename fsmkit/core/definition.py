"""Definition: the states, transitions and options of a machine, and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    NamedTuple,
    TypeAlias,
    cast,
    overload,
)

from fsmkit.core.checks import arguments
from fsmkit.core.errors import (
    DuplicateStateError,
    DuplicateTransitionError,
    FsmError,
    UnknownStateError,
)
from fsmkit.core.event_types import Event, EventWith
from fsmkit.core.known_events import about_event, about_late_hearing
from fsmkit.core.possible_events import Foreseeing
from fsmkit.core.state import (
    BACK,
    AnyFunction,
    Back,
    EventTable,
    FsmState,
    OfData,
    OfState,
    PossibleEvent,
    Source,
    StateGroup,
    Transition,
    all_transitions,
    checked,
    plain,
    remove_target,
    transitions_of,
)
from fsmkit.core.step import CarriedStep
from fsmkit.core.types import ContextT, EventDataT
from fsmkit.core.words import messages
from fsmkit.core.words.quoting import quote, quoted

if TYPE_CHECKING:
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.observers import Observers


OnUnhandled: TypeAlias = Literal["warn", "ignore", "raise"]


class Options(NamedTuple):
    """The options of a machine, and its groups of states; most share the defaults."""

    on_unhandled: OnUnhandled = "warn"
    max_transitions: int = 100
    groups: tuple[StateGroup[Any], ...] = ()


USUAL: Final = Options()
NO_TRANSITIONS: Final[EventTable[Any]] = {}
"""The global transitions of all machines that have none."""


def checked_options(options: Options, carry_time: object = False) -> Options:
    """Return valid options; raise TypeError or ValueError for others."""
    arguments.choice(options.on_unhandled, "on_unhandled", ("warn", "ignore", "raise"))
    arguments.integer(options.max_transitions, "max_transitions", least=1)
    arguments.flag(carry_time, "carry_time")
    return options


class Definition(Generic[ContextT], Foreseeing):
    """The part of an `Fsm` that does not change while it runs."""

    __slots__ = (
        "_global_transitions_", "_observers_", "_options_", "_phase_",
        "_states_", "_step_", "name",
    )  # fmt: skip

    _wrapper_: ClassVar[str] = "DelegateAction"
    """The name of the action that wraps a function, for messages."""

    def __init__(
        self, name: str, on_unhandled: OnUnhandled, max_transitions: int, carry_time: bool
    ) -> None:
        if type(self).__hash__ is not object.__hash__:
            raise TypeError(
                f"{type(self).__name__} has an __eq__ or __hash__ of its own, but a machine is "
                "equal to itself alone: groups, nested machines and tools find it by that. Write "
                "@dataclass(eq=False), or leave them out."
            )
        self.name = arguments.name(name, "The name of a machine")
        self._options_ = USUAL
        if on_unhandled != "warn" or max_transitions != 100 or carry_time is not False:
            self._options_ = checked_options(Options(on_unhandled, max_transitions), carry_time)
        self._step_ = CarriedStep() if carry_time else None
        self._states_: dict[str, FsmState[ContextT]] = {}
        self._global_transitions_: EventTable[ContextT] = NO_TRANSITIONS
        self._phase_: str | None = None
        self._observers_: Observers | None = None

    @property
    def states(self) -> Mapping[str, FsmState[ContextT]]:
        """Name -> state, in order of adding; read-only."""
        return MappingProxyType(self._states_)

    @property
    def groups(self) -> Mapping[str, StateGroup[ContextT]]:
        """Name -> group of states, in order of adding; read-only."""
        return MappingProxyType({group.name: group for group in self._options_.groups})

    @property
    def global_transitions(self) -> Mapping[str, tuple[Transition[ContextT], ...]]:
        """Event -> its transitions from any state, in the order they are asked in; read-only."""
        return MappingProxyType(dict(all_transitions(self._global_transitions_)))

    @property
    def on_unhandled(self) -> OnUnhandled:
        """What happens to an event that is not handled."""
        return self._options_.on_unhandled

    @on_unhandled.setter
    def on_unhandled(self, choice: OnUnhandled) -> None:
        self._options_ = checked_options(self._options_._replace(on_unhandled=choice))

    @property
    def max_transitions(self) -> int:
        """The most state changes that one external call may lead to."""
        return self._options_.max_transitions

    @max_transitions.setter
    def max_transitions(self, bound: int) -> None:
        self._options_ = checked_options(self._options_._replace(max_transitions=bound))

    @property
    def carry_time(self) -> bool:
        """Whether the rest of a step when a state finishes is passed on to the next (rule 22)."""
        return self._step_ is not None

    @carry_time.setter
    def carry_time(self, carry_time: bool) -> None:
        checked_options(self._options_, carry_time)
        if carry_time is not self.carry_time:
            self._step_ = CarriedStep() if carry_time else None

    def add_state(
        self, name: str, *, final: bool = False, failed: bool = False
    ) -> FsmState[ContextT]:
        """Add a state and return it. The first one added is where `start()` begins.

        `final` marks a state in which the behaviour is over. It changes nothing in the machine
        itself; `RunFsm`, checks and pictures read it. `failed` marks a final state in which the
        behaviour has failed: a `RunFsm` fails with it. Raises DuplicateStateError for a name in
        use, ValueError for `failed` without `final`.
        """
        self._check_definable_("add_state()")
        self._check_free_(arguments.name(name, "The name of a state"))
        place = f"Fsm {self.name!r}, state {name!r}"
        arguments.flag(final, f"{place}: final")
        arguments.flag(failed, f"{place}: failed")
        if failed and not final:
            raise ValueError(
                f"{place}: failed must mark a final state, got failed=True without final=True. Add "
                "final=True, or call fail() in an action of the state."
            )
        state = self._states_[name] = FsmState(cast("Fsm[ContextT]", self), name, final, failed)
        return state

    def remove_state(self, state: FsmState[ContextT] | str) -> None:
        """Remove a state and every transition that leads to it.

        Raises FsmError for the current state and one that is suspended, UnknownStateError if there
        is no such state.
        """
        self._check_definable_("remove_state()")
        state = self._find_state_(state)
        if state is state.fsm.current_state or state in state.fsm.suspended:
            how = "suspended" if state in state.fsm.suspended else "the current state"
            raise FsmError(
                f"{state} is {how} and cannot be removed. Change the state or stop() first."
            )
        del self._states_[state.name]
        remove_target(self._global_transitions_, state)
        for source in (*self._states_.values(), *self._options_.groups):
            source._remove_target(state)

    def add_group(self, name: str, *states: FsmState[ContextT] | str) -> StateGroup[ContextT]:
        """Add a group of states, which share the transitions of the group, and return it.

        A state may be in several groups. Raises DuplicateStateError for a name that a state or a
        group has, UnknownStateError for a state that the machine does not have.
        """
        self._check_definable_("add_group()")
        self._check_free_(arguments.name(name, "The name of a group"))
        found = [self._find_state_(state) for state in states]
        group = StateGroup(cast("Fsm[ContextT]", self), name)
        self._keep_groups_((*self._options_.groups, group))
        group.add(*found)
        return group

    def remove_group(self, group: StateGroup[ContextT] | str) -> None:
        """Remove a group, given as such or by its name, and its transitions; its states stay.

        Raises FsmError if there is no such group.
        """
        self._check_definable_("remove_group()")
        found = self.groups.get(group) if isinstance(group, str) else group
        if not isinstance(found, StateGroup) or found not in self._options_.groups:
            raise FsmError(messages.unknown_group(self.name, group, self.groups))
        found.remove(*found)
        self._keep_groups_(each for each in self._options_.groups if each is not found)

    def possible_events(self) -> tuple[PossibleEvent, ...]:
        """Return the events that would be taken now, each with what would take it.

        Those with a transition from the current state come first, then those with one of its
        groups, then those with a global one, then those that only actions take, or nested machines.
        What may take the same event follows in the order in which it is asked, up to the first that
        certainly takes it; it includes transitions whose guard refuses, with `agrees=False`. What
        would change nothing is left out: a transition of a group, or a global one, to the current
        state, `BACK` with nothing suspended. So is an action whose `on_event` does not say what it
        takes: see `fsmkit.recording.why` for one event.

        Guards are asked once, as for an event without data; nothing is sent. Empty while the
        machine is not running, is suspended with its host, or no event could be decided now: in an
        `on_exit`, in a guard, and once a change has been decided.
        """
        return tuple([PossibleEvent(*parts) for parts in self._foreseen_()])

    @overload
    def add_global_transition(
        self,
        event: Event[EventDataT],
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfData[ContextT, EventDataT] | None = None,
        do: OfData[ContextT, EventDataT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

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
        event: EventWith[EventDataT],
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfData[ContextT, EventDataT] | None = None,
        do: OfData[ContextT, EventDataT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

    def add_global_transition(  # type: ignore[misc]  # an `EventWith` is a str
        self,
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: AnyFunction | None = None,
        do: AnyFunction | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]:
        """Let `event` lead to `state` from any state whose own transitions do not take it.

        Arguments, result and errors are those of `FsmState.add_transition`.
        """
        self._check_definable_("add_global_transition()")
        given = plain((event, state, when, do, suspend))
        if self._global_transitions_ is NO_TRANSITIONS:
            self._global_transitions_ = {}
        return self._add_transition_(self._global_transitions_, None, given)

    def remove_global_transition(self, event: str) -> None:
        """Remove the global transitions for `event`; FsmError if there is none."""
        self._remove_transition_(self._global_transitions_, None, event)

    def _add_transition_(
        self, table: EventTable[ContextT], source: Source[ContextT] | None, given: Transition[Any]
    ) -> Transition[ContextT]:
        """Append a transition, as given, to those of its event."""
        self._check_definable_("add_transition()" if source else "add_global_transition()")
        target: Any
        event, target, when, do, suspend = given
        try:
            found: Any = target if target is BACK else self._find_state_(target)
        except (TypeError, UnknownStateError):
            if isinstance(event, FsmState):
                raise TypeError(
                    f"{self._place_(source)}: an event must be a str, got {event!r}. "
                    "The event comes first, then the state."
                ) from None
            raise
        added: Transition[ContextT] = (
            given if found is target else plain((event, found, when, do, suspend))
        )
        is_plain = when is None and do is None and suspend is False and found is not BACK
        if is_plain and self._checked_event_(event, source) not in table:
            table[event] = found  # pyright: ignore[reportArgumentType]  # no BACK here
        else:
            added = self._checked_transition_(table, source, added)
            table[event] = (*transitions_of(event, table.get(event)), added)
        return added

    def _checked_transition_(
        self, table: EventTable[ContextT], source: Source[ContextT] | None, given: Transition[Any]
    ) -> Transition[ContextT]:
        """Return a valid transition, which may follow the others of its event."""
        event = self._checked_event_(given.event, source)
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

    def _remove_transition_(
        self, table: EventTable[ContextT], source: Source[ContextT] | None, event: str
    ) -> None:
        call = "remove_transition()" if source else "remove_global_transition()"
        self._check_definable_(call)
        if self._checked_event_(event, source) not in table:
            raise FsmError(
                f"Fsm {self.name!r}: {_owner(source)} has no transition for event {quote(event)}. "
                f"It has: {quoted(table)}."
            )
        del table[event]

    def _checked_event_(self, event: object, source: Source[ContextT] | None) -> str:
        if isinstance(event, str) and event:
            return event
        return arguments.name(event, f"{self._place_(source)}: an event")

    def _place_(self, source: Source[ContextT] | None) -> str:
        return f"Fsm {self.name!r}" if source is None else str(source)

    def _first_state_(self) -> FsmState[ContextT]:
        if not self._states_:
            raise FsmError(f"Fsm {self.name!r} has no states to start in. Call add_state() first.")
        return next(iter(self._states_.values()))

    def _find_state_(self, state: FsmState[ContextT] | str) -> FsmState[ContextT]:
        """The state of that name, or that state."""
        if isinstance(state, FsmState):
            if self._states_.get(state.name) is not state:
                raise UnknownStateError(
                    f"{state!r} is not (or no longer) a state of Fsm {self.name!r}. "
                    f"Its states: {quoted(self._states_)}."
                )
            return state
        if not isinstance(state, str):
            raise TypeError(f"A state must be an FsmState or a name, got {state!r}.")
        found = self._states_.get(state)
        if found is None:
            raise UnknownStateError(messages.unknown_state(self.name, state, self._states_))
        return found

    def _state_to_come_(self, name: str) -> FsmState[ContextT]:
        """The state of that name in a machine that is being copied."""
        if not hasattr(self, "_states_"):
            self._states_ = {}
        if name not in self._states_:
            self._states_[name] = FsmState(cast("Fsm[ContextT]", self), name, final=False)
        return self._states_[name]

    def _transitions_from_(
        self, state: FsmState[ContextT]
    ) -> tuple[Mapping[str, tuple[Transition[ContextT], ...]], ...]:
        """The transitions that an event may take, in the order in which it looks them up."""
        shared = [group.transitions for group in self._options_.groups if state in group]
        return (state.transitions, *shared, self.global_transitions)

    def _unhandled_(self, event: str, state: FsmState[ContextT]) -> str:
        """The message for an event that is not handled in `state`."""
        tables = self._transitions_from_(state)
        if any(each.target is BACK for table in tables for each in table.get(event, ())):
            return messages.leads_back_to_nothing(state, event)
        known = dict.fromkeys(event for table in tables for event in table)
        return messages.unhandled(
            state, event, known, about_late_hearing(self, event), about_event(self, event)
        )

    def _keep_groups_(self, groups: Iterable[StateGroup[ContextT]]) -> None:
        self._options_ = self._options_._replace(groups=tuple(groups))

    def _check_free_(self, name: str) -> None:
        kind = "state" if name in self._states_ else "group"
        if kind == "state" or any(group.name == name for group in self._options_.groups):
            raise DuplicateStateError(
                f"Fsm {self.name!r} has a {kind} {name!r} already. Names are unique in a machine."
            )

    def _check_definable_(self, call: str) -> None:
        try:
            observers = self._observers_
        except AttributeError:
            raise messages.incomplete(type(self).__name__) from None
        if observers is not None:
            observers.refuse(self.name, call)
        if self._phase_ is not None:
            raise FsmError(
                f"Fsm {self.name!r}: {call} from inside one of its own callbacks. "
                "Change a machine from outside, between two calls to it."
            )


def _owner(source: Source[Any] | None) -> str:
    if source is None:
        return "the machine"
    return f"{'state' if isinstance(source, FsmState) else 'group'} {source.name!r}"
