"""Visit: one stay in a state, from entering it to exiting it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit.core.action import STRUCK_OUT, has_own_callbacks, kinds_of, notified, overridden
from fsmkit.core.checks.own_actions import refuse_own_callbacks

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction, Hook
    from fsmkit.core.delayed import DelayedEvent
    from fsmkit.core.state import FsmState

    Routes: TypeAlias = Mapping[str, Any]
    """Event -> the state that it leads straight to, or a tuple of transitions to choose from."""


class Visit:
    """What led into a state, who takes part, how far they have got, and whom there is to call.

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
        """What led here, with its `data`."""
        self.data: object = None
        self.since = 0.0
        """The time of the machine at which it was entered."""
        self.actions = actions
        """Those that were entered, in list order; while entering, all that take part."""
        self.size = sum([not action.background for action in actions])
        """How many take part, entered or not, and have to finish."""
        self.finished = 0
        """How many of those have."""
        self.is_announced = False
        """Whether FINISHED was sent: once in a visit."""
        self.is_due = False
        """Whether FINISHED is still to be sent, because an error came before it."""
        self.is_exited = False
        """Whether the exits have been called; soon another visit is current."""
        self.below: Visit | None = None
        """The visit that was suspended for this one; that may lie on top of another."""
        self.passed = 0.0
        """While it is suspended: for how long the state had been current, in seconds."""
        self.delayed: list[DelayedEvent] | None = None
        """While it is suspended: the events that are to come, with the seconds that are left."""
        self.is_special = not self.size
        """Whether there is more to entering and exiting it than calling hooks."""
        self.find_hooks()

    def find_hooks(self) -> None:
        """Look up the callbacks of the actions; those for entering and exiting are `watch`'s."""
        self.kinds = kinds_of(self.actions)
        self.listeners = overridden("on_event", self.actions)
        self.every_update = overridden("on_update", self.actions)
        self.updates: list[Hook] = [*self.every_update]
        """Of those that have not finished; the others are struck out."""

    def watch(self, routes: Routes, *, is_observed: bool, is_notified: bool) -> None:
        """Know the ways out, and whether observers are there and are notified of each action."""
        self.routes = NOWHERE if self.listeners or is_observed else routes
        """The events that lead straight to a change: nobody listens or observes."""
        self.is_special = self.is_special or is_observed
        self.enters = overridden("on_enter", self.actions)
        self.exits = overridden("on_exit", self.actions)
        if is_notified:
            self.enters, self.exits = notified(self.actions)
        if wrong := [action for action in self.actions if has_own_callbacks(action)]:
            self.enters = (*((refuse_own_callbacks, action) for action in wrong), *self.enters)

    @property
    def is_stale(self) -> bool:
        """Whether a class has other callbacks than it had: somebody has patched it."""
        for kind, callbacks, _ in self.kinds:
            if (kind.on_enter, kind.on_exit, kind.on_update, kind.on_event) != callbacks:
                return True
        return False

    def begin(self, below: Visit | None, *, is_special: bool) -> None:
        """Be as if it had not been entered yet, on top of the visit that is suspended for it."""
        self.below = below
        self.finished = 0
        self.is_announced = self.is_due = self.is_exited = False
        self.updates[:] = self.every_update
        self.is_special = is_special or below is not None or not self.size
        self.forget_finished()

    def forget_finished(self) -> None:
        """Have no action of the state count as finished, also one that failed in its `on_enter`."""
        for action in self.state.actions if self.state is not None else ():
            action._fsmkit_reset()

    def position(self, action: object) -> int:
        """Where `action` stands in `actions`; -1 if it takes no part."""
        for position, other in enumerate(self.actions):
            if other is action:
                return position
        return -1

    def finish(self, action: FsmAction[Any]) -> None:
        """Count `action` as finished and strike it out, also of a walk that is under way."""
        self.finished += not action.background
        self.strike_out(action)

    def strike_out(self, action: FsmAction[Any]) -> None:
        """Update `action` no more."""
        self.is_special = True
        for index, (_, other) in enumerate(self.updates):
            if other is action:
                self.updates[index] = STRUCK_OUT

    def pause_updates(self) -> None:
        """Update nobody, also in a walk that is under way, until `resume_updates`."""
        self.updates[:] = [STRUCK_OUT] * len(self.updates)

    def resume_updates(self) -> None:
        """Update those again that have not finished."""
        self.updates[:] = [hook for hook in self.every_update if not hook[1].finished]

    def has_all_finished(self) -> bool:
        """Whether FINISHED is to be sent."""
        return self.finished == self.size and not self.is_announced

    def owe_finished(self) -> None:
        """FINISHED is to be sent first of all in the next call."""
        self.is_due = True
        self.close_routes()

    def close_routes(self) -> None:
        """Something comes before the next event, which does not lead straight to a change now."""
        self.routes = NOWHERE
        self._forget()

    def _forget(self) -> None:
        """Have the state make another visit when it is entered next."""
        if self.state is not None:
            self.state._keep_visit(None)

    def leave_out(self, actions: Iterable[FsmAction[Any]]) -> None:
        """Be as if `actions` had not been entered."""
        gone = {id(action) for action in actions}
        if gone:
            self._forget()
        self.actions = tuple(action for action in self.actions if id(action) not in gone)
        self.updates = [hook for hook in self.updates if id(hook[1]) not in gone]
        self.enters, self.exits, self.listeners, self.every_update = (
            tuple(hook for hook in hooks if id(hook[1]) not in gone)
            for hooks in (self.enters, self.exits, self.listeners, self.every_update)
        )

    def remove(self, action: FsmAction[Any]) -> bool:
        """Take an action out; True if it was the last one that had not finished."""
        was_finished, counts = action.finished, not action.background
        action._fsmkit_reset()
        self.leave_out([action])
        self.size -= counts
        self.finished -= was_finished and counts
        return not was_finished and self.has_all_finished()


NOWHERE: Final[Routes] = {}
NO_VISIT: Final = Visit(None, ())  # type: ignore[arg-type]  # the only one without a state
"""Where a machine is that is not running."""
NO_VISIT.watch(NOWHERE, is_observed=False, is_notified=False)
