"""Visit: one stay in a state, from entering it to exiting it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit.core.action import NO_CALLBACKS, STRUCK_OUT, Callbacks, FsmAction, moved, overridden
from fsmkit.core.nested import reset

if TYPE_CHECKING:
    from fsmkit.core.delayed import DelayedEvent
    from fsmkit.core.state import FsmState

    Routes: TypeAlias = Mapping[str, Any]
    """Event -> the state that it leads straight to, or a tuple of transitions to choose from."""


class Visit:
    """The event that led into a state, the actions that take part, and their progress.

    The visits of a machine take turns: while one is current, its `spare` waits to be the next.
    """

    __slots__ = (
        "actions", "below", "callbacks", "data", "delayed", "event", "finished", "is_announced",
        "is_due", "is_exited", "is_special", "routes", "since", "spare", "state", "updates",
    )  # fmt: skip

    def __init__(self) -> None:
        self.spare: Visit | None = None
        """The visit to begin when this one ends. It is neither current nor suspended."""
        self.event: str | None = None
        """The event that led here, with its `data`."""
        self.data: object = None
        self.since = 0.0
        """The time of the machine at which it was entered; while it is suspended, for how many
        seconds the state had been current."""
        self.routes: Routes = NOWHERE
        """The events that lead straight to a change: nothing listens or observes."""
        self.is_special = True  # until it has begun

    def begin(self, state: FsmState[Any], callbacks: Callbacks, below: Visit | None) -> None:
        """Become a visit of `state`, not yet entered, on top of one that is suspended for it."""
        self.state = state
        self.callbacks = callbacks
        self.actions = state.actions if callbacks.actions is None else callbacks.actions
        """The entered actions, in list order; while entering, all that take part."""
        self.updates: Any = callbacks.every_update and [*callbacks.every_update]
        """A list of the hooks of unfinished actions, the others struck out; or () without any."""
        self.finished = 0
        """The number of actions that have finished, or failed, of those that have to finish."""
        self.is_announced = False
        """Whether FINISHED was sent, once in a visit, or an action has failed: it never will be."""
        self.is_due = False
        """Whether FINISHED is still to be sent, because an error came first."""
        self.is_exited = False
        """Whether the exits have been called; soon another visit is current."""
        self.below = below
        """The visit that was suspended for this one, perhaps on top of another."""
        self.delayed: list[DelayedEvent] | None = None
        """While it is suspended: its delayed events, with the seconds that are left."""
        self.is_special = below is not None or not callbacks.size
        """Whether exiting it takes more than calling hooks, and beginning again more than a few."""

    def forget_finished(self) -> None:
        """Clear the finished marks of the state's actions, also of one whose `on_enter` failed."""
        for action in self.state.actions if self.state is not None else ():
            if action.finished:
                reset(action)

    def position(self, action: object) -> int:
        """The position of `action` in `actions`; -1 if it takes no part."""
        found = [position for position, other in enumerate(self.actions) if other is action]
        return found[0] if found else -1

    def finish(self, action: FsmAction[Any], *, failed: bool) -> None:
        """Count `action` as finished and strike it out, also of a walk in progress."""
        self.finished += not action.background
        self.is_announced |= failed
        self.strike_out(action)

    def strike_out(self, action: FsmAction[Any]) -> None:
        self.is_special = True
        for index, hook in enumerate(self.updates):
            if hook is not STRUCK_OUT and self.actions[hook[1]] is action:
                self.updates[index] = STRUCK_OUT

    def updated(self) -> list[FsmAction[Any]]:
        """Return the actions that are updated, in list order: those that have not finished."""
        return [self.actions[hook[1]] for hook in self.updates if hook is not STRUCK_OUT]

    def pause_updates(self) -> None:
        """Update no action, not even in a walk in progress, until `resume_updates`."""
        for index in range(len(self.updates)):
            self.updates[index] = STRUCK_OUT

    def resume_updates(self) -> None:
        """Update the unfinished actions again."""
        every = self.callbacks.every_update
        if every:  # otherwise there is no list
            self.updates[:] = [hook for hook in every if not self.actions[hook[1]].finished]

    def has_all_finished(self) -> bool:
        return self.finished == self.callbacks.size and not self.is_announced

    def owe_finished(self) -> None:
        """Have FINISHED sent first in the next call."""
        self.is_due = True
        self.close_routes()

    def watch(self, observers: Any) -> None:
        """Have these observers notified of each action, or instrument it, from now on."""
        self.callbacks = self.callbacks.among(range(len(self.actions)))
        self.callbacks.watch(self.actions, observers)
        self.callbacks.renew(self.updates)

    def listen(self) -> None:
        """Offer events to every action that may take some, whatever it has said."""
        self.callbacks = self.callbacks.among(range(len(self.actions)))
        self.callbacks.listeners = overridden("on_event", self.actions)
        self.close_routes()
        if self.state is not None:
            self.state._forget_callbacks()

    def close_routes(self) -> None:
        """Let no event lead straight to a change: something has to come before the next one."""
        self.routes = NOWHERE
        self.is_special = True

    def leave_out(self, actions: Iterable[FsmAction[Any]]) -> None:
        """Drop `actions`, as if they had not been entered."""
        gone = {id(action) for action in actions}
        kept = [place for place, action in enumerate(self.actions) if id(action) not in gone]
        self.is_special = True
        self.callbacks = self.callbacks.among(kept)
        self.updates = moved(self.updates, kept)
        self.actions = tuple([self.actions[place] for place in kept])

    def remove(self, action: FsmAction[Any]) -> bool:
        """Remove an action; True if it was the last unfinished one."""
        was_finished, counts = action.finished, not action.background
        reset(action)
        self.leave_out([action])
        self.callbacks.size -= counts
        self.finished -= was_finished and counts
        return not was_finished and self.has_all_finished()


NOWHERE: Final[Routes] = {}
NO_VISIT: Final = Visit()
"""The visit of a machine that is not running."""
NO_VISIT.begin(None, NO_CALLBACKS, below=None)  # type: ignore[arg-type]  # the only one without a state
