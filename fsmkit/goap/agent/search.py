"""Search: planning for one goal after the other, until there is a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fsmkit.goap.goal import Goal
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Planning


class Search:
    """Planning for one goal after the other, until there is a plan for one, a bit at a time.

    `begin` begins to plan for a goal, `give_up` is told of one that has no plan. One for which
    planning raises an error counts as such.
    """

    def __init__(
        self,
        goals: Iterable[Goal],
        begin: Callable[[Goal], Planning],
        give_up: Callable[[Goal], object],
    ) -> None:
        self._goals = list(goals)
        self._begin = begin
        self._give_up = give_up
        self._planning: Planning | None = None
        self.plan = Plan(False)
        """What was found."""

    @property
    def goal(self) -> Goal | None:
        """The goal that is planned for, or was found a plan for; None if there is none left."""
        return self._goals[0] if self._goals else None

    def go_on(self, nodes: int) -> bool | None:
        """Look at so many nodes more; True once there is a plan, False if there is none."""
        while nodes > 0 and self._goals and not self.plan:
            nodes -= self._plan_a_bit(nodes)
        return None if self._goals and not self.plan else self.plan.found

    def _plan_a_bit(self, nodes: int) -> int:
        """Look at so many nodes at the most for the first goal, and say at how many."""
        try:
            planning = self._planning = self._planning or self._begin(self._goals[0])
            before = planning.nodes
            planning.step(nodes)
        except BaseException:
            self._end(Plan(False))
            raise
        if planning.plan is not None:
            self._end(planning.plan)
        return planning.nodes - before

    def _end(self, plan: Plan) -> None:
        self.plan, self._planning = plan, None
        if not plan:
            self._give_up(self._goals.pop(0))
