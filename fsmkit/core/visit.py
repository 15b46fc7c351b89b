"""Visit: whom a machine has to call from entering a state to exiting it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit.core.action import FsmAction

if TYPE_CHECKING:
    from fsmkit.core.state import FsmState

    Hook: TypeAlias = tuple[Callable[..., Any], Any]
    Hooks: TypeAlias = tuple[Hook, ...]
    Routes: TypeAlias = Mapping[str, FsmState[Any]]


class Visit:
    """The actions that take part in a visit, and their callbacks that are still to be called.

    A visit never changes, so that a state can keep the one it is entered with. When an action
    finishes, or entering is cut short, another visit takes its place.

    A hook is a pair `(function, action)`, called as `function(action)`, of an action whose class
    overrides that callback; what is not overridden costs nothing. What is special about a visit is
    a hook too, with the machine in the place of the action, so that nothing need be asked where
    nothing is special. (Pairs, because calling a bound method costs a call in C.)
    """

    __slots__ = ("actions", "enters", "exits", "listeners", "routes", "size", "updates")

    def __init__(
        self, actions: tuple[FsmAction[Any], ...], routes: Routes, *, told: bool = False
    ) -> None:
        self.actions = actions
        """Those that were entered, in list order; while entering, all that take part."""
        self.size = sum([not action.background for action in actions])
        """How many take part, entered or not, and have to finish."""
        self.updates = overridden("on_update", actions)
        self.listeners = overridden("on_event", actions)
        self.enters = overridden("on_enter", actions)
        self.exits = overridden("on_exit", actions)
        if told:
            self.enters = tuple((_enter_and_tell, action) for action in actions)
            self.exits = tuple((_exit_and_tell, action) for action in actions)
        self.routes = NOWHERE if self.listeners else routes
        """The events that lead straight to a change: nobody listens, nobody looks on."""

    def __getstate__(self) -> tuple[Any, ...]:
        """Whom there is to call from now on, by the names of the callbacks (rule 23)."""
        own = [action for _, action in self.exits if isinstance(action, FsmAction)]
        ends = [(f.__name__, fsm) for f, fsm in self.exits if not isinstance(fsm, FsmAction)]
        called = tuple([action for _, action in hooks] for hooks in (self.updates, self.listeners))
        routes = self.routes if self.routes is not NOWHERE else None
        return (self.actions, self.size, *called, own, ends, routes)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.actions, self.size, updates, listeners, own, ends, routes = state
        self.enters = ()
        self.updates = overridden("on_update", updates)
        self.listeners = overridden("on_event", listeners)
        hooks = tuple((getattr(type(fsm), name), fsm) for name, fsm in ends)
        self.exits = (*overridden("on_exit", own), *hooks)
        self.routes = NOWHERE if routes is None else routes

    def position(self, action: object) -> int:
        """Where `action` stands in `actions`; -1 if it takes no part."""
        for position, other in enumerate(self.actions):
            if other is action:
                return position
        return -1

    def has(self, action: object) -> bool:
        """Whether `action` was entered."""
        return self.position(action) >= 0

    def evolve(self, **changes: Any) -> Visit:
        """This visit with some of its parts changed."""
        visit = object.__new__(Visit)
        visit.actions, visit.size, visit.routes = self.actions, self.size, self.routes
        visit.enters, visit.updates = self.enters, self.updates
        visit.exits, visit.listeners = self.exits, self.listeners
        for part, value in changes.items():
            setattr(visit, part, value)
        return visit

    def without(self, actions: Iterable[FsmAction[Any]]) -> Visit:
        """This visit, if `actions` had not been entered."""
        gone = {id(action) for action in actions}
        hooks = {
            kind: tuple(hook for hook in getattr(self, kind) if id(hook[1]) not in gone)
            for kind in ("enters", "updates", "exits", "listeners")
        }
        entered = tuple(action for action in self.actions if id(action) not in gone)
        return self.evolve(actions=entered, **hooks)

    def ending_with(self, hook: Hook, resting: object = None) -> Visit:
        """This visit, with `hook` on exit and with no more updates of the action `resting`."""
        exits = self.exits if hook in self.exits else (*self.exits, hook)
        updates = tuple([hook for hook in self.updates if hook[1] is not resting])
        return self.evolve(exits=exits, updates=updates)


def overridden(callback: str, actions: Iterable[FsmAction[Any]]) -> Hooks:
    """The hooks for `callback` of those actions whose class has its own."""
    base = getattr(FsmAction, callback)
    return tuple(
        (function, action)
        for action in actions
        if (function := getattr(type(action), callback)) is not base
    )


def _enter_and_tell(action: FsmAction[Any]) -> None:
    action.on_enter()
    action.fsm._tell("action_entered", action)


def _exit_and_tell(action: FsmAction[Any]) -> None:
    try:
        action.on_exit()
    finally:
        action.fsm._tell("action_exited", action)


NOWHERE: Final[Routes] = {}
NO_VISIT: Final = Visit((), NOWHERE)
