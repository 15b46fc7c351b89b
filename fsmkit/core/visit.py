"""Visit: one stay in a state, from entering it to exiting it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit.core.action import STRUCK_OUT, has_own_callbacks, kinds_of, notified, overridden, reset
from fsmkit.core.checks.subclasses import refuse_own_callbacks

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction, Hook
    from fsmkit.core.delayed import DelayedEvent
    from fsmkit.core.state import FsmState

    Routes: TypeAlias = Mapping[str, Any]
    """Event -> the state that it leads straight to, or a tuple of transitions to choose from."""


class Visit:
    """The event that led into a state, the actions that take part, their progress and their hooks.

    A state is in one visit at a time, current or suspended. So it keeps its visit, ready to be
    entered, and uses it again; see `begin`.
    """

    __slots__ = (
        "actions", "below", "data", "delayed", "enters", "event", "every_update", "exits",
        "finished", "is_announced", "is_due", "is_exited", "is_special", "kinds", "listeners",
        "passed", "routes", "since", "size", "state", "updates",
    )  # fmt: skip

    def __init__(self, state: FsmState[Any], actions: tuple[FsmAction[Any], ...]) -> None:
        self.state = state
        self.event: str | None = None
        """The event that led here, with its `data`."""
        self.data: object = None
        self.since = 0.0
        """The time of the machine at which it was entered."""
        self.actions = actions
        """The entered actions, in list order; while entering, all that take part."""
        self.size = sum([not action.background for action in actions])
        """The number of actions that take part, entered or not, and have to finish."""
        self.finished = 0
        """The number of those that have finished."""
        self.is_announced = False
        """Whether FINISHED was sent: once in a visit."""
        self.is_due = False
        """Whether FINISHED is still to be sent, because an error came first."""
        self.is_exited = False
        """Whether the exits have been called; soon another visit is current."""
        self.below: Visit | None = None
        """The visit that was suspended for this one, perhaps on top of another."""
        self.passed = 0.0
        """While it is suspended: for how long the state had been current, in seconds."""
        self.delayed: list[DelayedEvent] | None = None
        """While it is suspended: its delayed events, with the seconds that are left."""
        self.is_special = not self.size
        """Whether entering and exiting it takes more than calling hooks."""
        self.kinds = kinds_of(actions)
        self.listeners = overridden("on_event", [each for each in actions if each._fsmkit_listens])
        self.every_update = overridden("on_update", actions)
        self.updates: list[Hook] = [*self.every_update]
        """The hooks of unfinished actions; the others are struck out."""

    def watch(self, routes: Routes, *, is_observed: bool, is_notified: bool) -> None:
        """Set the routes out, and whether observers are attached and notified of each action."""
        self.routes = NOWHERE if self.listeners or is_observed else routes
        """The events that lead straight to a change: nothing listens or observes."""
        self.is_special = self.is_special or is_observed
        self.enters = overridden("on_enter", self.actions)
        self.exits = overridden("on_exit", self.actions)
        if is_notified:
            self.enters, self.exits = notified(self.actions)
        if wrong := [action for action in self.actions if has_own_callbacks(action)]:
            self.enters = (*((refuse_own_callbacks, action) for action in wrong), *self.enters)

    @property
    def is_stale(self) -> bool:
        """Whether a class has been patched: its callbacks are not those it had."""
        for kind, callbacks, _ in self.kinds:
            if (kind.on_enter, kind.on_exit, kind.on_update, kind.on_event) != callbacks:
                return True
        return False

    def begin(self, below: Visit | None, *, is_special: bool) -> None:
        """Reset it, as if never entered, on top of the visit that is suspended for it."""
        self.below = below
        self.finished = 0
        self.is_announced = self.is_due = self.is_exited = False
        self.updates[:] = self.every_update
        self.is_special = is_special or below is not None or not self.size
        self.forget_finished()

    def forget_finished(self) -> None:
        """Clear the finished marks of the state's actions, also of one whose `on_enter` failed."""
        for action in self.state.actions if self.state is not None else ():
            if action.finished:
                reset(action)

    def position(self, action: object) -> int:
        """The position of `action` in `actions`; -1 if it takes no part."""
        found = [position for position, other in enumerate(self.actions) if other is action]
        return found[0] if found else -1

    def finish(self, action: FsmAction[Any]) -> None:
        """Count `action` as finished and strike it out, also of a walk in progress."""
        self.finished += not action.background
        self.strike_out(action)

    def strike_out(self, action: FsmAction[Any]) -> None:
        self.is_special = True
        for index, (_, other) in enumerate(self.updates):
            if other is action:
                self.updates[index] = STRUCK_OUT

    def pause_updates(self) -> None:
        """Update no action, not even in a walk in progress, until `resume_updates`."""
        self.updates[:] = [STRUCK_OUT] * len(self.updates)

    def resume_updates(self) -> None:
        """Update the unfinished actions again."""
        self.updates[:] = [hook for hook in self.every_update if not hook[1].finished]

    def has_all_finished(self) -> bool:
        return self.finished == self.size and not self.is_announced

    def owe_finished(self) -> None:
        """Have FINISHED sent first in the next call."""
        self.is_due = True
        self.close_routes()

    def listen(self) -> None:
        """Offer events to every action that may take some, whatever it has said."""
        self.listeners = overridden("on_event", self.actions)
        self.close_routes()

    def close_routes(self) -> None:
        """Let no event lead straight to a change: something has to come before the next one."""
        self.routes = NOWHERE
        self._forget()

    def _forget(self) -> None:
        """Make the state build another visit when it is entered next."""
        if self.state is not None:
            self.state._keep_visit(None)

    def leave_out(self, actions: Iterable[FsmAction[Any]]) -> None:
        """Drop `actions`, as if they had not been entered."""
        gone = {id(action) for action in actions}
        self._forget()
        self.actions = tuple(action for action in self.actions if id(action) not in gone)
        self.updates = [hook for hook in self.updates if id(hook[1]) not in gone]
        self.enters, self.exits, self.listeners, self.every_update = (
            tuple(hook for hook in hooks if id(hook[1]) not in gone)
            for hooks in (self.enters, self.exits, self.listeners, self.every_update)
        )

    def remove(self, action: FsmAction[Any]) -> bool:
        """Remove an action; True if it was the last unfinished one."""
        was_finished, counts = action.finished, not action.background
        reset(action)
        self.leave_out([action])
        self.size -= counts
        self.finished -= was_finished and counts
        return not was_finished and self.has_all_finished()


NOWHERE: Final[Routes] = {}
NO_VISIT: Final = Visit(None, ())  # type: ignore[arg-type]  # the only one without a state
"""The visit of a machine that is not running."""
NO_VISIT.watch(NOWHERE, is_observed=False, is_notified=False)
