"""FsmState: a name, transitions to other states and an ordered list of actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from fsmkit.core.action import FsmAction
from fsmkit.core.errors import ActionOwnershipError
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


class FsmState(Generic[ContextT]):
    """A state of a machine. Made by `Fsm.add_state`, never directly."""

    __slots__ = ("__weakref__", "_actions", "_transitions", "_visit", "final", "fsm", "name")

    def __init__(self, fsm: Fsm[ContextT], name: str, final: bool) -> None:
        self.fsm = fsm
        self.name = name
        self.final = final
        self._actions: tuple[FsmAction[Any], ...] = ()
        self._transitions: dict[str, FsmState[ContextT]] = {}
        self._visit: Visit | None = None

    @property
    def context(self) -> ContextT:
        """The context of the machine."""
        return self.fsm.context

    @property
    def delta_time(self) -> float:
        """Seconds that the current update stands for."""
        return self.fsm.delta_time

    @property
    def transitions(self) -> Mapping[str, FsmState[ContextT]]:
        """Event -> the state it leads to; read-only."""
        return MappingProxyType(self._transitions)

    @property
    def actions(self) -> Sequence[FsmAction[Any]]:
        """The actions, in the order in which they are called; read-only."""
        return self._actions

    def add_transition(self, event: str, state: FsmState[ContextT] | str) -> None:
        """Let `event` lead from this state to `state`, given as a state or by its name.

        Raises DuplicateTransitionError if `event` has a transition, UnknownStateError if the
        machine has no state of that name, FsmError if `state` belongs to another machine.
        """
        self.fsm._check_definable("add_transition()")
        self.fsm._add_transition(self._transitions, f"state {self.name!r}", event, state)

    def remove_transition(self, event: str) -> None:
        """Remove the transition for `event`; FsmError if there is none."""
        self.fsm._check_definable("remove_transition()")
        self.fsm._remove_transition(self._transitions, f"state {self.name!r}", event)

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

        If it was entered in the present visit it is exited now. Raises
        ActionOwnershipError if this state does not have it.
        """
        self.fsm._check_definable("remove_action()")
        if not any(other is action for other in self._actions):
            raise ActionOwnershipError(f"{self} does not have the action {action!r}.")
        try:
            self.fsm._remove_from_visit(action)
        finally:
            self._actions = tuple(other for other in self._actions if other is not action)
            self._visit = None
            for member in action._fsmkit_family():
                member._fsmkit_leave()

    def send_event(self, event: str, data: object = None) -> bool:
        """Send `event` to the machine; see `Fsm.send_event`."""
        return self.fsm.send_event(event, data)

    def _checked_family(self, action: object) -> Sequence[FsmAction[Any]]:
        """The action and all that it runs, if every one of them is free."""
        if not isinstance(action, FsmAction):
            what = f"the class {action.__name__}" if isinstance(action, type) else repr(action)
            raise TypeError(f"{self}: add_action() takes an instance of an FsmAction, got {what}.")
        family = action._fsmkit_family()
        for member in family:
            if member.state is not None:
                raise ActionOwnershipError(
                    f"{self}: {member!r} belongs to {member.state} already. "
                    "An action belongs to one state: make a second one."
                )
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

    def __str__(self) -> str:
        return f"Fsm {self.fsm.name!r}, state {self.name!r}"

    def __repr__(self) -> str:
        return f"<FsmState {self.name!r} of Fsm {self.fsm.name!r}>"
