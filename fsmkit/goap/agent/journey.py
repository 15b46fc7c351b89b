"""Journey: the way to the target of the action under way, and whether it has been made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsmkit import FsmAction
from fsmkit.goap.action import GoapAction
from fsmkit.goap.agent.memory import AgentMemory
from fsmkit.goap.agent.place import (
    Place,
    TargetGoneError,
    checked_position,
    is_same,
    read_target,
    shown,
)
from fsmkit.goap.agent.reach import Reach


class Journey:
    """The way to the target of the action under way, and whether it has been made.

    With a `reach` it has been made as soon as the target is within reach, and only then. Without
    one, if the action that travels was not blocked and the target is where it was when that has
    last asked for it: one that asks in every update follows by itself.
    """

    def __init__(
        self,
        memory: AgentMemory,
        travel: Callable[[Callable[[], Any]], FsmAction[Any]],
        reach: Reach | None,
    ) -> None:
        self.memory = memory
        self.reach = reach
        self._seen: tuple[GoapAction | None, Any] = (None, None)
        """An action, and its target when that was last seen."""
        self.travel = travel(self.target)
        """The action that goes there."""
        if not isinstance(self.travel, FsmAction):
            raise TypeError(
                f"GoapAgent: travel must return an FsmAction, got {self.travel!r}. "
                "Write travel=lambda target: FollowPath(...)"
            )

    def target(self) -> Any:
        """Return the target, for the action that travels; one that is gone as it was last seen.

        Whoever looks next sees that it is gone.
        """
        action = self.memory.current_action()
        try:
            target, place = read_target(action)
        except TargetGoneError:
            seen, target = self._seen
            if seen is action:
                return target
            if self.memory.heading is None:
                raise
            return self.memory.heading
        self._seen = action, target
        self.memory.head_for(place)
        return target

    def begin(self) -> Place:
        """Head for the target and return its place; raise TargetGoneError if it has none."""
        action = self.memory.current_action()
        target, place = read_target(action)
        self._seen = action, target
        self.memory.head_for(place)
        return place

    def look(self) -> Place:
        """Return where the target is now; raise TargetGoneError if it is nowhere."""
        return read_target(self.memory.current_action())[1]

    def within_reach(self, place: Place) -> bool:
        """Return True if there is a reach, and `place` is within it."""
        if self.reach is None:
            return False
        return self.reach.covers(checked_position(place, self.memory.current_action()))

    def has_moved(self, place: Place) -> bool:
        """Return True if the target, now at `place`, was elsewhere when the way was planned."""
        return not is_same(self.memory.heading, place)

    def has_arrived(self) -> bool:
        """Return True if the agent, which goes no further, is where the target is."""
        try:
            place = self.look()
        except TargetGoneError:
            return False
        if self.reach is not None:
            return self.within_reach(place)
        return not self.is_blocked and not self.has_moved(place)

    def turn_to(self, place: Place) -> bool:
        """Head for `place`; True if the action that travels has planned the way there."""
        self.memory.head_for(place)
        replan = getattr(self.travel, "replan", None)
        if self.travel.finished or not callable(replan):
            return False
        replan()
        return True

    @property
    def is_blocked(self) -> bool:
        """Whether the action that travels says that it is blocked."""
        return is_blocked(self.travel)

    def obstacle(self) -> str | None:
        """Return in words what is in the way; None if nothing is known to be."""
        return f"the way to {shown(self.memory.heading)} is blocked" if self.is_blocked else None

    def failure(self, place: Place) -> str:
        """Return in words why a journey that is over has not led to `place`."""
        obstacle = self.obstacle()
        if obstacle is not None or self.reach is None or not isinstance(place, tuple):
            return obstacle or f"the way does not lead to {shown(place)}"
        away, reach = self.reach.distance(place), self.reach.units
        return f"the way to {shown(place)} ends {away:g} units from it, out of reach ({reach:g})"


def is_blocked(action: Any) -> bool:
    """Return True if `action`, or one that it runs, says that it is `blocked`."""
    blocked = getattr(action, "blocked", None)
    if blocked is not None and not callable(blocked):
        return bool(blocked)
    inside = [child for child in action.children if child.enabled]
    for machine in action.machines:
        state = machine.current_state
        last = machine.previous_state if state is not None and state.final else state
        inside += last.actions if last is not None else ()
    return any(map(is_blocked, inside))
