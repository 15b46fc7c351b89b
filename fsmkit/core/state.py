"""FsmState, StateGroup and Transition: what a machine is made of.

Most transitions have neither a guard nor an effect. For those a table stores the target alone: it
takes half the memory, and the event leads straight to the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    NamedTuple,
    Never,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from fsmkit.core.action import (
    NO_CALLBACKS,
    Callbacks,
    FsmAction,
    enabled_callbacks,
    family_of,
    has_own_callbacks,
)
from fsmkit.core.checks import arguments
from fsmkit.core.checks.functions import described, handed
from fsmkit.core.checks.subclasses import check_own_values, refuse_own_callbacks
from fsmkit.core.errors import ActionOwnershipError, FsmError
from fsmkit.core.event_types import Event, EventWith, Senders, typed_as
from fsmkit.core.types import ContextT, EventDataT
from fsmkit.core.words.messages import runs_itself
from fsmkit.core.words.quoting import quote, quoted

if TYPE_CHECKING:
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.observers import Observers

WantedT_contra = TypeVar("WantedT_contra", contravariant=True)
ActionT = TypeVar("ActionT")
ActionT_co = TypeVar("ActionT_co", covariant=True)
AnyFunction: TypeAlias = Callable[..., Any]
StateT_contra = TypeVar("StateT_contra", contravariant=True)


class Parameterless(Protocol):
    """A guard or an effect that takes nothing.

    Not written as a `Callable`: beside a second one mypy would lose the context inside lambdas.
    """

    def __call__(self) -> object: ...


class StateOnly(Protocol[StateT_contra]):
    """A guard or an effect that takes the state, beside one that takes the event's data too."""

    def __call__(self, state: StateT_contra, /) -> object: ...


OfState: TypeAlias = "Callable[[FsmState[ContextT]], object] | Parameterless"
OfLess: TypeAlias = "StateOnly[FsmState[ContextT]] | Parameterless"
OfData: TypeAlias = "Callable[[FsmState[ContextT], EventDataT], object] | OfLess[ContextT]"
"""Guards and effects. Two types, so that checkers know the context in lambdas of both kinds."""


class Back(Enum):
    """The type of `BACK`, the target that is not a state."""

    BACK = "BACK"


BACK: Final = Back.BACK
"""The target of a transition that goes back to the state that was suspended last."""


class Transition(NamedTuple, Generic[ContextT]):
    """A way from a state, or from any state, to `target`: another state, or `BACK`.

    `when` is its guard: a function that returns whether it may be taken. `do` is its effect: a
    function called after the exits and before the target becomes current. Each takes nothing, the
    state, or the state and the data of the event. With `suspend` the state it leads away from is
    suspended, to be resumed by a transition to `BACK`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Turnstile", context={"paid": False})
    >>> locked, opened = fsm.add_state("Locked"), fsm.add_state("Opened")
    >>> push = locked.add_transition("PUSH", opened, when=lambda state: state.context["paid"])
    >>> fsm.start()
    >>> fsm.send_event("PUSH")
    False
    >>> fsm.context["paid"] = True
    >>> fsm.send_event("PUSH")
    True
    >>> push.event, push.target.name
    ('PUSH', 'Opened')
    """

    event: str
    """The event that takes it."""
    target: FsmState[ContextT] | Back
    """The state it leads to, or `BACK`."""
    when: AnyFunction | None = None
    """The guard; None: it may always be taken."""
    do: AnyFunction | None = None
    """The effect, if it has one."""
    suspend: bool = False
    """Whether the state that it leads away from is suspended."""

    @property
    def is_plain(self) -> bool:
        """Whether it has no guard and no effect, and does not suspend or lead `BACK`."""
        return self.when is None and self.do is None and not self.suspend and self.target != BACK

    def __repr__(self) -> str:
        more = "".join(
            f", {name}={described(f)}" for name in ("when", "do") if (f := getattr(self, name))
        )
        more += ", suspend=True" if self.suspend else ""
        return f"Transition({quote(self.event)} -> {self.target.name!r}{more})"


plain: Callable[[tuple[Any, ...]], Transition[Any]] = partial(tuple.__new__, Transition)
"""Makes a transition of its five parts in less than half the time of the constructor."""

TableEntry: TypeAlias = "FsmState[ContextT] | tuple[Transition[ContextT], ...]"
"""The entry of a table: the target of a plain transition, or all transitions of the event."""

EventTable: TypeAlias = "dict[str, TableEntry[ContextT]]"
"""The transitions of a state, or the global ones, by event."""


class PossibleEvent(NamedTuple):
    """Something that would take an event if it were sent now: a transition or an action.

    >>> from fsmkit import Fsm
    >>> order = Fsm("Order", context={"paid": 20})
    >>> opened, paid = order.add_state("Open"), order.add_state("Paid")
    >>> _ = opened.add_transition("PAY", paid, when=lambda state: state.context["paid"] >= 30)
    >>> _ = opened.add_transition("CANCEL", order.add_state("Cancelled"))
    >>> order.start()
    >>> [(each.event, each.agrees) for each in order.possible_events()]
    [('PAY', False), ('CANCEL', True)]
    """

    event: str
    machine: Fsm[Any]
    """The machine that would take it: the one that was asked, or one nested in it."""
    transition: Transition[Any] | None
    """The transition that it would take; None for an event that an action takes."""
    action: FsmAction[Any] | None
    """The action whose `on_event` would take it; None for a transition."""
    agrees: bool | None
    """Whether it would be taken: there is no guard, or it agrees. None if only the event itself
    would tell: the guard has raised an error, or the action says no more than that it may."""
    error: Exception | None = None
    """What the guard has raised, when it was asked without data."""


class Fitting(Protocol[WantedT_contra, ActionT_co]):
    """An action that fits a machine with this context: it requires that context or less.

    Only for type checkers: it lets `state.add_action(DelegateAction(lambda state: ...))` know the
    context inside the lambda and still return the exact type of the action.
    """

    def _fsmkit_fits(self, context: WantedT_contra, /) -> ActionT_co: ...


def _stays(source: Source[Any], value: object) -> None:
    kind = "state" if isinstance(source, FsmState) else "group"
    raise AttributeError(
        f"{source}: the name and the machine of a {kind} cannot be set, got {value!r}: the machine "
        f"finds it by its name. Add another {kind}."
    )


class Source(Generic[ContextT]):
    """Where transitions lead from: a state, or a group of states."""

    __slots__ = ("_fsm", "_name", "_transitions")

    _fsm: Fsm[ContextT]
    _transitions: EventTable[ContextT]

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """Its name, unique in the machine."""
            raise NotImplementedError

        @property
        def fsm(self) -> Fsm[ContextT]:
            """The machine it belongs to."""
            raise NotImplementedError

    else:
        name = property(attrgetter("_name"), _stays, doc="Its name, unique in the machine.")
        fsm = property(attrgetter("_fsm"), _stays, doc="The machine it belongs to.")

    @property
    def transitions(self) -> Mapping[str, tuple[Transition[ContextT], ...]]:
        """Event -> its transitions, in the order in which they are asked; read-only."""
        return MappingProxyType(dict(all_transitions(self._transitions)))

    @overload
    def add_transition(
        self,
        event: Event[EventDataT],
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfData[ContextT, EventDataT] | None = None,
        do: OfData[ContextT, EventDataT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

    @overload
    def add_transition(
        self,
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfState[ContextT] | None = None,
        do: OfState[ContextT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

    @overload
    def add_transition(
        self,
        event: EventWith[EventDataT],
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfData[ContextT, EventDataT] | None = None,
        do: OfData[ContextT, EventDataT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

    def add_transition(  # type: ignore[misc]  # an `EventWith` is a str
        self,
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: AnyFunction | None = None,
        do: AnyFunction | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]:
        """Let `event` lead from here to `state`, given as a state, by its name, or `BACK`.

        `when`, `do` and `suspend` are those of `Transition`. Several transitions for one event are
        asked in the order of adding; one without `when` is the last.

        Raises DuplicateTransitionError after one without `when`, UnknownStateError if the machine
        has no state of that name, FsmError if `state` belongs to another machine or would suspend
        itself, TypeError for functions that take something else.
        """
        given = plain((event, state, when, do, suspend))
        return self._fsm._add_transition_(self._transitions, self, given)

    def remove_transition(self, event: str) -> None:
        """Remove all transitions for `event`; FsmError if there is none."""
        self.fsm._remove_transition_(self._transitions, self, event)

    def _check_definable(self, call: str) -> None:
        self._fsm._check_definable_(call)

    def _remove_target(self, state: FsmState[ContextT]) -> None:
        remove_target(self._transitions, state)


class FsmState(Source[ContextT]):
    """A state of a machine. Made by `Fsm.add_state`, never directly.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Door")
    >>> closed, opened = fsm.add_state("Closed"), fsm.add_state("Open", final=True)
    >>> _ = closed.add_transition("PUSH", opened)
    >>> closed.name, list(closed.transitions), opened.final
    ('Closed', ['PUSH'], True)
    """

    __slots__ = ("__weakref__", "_actions", "_callbacks", "_shared", "failed", "final")

    def __init__(self, fsm: Fsm[ContextT], name: str, final: bool, failed: bool = False) -> None:
        self._fsm = fsm
        self._name = name
        self.final, self.failed = final, failed
        self._actions: tuple[FsmAction[Any], ...] = ()
        self._transitions = {}
        self._shared: tuple[EventTable[ContextT], ...] = ()
        self._callbacks: Callbacks = NO_CALLBACKS  # until it is prepared

    @property
    def context(self) -> ContextT:
        """The context of the machine."""
        return self.fsm.context

    @property
    def delta_time(self) -> float:
        """Seconds that the current update stands for."""
        return self.fsm.delta_time

    @property
    def actions(self) -> Sequence[FsmAction[Any]]:
        """The actions, in the order in which they are called; read-only."""
        return self._actions

    def add_action(self, action: Fitting[ContextT, ActionT]) -> ActionT:
        """Append `action` and return it.

        If this state is current, it takes part from the next visit on. Raises
        ActionOwnershipError if it, or an action inside it, already belongs to a state.
        """
        self._check_definable("add_action()")
        self._take_in(action)
        self._actions = (*self._actions, cast("FsmAction[Any]", action))
        self._callbacks = NO_CALLBACKS
        return cast("ActionT", action)

    def remove_action(self, action: FsmAction[Any]) -> None:
        """Remove `action` and free it for another state.

        If it was entered in the present visit, it is exited now; if it was the last unfinished one,
        the state has finished (rule 10). Raises ActionOwnershipError if this state does not have
        it.
        """
        self._check_definable("remove_action()")
        if not any(other is action for other in self._actions):
            raise ActionOwnershipError(f"{self} does not have the action {action!r}.")
        is_over = False
        try:
            is_over = self.fsm._exit_removed_(action)
        finally:
            self._actions = tuple(other for other in self._actions if other is not action)
            self._callbacks = NO_CALLBACKS
            self._set_free(action)
        if is_over:
            self.fsm._call_from_outside_(self.fsm._send_finished_)

    @typed_as(Senders.send_event)
    def send_event(self, event: str, data: object = None) -> bool:
        """Send `event` to the machine; see `Fsm.send_event`."""
        return self.fsm.send_event(event, data)

    def _take_in(self, action: object) -> None:
        """Attach an action, and all actions that it runs, to this state."""
        family = self._checked_family(action)
        for member in family:
            member._fsmkit_join(self, member.children if len(family) > 1 else ())

    def _set_free(self, action: FsmAction[Any]) -> None:
        """Detach an action, and all actions that it runs, from this state."""
        for member in family_of(action):
            member._fsmkit_leave()

    def _checked_family(self, action: object) -> Sequence[FsmAction[Any]]:
        """The action and all actions that it runs; raise unless each of them is free."""
        if not isinstance(action, FsmAction):
            raise TypeError(
                f"{self}: add_action() takes an instance of an FsmAction, got "
                f"{_described(action, self.fsm._wrapper_)}"
            )
        family = family_of(action)
        for member in family:
            check_own_values(member)
            if member is not action and has_own_callbacks(member):  # its parent would call them
                refuse_own_callbacks(member)
            if member.state is not None:
                raise ActionOwnershipError(
                    f"{self}: {member!r} belongs to {member.state} already. "
                    "An action belongs to one state: make a second one."
                )
        if len(family) > 1 or type(action).machines is not FsmAction.machines:
            for machine in action.machines:
                if way := _way_to(self.fsm, (machine,)):
                    raise runs_itself([each.name for each in (self.fsm, *way)])
        if len(family) > 1 and len({id(member) for member in family}) < len(family):
            raise ActionOwnershipError(f"{self}: {action!r} runs the same action twice: make two.")
        return family

    def _prepare(self, observers: Observers | None) -> Callbacks:
        """Return what it is entered with, looked up once until its definition changes."""
        callbacks = self._callbacks
        if callbacks is NO_CALLBACKS or (callbacks.kinds and callbacks.is_stale):
            callbacks = self._callbacks = enabled_callbacks(self._actions, observers)
        return callbacks

    def _forget_callbacks(self) -> None:
        """Look them up again: its actions have changed, or those who observe them."""
        self._callbacks = NO_CALLBACKS

    def _share(self, tables: tuple[EventTable[ContextT], ...]) -> None:
        """Store the transitions that it shares with others: those of its groups (rule 26)."""
        self._shared = tables

    def _leads_on(self, event: str) -> bool:
        """Whether there are transitions for `event`, of its own or of a group."""
        return event in self._transitions or any(event in table for table in self._shared)

    # Copies (rule 23)

    def __copy__(self) -> Never:
        raise TypeError(
            f"{self}: a shallow copy would share its actions with the original. "
            "Use copy.deepcopy() of the machine."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """A state names its machine; its contents are copied with that."""
        if self.fsm.states.get(self.name) is self:
            return _state_of, (self.fsm, self.name)
        return FsmState, (self.fsm, self.name, self.final, self.failed), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        marks = [
            (member, {name: mark for name, mark in vars(member).items() if name[:8] == "_fsmkit_"})
            for action in self._actions
            for member in family_of(action)
        ]
        return self.final, self.failed, self._actions, self._transitions, self._shared, marks

    def __setstate__(self, contents: tuple[Any, ...]) -> None:
        self.final, self.failed, self._actions, self._transitions, self._shared, marks = contents
        for member, own in marks:  # attrs copies a class with slots without its bookkeeping
            vars(member).update(own)

    def __str__(self) -> str:
        return f"Fsm {self.fsm.name!r}, state {self.name!r}"

    def __repr__(self) -> str:
        return f"<FsmState {self.name!r} of Fsm {self.fsm.name!r}>"


class StateGroup(Source[ContextT]):
    """States of a machine that share transitions. Made by `Fsm.add_group`, never directly.

    An event is looked up in the current state's own transitions, then in those of its groups, in
    the order in which the groups were added, then in the global ones. A transition of a group to
    the current state does nothing, as a global one.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard")
    >>> patrol, chase, dead = (fsm.add_state(name) for name in ("Patrol", "Chase", "Dead"))
    >>> alive = fsm.add_group("Alive", patrol, chase)
    >>> _ = alive.add_transition("SHOT", dead)
    >>> fsm.start("Chase")
    >>> fsm.current_state in alive
    True
    >>> fsm.send_event("SHOT")
    True
    >>> fsm.current_state in alive
    False
    """

    __slots__ = ("__weakref__", "_states")

    def __init__(self, fsm: Fsm[ContextT], name: str) -> None:
        self._fsm = fsm
        self._name = name
        self._transitions: EventTable[ContextT] = {}
        self._states: dict[FsmState[ContextT], None] = {}

    @property
    def states(self) -> tuple[FsmState[ContextT], ...]:
        """The states in it, in the order in which they were added to it."""
        return tuple(self._states)

    def __iter__(self) -> Iterator[FsmState[ContextT]]:
        return iter(self.states)

    def __contains__(self, state: object) -> bool:
        """Whether a state, given as such or by its name, is in it."""
        if isinstance(state, str):
            state = self.fsm.states.get(state)
        return isinstance(state, FsmState) and state in self._states

    def add(self, *states: FsmState[ContextT] | str) -> None:
        """Add states, given as such or by their names; without effect on those that are in it.

        Raises UnknownStateError for one that the machine does not have, FsmError from inside a
        callback of the machine.
        """
        found = self._found("add()", states)
        self._states.update(dict.fromkeys(found))
        self._share_with(found)

    def remove(self, *states: FsmState[ContextT] | str) -> None:
        """Remove states, given as such or by their names.

        Raises FsmError for one that is not in it, and from inside a callback of the machine.
        """
        found = self._found("remove()", states)
        if strangers := [state.name for state in found if state not in self._states]:
            members = quoted([state.name for state in self._states])
            raise FsmError(f"{self} does not have {quoted(strangers)}. Its states: {members}.")
        for state in found:
            self._states.pop(state, None)
        self._share_with(found)

    def _found(
        self, call: str, states: Iterable[FsmState[ContextT] | str]
    ) -> list[FsmState[ContextT]]:
        """The states that are meant; raise unless the group may change."""
        self._check_definable(call)
        if self._fsm.groups.get(self._name) is not self:
            raise FsmError(
                f"{self}: {call} of a group that was removed. Add another with add_group()."
            )
        return [self._fsm._find_state_(state) for state in states]

    def _share_with(self, states: Iterable[FsmState[ContextT]]) -> None:
        """Let states have the transitions of the groups that they are in, in their order."""
        groups = self._fsm.groups.values()
        for state in states:
            state._share(tuple([each._transitions for each in groups if state in each]))

    def _remove_target(self, state: FsmState[ContextT]) -> None:
        remove_target(self._transitions, state)
        self._states.pop(state, None)

    def __str__(self) -> str:
        return f"Fsm {self.fsm.name!r}, group {self.name!r}"

    def __repr__(self) -> str:
        return f"<StateGroup {self.name!r} of Fsm {self.fsm.name!r}>"


def _described(wrong: object, wrapper: str) -> str:
    """A description of something added that is not an action, and advice."""
    if isinstance(wrong, type):
        advice = f" Make one: {wrong.__name__}(...)." if issubclass(wrong, FsmAction) else ""
        return f"the class {wrong.__name__}.{advice}"
    advice = f" Wrap a function: {wrapper}(on_enter=...)." if callable(wrong) else ""
    return f"{wrong!r}.{advice}"


def _way_to(wanted: Fsm[Any], way: tuple[Fsm[Any], ...]) -> tuple[Fsm[Any], ...]:
    """The machines from the first of `way` down to `wanted`; empty if it is not inside."""
    if way[-1] is wanted:
        return way
    for state in way[-1].states.values():
        for action in state.actions:
            for machine in action.machines:
                if machine not in way and (found := _way_to(wanted, (*way, machine))):
                    return found
    return ()


def _state_of(fsm: Fsm[ContextT], name: str) -> FsmState[ContextT]:
    """The state of a machine that is being copied."""
    return fsm._state_to_come_(name)


# Tables of transitions


def checked(given: Transition[Any], owner: str) -> Transition[Any]:
    """Return a transition whose functions take the state and the data; TypeError if invalid."""
    place = f"{owner}, transition {quote(given.event)}"
    arguments.flag(given.suspend, f"{place}: suspend")
    functions: dict[str, Any] = {
        name: handed(function, f"{place}: {name}", data=True)
        for name in ("when", "do")
        if (function := getattr(given, name)) is not None
    }
    return Transition(given.event, given.target, suspend=given.suspend, **functions)


def transitions_of(
    event: str, way: TableEntry[ContextT] | None
) -> tuple[Transition[ContextT], ...]:
    """All transitions of a table for `event`, in the order in which they are asked."""
    if way is None:
        return ()
    return way if isinstance(way, tuple) else (plain((event, way, None, None, False)),)


def all_transitions(
    table: EventTable[ContextT],
) -> Iterator[tuple[str, tuple[Transition[Any], ...]]]:
    """Event by event, all transitions of a table."""
    return ((event, transitions_of(event, way)) for event, way in table.items())


def remove_target(table: EventTable[ContextT], target: FsmState[ContextT]) -> None:
    """Remove the transitions that lead to `target`."""
    for event, way in [*table.items()]:
        others = tuple(each for each in transitions_of(event, way) if each.target is not target)
        if not others:
            del table[event]
        elif isinstance(way, tuple):
            table[event] = others
