"""Visit: whom a machine has to call from entering a state to leaving it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit.core.action import FsmAction
from fsmkit.core.delayed import drop_delayed
from fsmkit.core.finishing import forget_finished, send_finished

if TYPE_CHECKING:
    from typing import Self

    from fsmkit.core.observers import Observers
    from fsmkit.core.state import FsmState

    Action: TypeAlias = FsmAction[Any]
    Hook: TypeAlias = tuple[Callable[..., Any], Any]
    Hooks: TypeAlias = tuple[Hook, ...]


class Visit:
    """The actions that take part in a visit and the callbacks that are still to be called.

    A visit never changes; when an action drops out, another visit takes its place. So entering a
    state means picking up one object, which the state keeps ready, and whatever is special about a
    stay (an action has finished, an observer watches) is a hook more or less in it: the machine
    itself need not ask.

    A hook is a pair `(function, action)`, to be called as `function(action)`: CPython runs a plain
    function in the same interpreter loop, where a bound method or a partial costs a C call. The
    hooks of the machine itself have the state in the place of the action.
    """

    __slots__ = (
        "_finished",
        "_variants",
        "actions",
        "enters",
        "exits",
        "listeners",
        "routes",
        "size",
        "state",
        "updates",
        "watched",
    )

    def __init__(
        self,
        state: FsmState[Any] | None,
        actions: tuple[Action, ...],
        observers: Observers | None = None,
    ) -> None:
        self.state = state
        self.actions = actions
        """Those that were entered, in list order; while entering, all that take part."""
        self.size = len(actions)
        """How many take part, entered or not."""
        self.updates = overridden("on_update", actions)
        self.listeners = overridden("on_event", actions)
        self.enters: Hooks = overridden("on_enter", actions)
        self.exits: Hooks = overridden("on_exit", actions)
        self.routes: Routes = NOWHERE
        """The events that lead straight to a change: nobody listens, nobody is to be told."""
        self.watched: Routes = NOWHERE
        """The same where there are observers to be told."""
        self._finished = 0
        self._variants: dict[int, Visit] | None = None
        if state is None:
            return
        if observers is not None:
            self._have_told(state, observers)
            self.watched = NOWHERE if self.listeners else state._transitions
        elif not self.listeners:
            self.routes = state._transitions
        if not actions:
            self.enters = (*self.enters, (_finish_empty, state))

    def _have_told(self, state: FsmState[Any], observers: Observers) -> None:
        """Add the hooks that tell the observers what they want to know."""
        if observers.want("action_entered"):
            self.enters = tuple((_enter_and_tell, action) for action in self.actions)
        if observers.want("action_left"):
            self.exits = tuple((_exit_and_tell, action) for action in self.actions)
        if observers.want("state_entered"):
            self.enters = ((_tell_entered, state), *self.enters)
        if observers.want("state_left"):
            self.exits = (*self.exits, (_tell_left, state))

    def position(self, action: object) -> int:
        """Where `action` stands in `actions`; -1 if it takes no part."""
        for position, other in enumerate(self.actions):
            if other is action:
                return position
        return -1

    def first(self, count: int) -> Self:
        """This visit, if only the first `count` actions were entered."""
        return self if count == len(self.actions) else self._among(self.actions[:count])

    def without(self, action: Action) -> Self:
        """This visit, with no part in it for `action`."""
        visit = self._among(tuple(other for other in self.actions if other is not action))
        visit.size -= 1
        return visit

    def resting(self, action: Action) -> Visit:
        """This visit, with no more updates of `action`.

        As the same actions finish in the same order again and again, what comes of it is kept: by
        a number that has one bit for every action that has finished.
        """
        finished = self._finished | 1 << self.position(action)
        kept = self._variants
        if kept is None:
            kept = self._variants = {}
        visit = kept.get(finished)
        if visit is None:
            visit = self.untidy()
            visit.updates = tuple(hook for hook in self.updates if hook[1] is not action)
            visit._finished = finished
            visit._variants = kept
            if len(kept) < MOST_VARIANTS:
                kept[finished] = visit
        return visit

    def untidy(self) -> Self:
        """This visit, with something to be tidied up on leaving."""
        visit = self._copy()
        if self.state is not None and (_tidy_up, self.state) not in self.exits:
            visit.exits = (*self.exits, (_tidy_up, self.state))
        return visit

    def unrouted(self) -> Self:
        """This visit, with no event that leads straight to a change."""
        visit = self._copy()
        visit.routes = visit.watched = NOWHERE
        return visit

    def observed(self, observers: Observers | None) -> Self:
        """This visit, as it is with observers, or without."""
        visit = type(self)(self.state, self.actions, observers)
        visit.size = self.size
        visit.updates = self.updates
        return visit.untidy()

    def _among(self, actions: tuple[Action, ...]) -> Self:
        present = {id(action) for action in (*actions, self.state)}
        visit = self._copy()
        visit.actions = actions
        for hooks in ("enters", "updates", "exits", "listeners"):
            kept = tuple(hook for hook in getattr(self, hooks) if id(hook[1]) in present)
            setattr(visit, hooks, kept)
        return visit

    def _copy(self) -> Self:
        visit = object.__new__(type(self))
        for slot in Visit.__slots__:
            setattr(visit, slot, getattr(self, slot))
        visit._finished, visit._variants = 0, None  # positions may mean other actions now
        return visit


def overridden(callback: str, actions: Iterable[Action]) -> Hooks:
    """The hooks for `callback` of those actions whose class has its own."""
    base = getattr(FsmAction, callback)
    return tuple(
        (function, action)
        for action in actions
        if (function := getattr(type(action), callback)) is not base
    )


def behind(hooks: Hooks, action: object) -> Hooks:
    """The hooks that come after the one of `action`."""
    for index, (_, other) in enumerate(hooks):
        if other is action:
            return hooks[index + 1 :]
    return ()


def _enter_and_tell(action: Action) -> None:
    action.on_enter()
    if observers := action.fsm._observers:
        observers.action_entered(action)


def _exit_and_tell(action: Action) -> None:
    try:
        action.on_exit()
    finally:
        if observers := action.fsm._observers:
            observers.action_left(action)


def _tell_entered(state: FsmState[Any]) -> None:
    fsm = state.fsm
    if fsm._observers is not None:
        fsm._observers.state_entered(fsm, state, fsm.last_event)


def _tell_left(state: FsmState[Any]) -> None:
    fsm = state.fsm
    if fsm._observers is not None:
        fsm._observers.state_left(fsm, state)


def _finish_empty(state: FsmState[Any]) -> None:
    send_finished(state.fsm)


def _tidy_up(state: FsmState[Any]) -> None:
    forget_finished(state)
    drop_delayed(state.fsm)


Routes: TypeAlias = "Mapping[str, FsmState[Any]]"
NOWHERE: Final[Routes] = {}
MOST_VARIANTS: Final = 64
"""How many orders of finishing a visit keeps at the most."""
NO_VISIT: Final = Visit(None, ())
