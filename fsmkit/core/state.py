"""FsmState: a name, transitions to other states and an ordered list of actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Never, Protocol, TypeVar, cast, overload

from fsmkit.core.action import FsmAction
from fsmkit.core.errors import ActionOwnershipError
from fsmkit.core.messages import check_circle
from fsmkit.core.own_actions import check_own_values
from fsmkit.core.transition import (
    Back,
    Function,
    OfData,
    OfState,
    Table,
    Transition,
    all_transitions,
    plain,
    without_target,
)
from fsmkit.core.types import ContextT
from fsmkit.core.visit import Visit

if TYPE_CHECKING:
    from fsmkit.core.fsm import Fsm

WantedT = TypeVar("WantedT")
ActionT = TypeVar("ActionT")
ActionT_co = TypeVar("ActionT_co", covariant=True)


class Fitting(Protocol[WantedT, ActionT_co]):
    """An action that fits the states of a machine with the context `WantedT`.

    Only for type checkers: it lets `state.add_action(DelegateAction(lambda state: ...))` know the
    context inside the lambda and still return the very type of the action.
    """

    def _fsmkit_fits(self, state: FsmState[WantedT], /) -> ActionT_co:
        """See `FsmAction._fsmkit_fits`."""
        ...


def _stays(state: FsmState[Any], value: object) -> None:
    raise AttributeError(
        f"{state}: the name and the machine of a state cannot be set, got {value!r}: the machine "
        "finds it by its name. Add another state."
    )


class FsmState(Generic[ContextT]):
    """A state of a machine. Made by `Fsm.add_state`, never directly.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Door")
    >>> closed, opened = fsm.add_state("Closed"), fsm.add_state("Open", final=True)
    >>> _ = closed.add_transition("PUSH", opened)
    >>> closed.name, list(closed.transitions), opened.final
    ('Closed', ['PUSH'], True)
    """

    __slots__ = ("__weakref__", "_actions", "_fsm", "_name", "_transitions", "_visit", "final")

    def __init__(self, fsm: Fsm[ContextT], name: str, final: bool) -> None:
        self._fsm = fsm
        self._name = name
        self.final = final
        self._actions: tuple[FsmAction[Any], ...] = ()
        self._transitions: Table[ContextT] = {}
        self._visit: Visit | None = None

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
    def context(self) -> ContextT:
        """The context of the machine."""
        return self.fsm.context

    @property
    def delta_time(self) -> float:
        """Seconds that the current update stands for."""
        return self.fsm.delta_time

    @property
    def transitions(self) -> Mapping[str, tuple[Transition[ContextT], ...]]:
        """Event -> its transitions, in the order in which they are asked; read-only."""
        return MappingProxyType(dict(all_transitions(self._transitions)))

    @property
    def actions(self) -> Sequence[FsmAction[Any]]:
        """The actions, in the order in which they are called; read-only."""
        return self._actions

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
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: OfData[ContextT] | None = None,
        do: OfData[ContextT] | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]: ...

    def add_transition(
        self,
        event: str,
        state: FsmState[ContextT] | str | Back,
        *,
        when: Function | None = None,
        do: Function | None = None,
        suspend: bool = False,
    ) -> Transition[ContextT]:
        """Let `event` lead from this state to `state`, given as a state, by its name, or `BACK`.

        `when`, `do` and `suspend` are those of `Transition`. Several transitions for one event are
        asked in the order of adding; one without `when` is the last.

        Raises DuplicateTransitionError after one without `when`, UnknownStateError if the machine
        has no state of that name, FsmError if `state` belongs to another machine or would suspend
        itself, TypeError for functions that take something else.
        """
        fsm = self._fsm
        fsm._check_definable("add_transition()")
        given = plain((event, state, when, do, suspend))
        return fsm._add_transition(self._transitions, self, given)

    def remove_transition(self, event: str) -> None:
        """Remove all transitions for `event`; FsmError if there is none."""
        self.fsm._check_definable("remove_transition()")
        self.fsm._remove_transition(self._transitions, self, event)
        self.fsm._renew_routes(self)

    def add_action(self, action: Fitting[ContextT, ActionT]) -> ActionT:
        """Append `action` and return it.

        Added while this state is current, it takes part from the next visit on. Raises
        ActionOwnershipError if it, or an action inside it, belongs to a state already.
        """
        self.fsm._check_definable("add_action()")
        family = self._checked_family(action)
        for member in family:
            member._fsmkit_join(self)
            if len(family) > 1:
                member._fsmkit_adopt()
        self._actions = (*self._actions, family[0])
        self._visit = None
        return cast("ActionT", action)

    def remove_action(self, action: FsmAction[Any]) -> None:
        """Remove `action` and free it for another state.

        If it was entered in the present visit it is exited now; if it was the last one that had not
        finished, the state has (rule 10). Raises
        ActionOwnershipError if this state does not have it.
        """
        self.fsm._check_definable("remove_action()")
        if not any(other is action for other in self._actions):
            raise ActionOwnershipError(f"{self} does not have the action {action!r}.")
        is_over = False
        try:
            is_over = self.fsm._remove_from_visit(action)
        finally:
            self._actions = tuple(other for other in self._actions if other is not action)
            self._visit = None
            for member in action._fsmkit_family():
                member._fsmkit_leave()
        if is_over:
            self.fsm._call(self.fsm._send_finished)

    def send_event(self, event: str, data: object = None) -> bool:
        """Send `event` to the machine; see `Fsm.send_event`."""
        return self.fsm.send_event(event, data)

    def _checked_family(self, action: object) -> Sequence[FsmAction[Any]]:
        """The action and all that it runs, if every one of them is free."""
        if not isinstance(action, FsmAction):
            raise TypeError(
                f"{self}: add_action() takes an instance of an FsmAction, got "
                f"{_described(action, self.fsm._wrapper)}"
            )
        family = action._fsmkit_family()
        for member in family:
            if member._fsmkit_declares or member.background is not False:
                check_own_values(member)
            if member.state is not None:
                raise ActionOwnershipError(
                    f"{self}: {member!r} belongs to {member.state} already. "
                    "An action belongs to one state: make a second one."
                )
        if len(family) > 1 or type(action).machines is not FsmAction.machines:
            check_circle(self.fsm, action.machines)
        if len(family) > 1 and len({id(member) for member in family}) < len(family):
            raise ActionOwnershipError(f"{self}: {action!r} runs the same action twice: make two.")
        return family

    def _prepare_visit(self) -> Visit:
        """Make the visit to enter this state with; kept until something it is made of changes."""
        actions = tuple(action for action in self._actions if action.enabled)
        self._visit = self.fsm._new_visit(self, actions)
        return self._visit

    def _forget_visit(self) -> None:
        self._visit = None

    def _enter_with(self, visit: Visit) -> None:
        """Be entered with `visit` the next time; `_forget_visit` ends that."""
        self._visit = visit

    def _drop_transitions_to(self, state: FsmState[ContextT]) -> None:
        self._transitions = without_target(self._transitions, state)

    # Copies (rule 23)

    def __copy__(self) -> Never:
        raise TypeError(
            f"{self}: a shallow copy would share its actions with the original. "
            "Use copy.deepcopy() of the machine."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """A state says whose it is; what is in it comes with the machine."""
        if self.fsm.states.get(self.name) is self:
            return _state_of, (self.fsm, self.name)
        return FsmState, (self.fsm, self.name, self.final), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        marks = [
            (member, {name: mark for name, mark in vars(member).items() if name[:8] == "_fsmkit_"})
            for action in self._actions
            for member in action._fsmkit_family()
        ]
        return self.final, self._actions, self._transitions, marks

    def __setstate__(self, contents: tuple[Any, ...]) -> None:
        self.final, self._actions, self._transitions, marks = contents
        for member, own in marks:  # attrs copies a class with slots without its bookkeeping
            vars(member).update(own)

    def __str__(self) -> str:
        return f"Fsm {self.fsm.name!r}, state {self.name!r}"

    def __repr__(self) -> str:
        return f"<FsmState {self.name!r} of Fsm {self.fsm.name!r}>"


def _described(wrong: object, wrapper: str) -> str:
    """What was added as an action and is none, and what to do."""
    if isinstance(wrong, type):
        advice = f" Make one: {wrong.__name__}(...)." if issubclass(wrong, FsmAction) else ""
        return f"the class {wrong.__name__}.{advice}"
    advice = f" Wrap a function: {wrapper}(on_enter=...)." if callable(wrong) else ""
    return f"{wrong!r}.{advice}"


def _state_of(fsm: Fsm[ContextT], name: str) -> FsmState[ContextT]:
    """The state of a machine that is just being copied."""
    return fsm._state_to_come(name)
