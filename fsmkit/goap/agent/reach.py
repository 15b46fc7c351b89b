"""Reach: how near an agent has to be to what it uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from fsmkit.goap.agent.place import SAME
from fsmkit.goap.arguments import checked_amount, checked_answer
from fsmkit.space import components, distance


@frozen
class Reach:
    """How near an agent has to be to what it uses, in units; `position` returns where it is.

    >>> Reach(1.5, lambda: (0.0, 0.0)).covers((1.0, 1.0))
    True
    """

    units: float
    position: Callable[[], Any]

    def covers(self, place: tuple[float, ...]) -> bool:
        """Return True if `place` is within reach now."""
        return self.distance(place) <= self.units * (1.0 + SAME) + SAME

    def distance(self, place: tuple[float, ...]) -> float:
        """Return the units to `place`; ValueError if it has more axes, or fewer."""
        here = self.position()
        return distance(components(getattr(here, "position", here)), place)


def checked_reach(
    units: object, position: object, context: object, default: Callable[[], Any], what: str
) -> Reach | None:
    """Return the reach that an agent was given, None without; raise if it is invalid.

    `default` returns the position of the `context`, which serves if there is no `position`.
    """
    if position is not None:
        checked_answer(position, f"{what}: position", "lambda: ...")
    if units is None:
        return None
    checked = checked_amount(units, f"{what}: reach")
    if callable(position):
        return Reach(checked, position)
    if not hasattr(context, "position"):
        raise ValueError(
            f"{what}: with reach= it must be known where the agent is, got a context without a "
            f"position: {context!r}. Give position=, a function that returns it."
        )
    return Reach(checked, default)
