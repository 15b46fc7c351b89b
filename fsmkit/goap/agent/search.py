"""Search: planning for one goal after another, until there is a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fsmkit.goap.agent.hopeless import Hopeless
from fsmkit.goap.goal import Goal
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Planning


class Search:
    """Planning for one goal after another, a few nodes at a time, until there is a plan for one.

    `begin` begins to plan for a goal; `give_up` is called with each that has no plan, and with the
    planning. A goal for which planning raises an error counts as one of those: `fail` is called
    with it, with the planning, if that has begun, and with the error.
    """

    def __init__(
        self,
        goals: Iterable[Goal],
        begin: Callable[[Goal], Planning | Hopeless],
        give_up: Callable[[Goal, Planning | Hopeless], object],
        fail: Callable[[Goal, Planning | Hopeless | None, BaseException], object],
    ) -> None:
        self._goals = list(goals)
        self._begin = begin
        self._give_up = give_up
        self._fail = fail
        self._planning: Planning | Hopeless | None = None
        self.plan = Plan(False)
        """The plan that was found."""

    @property
    def goal(self) -> Goal | None:
        """The goal that is planned for, or that the plan leads to; None if no goal remains."""
        return self._goals[0] if self._goals else None

    def step(self, nodes: int) -> bool | None:
        """Look at up to `nodes` more nodes.

        Returns True once there is a plan, False if there is none, None if the search goes on.
        """
        while nodes > 0 and self._goals and not self.plan:
            nodes -= self._step_first_goal(nodes)
        return None if self._goals and not self.plan else self.plan.found

    def _step_first_goal(self, nodes: int) -> int:
        """Look at up to `nodes` nodes for the first goal, and return their number."""
        try:
            planning = self._planning = self._planning or self._begin(self._goals[0])
            before = planning.nodes
            planning.step(nodes)
        except BaseException as error:
            failed, self._planning = self._planning, None
            self._fail(self._goals.pop(0), failed, error)
            raise
        if planning.plan is not None:
            self.plan, self._planning = planning.plan, None
            if not self.plan:
                self._give_up(self._goals.pop(0), planning)
        return planning.nodes - before
