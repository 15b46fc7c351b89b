"""Journey: the way to the target of an action, which may move or vanish meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from math import isclose, isfinite
from numbers import Real
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import FsmAction
from fsmkit.core.checks.arguments import number
from fsmkit.core.words.notes import shown_error
from fsmkit.goap.agent.memory import AgentMemory, TargetPlace
from fsmkit.goap.domain import GoapAction, check_function
from fsmkit.space import components, distance

TravelFactory: TypeAlias = "Callable[[Callable[[], Any]], FsmAction[Any]]"
"""Makes the action that goes to a target, from a function that returns where the target is."""

WAY_IS_BLOCKED: Final = "the way is blocked"
"""The reason with which the actions of the library that travel fail."""

SAME: Final = 1e-9
"""Coordinates are the same if they differ by at most this, absolutely or relatively."""


class TargetGoneError(Exception):
    """The target of an action is gone. The argument is the reason, for people."""


@frozen
class TargetRange:
    """How near an agent has to be to its target, in units; `position` returns where it is.

    >>> TargetRange(1.5, lambda: (0.0, 0.0)).covers((1.0, 1.0))
    True
    """

    units: float
    position: Callable[[], Any]

    def covers(self, place: tuple[float, ...]) -> bool:
        return self.distance(place) <= self.units * (1.0 + SAME) + SAME

    def distance(self, place: tuple[float, ...]) -> float:
        """Return the units to `place`; ValueError if it has more axes, or fewer."""
        here = self.position()
        return distance(components(getattr(here, "position", here)), place)


def target_range(
    units: object, position: object, context: object, default: Callable[[], Any], what: str
) -> TargetRange | None:
    """Return the range for an agent's `reach` and `position`, None without reach.

    `default` returns the position of the `context`, the fallback for `position`.
    """
    if position is not None:
        check_function(position, f"{what}: position")
    if units is None:
        return None
    reach = number(units, f"{what}: reach", least=0.0)
    if callable(position):
        return TargetRange(reach, position)
    if not hasattr(context, "position"):
        raise ValueError(
            f"{what}: reach= requires the position of the agent, got a context without a "
            f"position: {context!r}. Give position=, a function that returns it."
        )
    return TargetRange(reach, default)


class Journey:
    """The way to the target of the current action, and whether it has been made.

    With a `reach` it has been made as soon as the target is within reach, and only then. Without
    a reach, it has been made if the action that travels ended unblocked and the target is where
    that last asked for it: an action that asks in every update follows a target by itself.
    """

    def __init__(
        self,
        memory: AgentMemory,
        travel: TravelFactory,
        reach: TargetRange | None,
    ) -> None:
        self.memory = memory
        self.reach = reach
        self._seen: tuple[GoapAction | None, Any] = (None, None)
        """An action, and its target as last seen."""
        self.travel = travel(self.target)
        """The action that goes there."""
        if not isinstance(self.travel, FsmAction):
            raise TypeError(
                f"GoapAgent: travel must return an FsmAction, got {self.travel!r}. "
                "Write travel=lambda target: FollowPath(...)"
            )

    def target(self) -> Any:
        """Return the target, for the action that travels; the last one seen if it is gone.

        The next look at the journey then ends it.
        """
        try:
            self.begin()
        except TargetGoneError:
            if self._seen[0] is not self.memory.current_action():
                if self.memory.heading is None:
                    raise
                return self.memory.heading
        return self._seen[1]

    def begin(self) -> TargetPlace:
        """Head for the target and return its place; TargetGoneError if it is gone."""
        action = self.memory.current_action()
        target, place = read_target(action)
        self._seen = action, target
        self.memory.heading = place
        return place

    def look(self) -> TargetPlace:
        """Return where the target is now; TargetGoneError if it is gone."""
        return read_target(self.memory.current_action())[1]

    def within_reach(self, place: TargetPlace) -> bool:
        if self.reach is None:
            return False
        if not isinstance(place, tuple):
            action = self.memory.current_action()
            raise TypeError(
                f"GoapAction {action.name!r}: with reach= its target must be a position, or have "
                f"one, got {place or action.target!r}. Give it a position, or leave reach= out."
            )
        return self.reach.covers(place)

    def has_moved(self, place: TargetPlace) -> bool:
        return not is_same(self.memory.heading, place)

    def has_arrived(self) -> bool:
        """Return True if the agent, whose travel is over, is where the target is."""
        try:
            place = self.look()
        except TargetGoneError:
            return False
        if self.reach is not None:
            return self.within_reach(place)
        return not is_blocked(self.travel) and not self.has_moved(place)

    def has_failed_within_reach(self) -> bool:
        """Return True if the travel itself has failed, but near enough: a way into a wall."""
        return self.travel.failed and self.has_arrived()

    def turn_to(self, place: TargetPlace) -> bool:
        """Head for `place`; True if the action that travels replans for it."""
        self.memory.heading = place
        replan = getattr(self.travel, "replan", None)
        if self.travel.finished or not callable(replan):
            return False
        replan()
        return True

    def obstacle(self) -> str | None:
        """Describe the obstacle on the way; None unless the way is known to be blocked."""
        where = place_text(self.memory.heading)
        return f"the way to {where} is blocked" if is_blocked(self.travel) else None

    def failure(self, place: TargetPlace) -> str:
        obstacle = self.obstacle()
        if obstacle is not None or self.reach is None or not isinstance(place, tuple):
            return obstacle or f"the way does not lead to {place_text(place)}"
        away, reach = self.reach.distance(place), self.reach.units
        return (
            f"the way to {place_text(place)} ends {away:g} units from it, out of reach ({reach:g})"
        )


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


def read_target(action: GoapAction) -> tuple[Any, TargetPlace]:
    """Return the target of `action`, and its place.

    Raises TargetGoneError if the target is None or not finite, or its function raises an error.
    """
    try:
        target = action.target() if callable(action.target) else action.target
        position = getattr(target, "position", target)
        place = place_of(position)
    except Exception as error:
        reason = shown_error(error)
        raise TargetGoneError(f"the target of {action.name!r} is gone ({reason})") from error
    if position is None:
        raise TargetGoneError(f"the target of {action.name!r} is gone")
    if isinstance(place, tuple) and not all(map(isfinite, place)):
        raise TargetGoneError(f"the target of {action.name!r} is nowhere, at {place_text(place)}")
    return target, place


def place_of(position: Any) -> TargetPlace:
    """Return the place that `position` stands for.

    >>> place_of((3, 4)), place_of(2), place_of("kitchen"), place_of(object())
    ((3.0, 4.0), (2.0,), 'kitchen', None)
    """
    if isinstance(position, str | Enum):
        return str(position)
    if isinstance(position, Real):
        return (float(position),)
    try:
        return components(position)
    except TypeError:
        return None


def is_same(a: TargetPlace, b: TargetPlace) -> bool:
    """Return True unless `a` and `b` are known to be different places.

    >>> is_same((0.1 + 0.2, 0.0), (0.3, 0.0)), is_same((0.0, 0.0), (0.0, 0.01))
    (True, False)
    """
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return a is None or b is None or a == b
    return len(a) == len(b) and all(
        isclose(x, y, rel_tol=SAME, abs_tol=SAME) for x, y in zip(a, b, strict=True)
    )


def place_text(place: TargetPlace) -> str:
    """Return `place` in words.

    >>> place_text((4.0, 1.5)), place_text("kitchen"), place_text(None)
    ('(4, 1.5)', 'kitchen', 'its target')
    """
    if isinstance(place, tuple):
        return f"({', '.join(f'{coordinate:g}' for coordinate in place)})"
    return place or "its target"
