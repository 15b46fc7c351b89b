"""Planning: a search for the actions that lead from a world state to a goal."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Final, Literal, TypeAlias

from attrs import evolve

from fsmkit.goap import greedy, optimal
from fsmkit.goap.action import (
    Conditions,
    Facts,
    GoapAction,
    checked_actions,
    checked_conditions,
    checked_mapping,
)
from fsmkit.goap.arguments import checked_count
from fsmkit.goap.plan import Plan
from fsmkit.goap.problem import Problem

Strategy: TypeAlias = Literal["optimal", "greedy"]

STRATEGIES: Final[dict[str, Callable[[Problem], Generator[None, None, Plan]]]] = {
    "optimal": optimal.search,
    "greedy": greedy.search,
}

MAX_NODES: Final = 50_000
"""The limit of a search with counts that is given none: counts may grow without end."""
NOT_TOGETHER: Final = "each fact can be brought about, but not all that are needed together"


class Planning:
    """A search for a plan, carried out a few nodes at a time, over several frames.

    The arguments are those of `plan`.

    >>> actions = [GoapAction("Chop", 2, {"axe": True}, {"wood": True})]
    >>> planning = Planning(actions, {"axe": True}, {"wood": True})
    >>> while not planning.step(10):
    ...     pass  # the rest of a frame
    >>> print(planning.plan)
    Chop (cost 2)
    """

    def __init__(
        self,
        actions: Iterable[GoapAction],
        initial: Facts,
        goal: Conditions,
        *,
        strategy: Strategy = "optimal",
        max_nodes: int | None = None,
    ) -> None:
        check_search(strategy, max_nodes, "Planning")
        checked_conditions(goal, "The facts of the goal")
        checked_mapping(initial, "The initial facts")
        self.actions = checked_actions(actions)
        self.plan: Plan | None = None
        """The plan that was found, once the search is over."""
        self.nodes = 0
        """The number of world states that were looked at; of facts with the greedy strategy."""
        problem = self._problem = Problem(self.actions, initial, goal)
        self.max_nodes = MAX_NODES if max_nodes is None and problem.conditions else max_nodes
        self._search = STRATEGIES[strategy](problem)

    @property
    def asked(self) -> GoapAction | None:
        """The action whose checks or cost are being asked for; after an error of these, whose."""
        return self._problem.asked

    def grounds(self) -> Facts | None:
        """Return the facts that left no hope for a plan, if that was seen at once.

        In a world in which they are the same there is no plan either, whatever it costs. None if
        there is a plan, or if it took a search, or checks, to know that there is none.
        """
        plan, problem = self.plan, self._problem
        if plan is None or plan or plan.gave_up or self.nodes:
            return None
        if any(action.checks for action in problem.actions):
            return None
        asked = (*problem.facts, *problem.conditions)
        return {fact: problem.initial.get(fact, False) for fact in asked}

    def step(self, nodes: int = 1) -> bool:
        """Look at up to `nodes` more nodes; return True once the search is over."""
        for _ in range(nodes):
            if self.plan is not None:
                break
            if self.nodes == self.max_nodes:
                self.cancel()
                break
            self._look_at_one()
        return self.plan is not None

    def run(self) -> Plan:
        """Carry on to the end and return the plan."""
        while self.plan is None:
            self.step(1000)
        return self.plan

    def cancel(self) -> None:
        """End the search without a plan."""
        self._search.close()
        if self.plan is None:
            self.plan = Plan(False, nodes=self.nodes, gave_up=True)

    def _look_at_one(self) -> None:
        try:
            next(self._search)
            self.nodes += 1
        except StopIteration as end:
            self.plan = evolve(end.value, nodes=self.nodes, reason=NOT_TOGETHER)


def check_search(strategy: object, max_nodes: object, what: str) -> None:
    """Raise ValueError or TypeError for an invalid strategy or limit."""
    if strategy not in STRATEGIES:
        known = " or ".join(map(repr, STRATEGIES))
        raise ValueError(f"{what}: strategy must be {known}, got {strategy!r}.")
    if max_nodes is not None:
        checked_count(max_nodes, f"{what}: max_nodes", " or None")


def plan(
    actions: Iterable[GoapAction],
    initial: Facts,
    goal: Conditions,
    *,
    strategy: Strategy = "optimal",
    max_nodes: int | None = None,
) -> Plan:
    """Return the actions that lead from `initial` to a world state in which `goal` holds.

    Facts that are not named in `initial` are false, counts 0. An action may be used several times.
    `"optimal"` finds the cheapest plan, and of equally cheap ones one with the fewest actions;
    `"greedy"` finds one fast, maybe a costlier one, maybe none. `max_nodes` limits the
    search. Where facts are counts, which may grow without end, it is 50,000 unless it is given.

    Without a plan `missing` names the facts that no action can bring about. Raises ValueError or
    TypeError for invalid facts, costs or strategies, and for a fact that is a count in one place
    and true or false in another.

    >>> actions = [
    ...     GoapAction("GetAxe", 2, {}, {"axe": True}),
    ...     GoapAction("ChopLog", 4, {"axe": True}, {"wood": True}),
    ...     GoapAction("CollectBranches", 8, {}, {"wood": True}),
    ... ]
    >>> print(plan(actions, {}, {"wood": True}))
    GetAxe, ChopLog (cost 6)
    >>> print(plan(actions[1:2], {}, {"wood": True}))
    no plan: no action can bring about 'axe'
    """
    return Planning(actions, initial, goal, strategy=strategy, max_nodes=max_nodes).run()
