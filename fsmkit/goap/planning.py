"""Planning: a search for the actions that lead from a world state to a goal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum
from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from fsmkit.core.checks.arguments import choice, integer
from fsmkit.goap.domain import GoapAction, actions_in
from fsmkit.goap.facts import (
    Add,
    Conditions,
    Facts,
    FactValue,
    Minimum,
    Requirement,
    changed,
    check_facts,
    check_mapping,
    is_met,
)
from fsmkit.goap.problem import Operator, Problem
from fsmkit.goap.strategies import PlanSearch, search_greedily, search_optimally

Strategy: TypeAlias = Literal["optimal", "greedy"]

STRATEGIES: Final[dict[str, Callable[[Problem], PlanSearch]]] = {
    "optimal": search_optimally,
    "greedy": search_greedily,
}

MAX_NODES: Final = 50_000
"""The default limit of a search with counts: counts may grow without end."""
NOT_TOGETHER: Final = "each fact can be brought about, but not all that are needed together"


@frozen
class Plan:
    """The result of a planner: the actions to be done, in order.

    >>> from fsmkit.goap import GoapAction, plan
    >>> chop = GoapAction("Chop", 2, {"axe": True}, {"wood": True})
    >>> found = plan([chop], {"axe": True}, {"wood": True})
    >>> str(found), found.cost
    ('Chop (cost 2)', 2.0)
    """

    found: bool
    actions: tuple[GoapAction, ...] = ()
    cost: float = 0.0
    out_of_reach: Conditions = field(factory=dict)
    """Without a plan: fact -> the condition on it that no action can bring about."""
    nodes: int = 0
    """The number of world states that were expanded; of facts with the greedy strategy."""
    gave_up: bool = False
    """True if there may be a plan, but the search ended at `max_nodes`."""
    reason: str = field(default="nothing has looked for one", eq=False, repr=False)
    """Without a plan: the reason, where neither `missing` nor `gave_up` gives it."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The facts that are needed and that no action can bring about, if no plan was found."""
        return tuple(self.out_of_reach)

    def __bool__(self) -> bool:
        return self.found

    def __str__(self) -> str:
        if self.found:
            steps = ", ".join(action.name for action in self.actions) or "nothing to do"
            return f"{steps} (cost {self.cost:g})"
        if self.gave_up:
            return f"no plan found within {self.nodes} nodes: raise max_nodes"
        if self.out_of_reach:
            return f"no plan: no action can {' or '.join(self._impossible())}"
        return f"no plan: {self.reason}"

    def reaches(
        self, goal: Conditions, world: Facts, step: int = 0, *, is_under_way: bool = False
    ) -> bool:
        """Return True if the actions from index `step` on lead from `world` to `goal`.

        If the first of them `is_under_way`, its preconditions do not matter.
        """
        state: dict[str, FactValue] = {}
        for index, action in enumerate(self.actions[step:]):
            is_asked = index > 0 or not is_under_way
            if is_asked and not (
                _hold(action.preconditions, state, world) and _hold(action.spends, state, world)
            ):
                return False
            for fact, effect in action.effects.items():
                now = _now(fact, state, world) if isinstance(effect, Add) else False
                state[fact] = changed(now, effect)
        return _hold(goal, state, world)

    def _impossible(self) -> Iterator[str]:
        asked = self.out_of_reach.items()
        if true := [_in_words(fact, value) for fact, value in asked if value is not False]:
            yield f"bring about {', '.join(true)}"
        if false := [repr(fact) for fact, value in asked if value is False]:
            yield f"make {', '.join(false)} false"


def _hold(conditions: Conditions, state: Facts, world: Facts) -> bool:
    return all(
        is_met(condition, _now(fact, state, world)) for fact, condition in conditions.items()
    )


def _now(fact: str, state: Facts, world: Facts) -> FactValue:
    return state[fact] if fact in state else world.get(fact, False)


def _in_words(fact: str, condition: Requirement) -> str:
    if isinstance(condition, Minimum):
        return f"{condition.amount} {fact!r}"
    return repr(fact) if isinstance(condition, bool) else f"exactly {condition} {fact!r}"


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
        check_facts(goal, "The facts of the goal", Minimum)
        check_mapping(initial, "The initial facts")
        self.actions = actions_in(actions)
        self.goal = goal
        self.plan: Plan | None = None
        """The plan that was found, once the search is over."""
        self.nodes = 0
        """The number of world states expanded so far; of facts with the greedy strategy."""
        self.grounds: Facts | None = None
        """The facts that rule a plan out, once the search is over and if that was seen at once.

        In a world in which they are the same there is no plan either, whatever it costs. None if
        there is a plan, or if it took a search, or checks, to rule it out.
        """
        problem = Problem(self.actions, initial, goal)
        self._problem: Problem | None = problem
        self.max_nodes = MAX_NODES if max_nodes is None and problem.conditions else max_nodes
        self._search: PlanSearch | None = STRATEGIES[strategy](problem)

    @property
    def asked(self) -> GoapAction | None:
        """The action whose checks or cost are being called, or have raised an error."""
        return None if self._problem is None else self._problem.asked

    def step(self, nodes: int = 1) -> bool:
        """Expand up to `nodes` more nodes; return True once the search is over."""
        for _ in range(nodes):
            if self.plan is not None:
                break
            if self.nodes == self.max_nodes:
                self.cancel()
                break
            self._expand_one()
        return self.plan is not None

    def run(self) -> Plan:
        """Search to the end and return the plan."""
        while self.plan is None:
            self.step(1000)
        return self.plan

    def cancel(self) -> None:
        """End the search without a plan."""
        if self.plan is None:
            self.plan = Plan(False, nodes=self.nodes, gave_up=True)
        self._end()

    def _expand_one(self) -> None:
        assert self._search is not None
        assert self._problem is not None
        try:
            next(self._search)
            self.nodes += 1
            return
        except StopIteration as end:
            found: Sequence[Operator] | None = end.value
        if found is None:
            missing = self._problem.missing_facts()
            self.plan = Plan(False, out_of_reach=missing, nodes=self.nodes, reason=NOT_TOGETHER)
        else:
            cost = fsum(operator.cost for operator in found)
            actions = tuple(operator.action for operator in found)
            self.plan = Plan(True, actions, cost, nodes=self.nodes)
        self._end()

    def _end(self) -> None:
        """Keep the grounds alone: the rest cannot be copied, or differs in a copy."""
        plan, problem = self.plan, self._problem
        self._search = self._problem = None
        if plan is None or plan or plan.gave_up or self.nodes or problem is None:
            return
        if not any(action.checks for action in problem.actions):
            asked = (*problem.flags, *problem.conditions)
            self.grounds = {fact: problem.initial.get(fact, False) for fact in asked}


def check_search(strategy: object, max_nodes: object, what: str) -> None:
    choice(strategy, f"{what}: strategy", STRATEGIES)
    if max_nodes is not None:
        integer(max_nodes, f"{what}: max_nodes", least=1, otherwise=" or None")


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
    `"greedy"` is fast, may find a costlier one, and may miss it. `max_nodes` limits the
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
