"""The two strategies of a search for a plan; each yields where it may pause, and returns a plan.

`search_optimally` finds the cheapest plan by A* over world states: Hart, Nilsson and Raphael, "A
Formal Basis for the Heuristic Determination of Minimum Cost Paths" (1968). The heuristic is h-max
of Bonet and Geffner, "Planning as Heuristic Search" (2001): the cost of the costliest fact of the
goal if no fact ever ceased to hold. For a count, it is that of the first action that brings it
nearer, and the least cost of the rest; see `CountEstimate`. It never overestimates and is
consistent, so no world state is expanded twice.

`search_greedily` goes depth first from the goal backwards. For each wanted fact it takes the
cheapest action that provides it and whose preconditions can all be met in turn; a branch that
failed is undone. For a count it takes one action after another, as long as each brings it nearer.
It looks at few nodes and is quick, may find a costly plan, and may miss one. The planner of Marnel
Estrada's "GOAP Extensions" works like this.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush
from operator import attrgetter
from typing import TypeAlias

from attrs import frozen

from fsmkit.goap.facts import Add, Effect, Minimum, Requirement, amount_of, is_met
from fsmkit.goap.problem import Operator, Problem, Tally, bits_of

PlanSearch: TypeAlias = "Generator[None, None, Sequence[Operator] | None]"
"""Yields before each node; returns the operators of a plan, or None if there is no plan."""


def search_optimally(problem: Problem) -> PlanSearch:
    """Find the cheapest plan, of equally cheap ones a shortest."""
    start, target = problem.start, problem.target
    if target & ~problem.reachable(problem.actions):
        return None
    estimate = cache(Estimate(problem))
    came_from: dict[int, tuple[int, Operator]] = {}
    weights = {start: 0}
    expanded: set[int] = set()
    opened = [(estimate(start) or 0, 0, start)]
    tie = 0
    while opened:
        _, _, state = heappop(opened)
        if state in expanded:
            continue
        if state & target == target:
            return _way_to(state, came_from)
        yield
        expanded.add(state)
        weight = weights[state]
        for operator in problem.operators:
            if operator.needs & state != operator.needs:
                continue
            following = state & ~operator.unmakes | operator.makes  # after(), without the call
            for tally, effect in operator.changes:
                following = tally.after(following, effect)
            new_weight = weight + operator.weight
            if new_weight >= weights.get(following, new_weight + 1):
                continue
            rest = estimate(following)
            if rest is None:
                continue
            weights[following] = new_weight
            came_from[following] = (state, operator)
            tie -= 1  # of equally good ones the last is expanded first
            heappush(opened, (new_weight + rest, tie, following))
    return None


def _way_to(state: int, came_from: dict[int, tuple[int, Operator]]) -> Sequence[Operator]:
    way: list[Operator] = []
    while state in came_from:
        state, operator = came_from[state]
        way.append(operator)
    return way[::-1]


class Estimate:
    """The least weight that a plan from a world state can have; None if there is no plan."""

    def __init__(self, problem: Problem) -> None:
        self.operators = problem.operators
        self.target = problem.target
        self._literals = (1 << problem.bits) - 1
        self._users: dict[int, list[int]] = {}
        """Literal -> the indices of the steps that need it."""
        self._needs = [bits_of(step.needs) for step in self.operators]
        self._makes = [bits_of(step.makes) for step in self.operators]
        for index, needs in enumerate(self._needs):
            for literal in needs:
                self._users.setdefault(literal, []).append(index)
        self._free = [index for index, needs in enumerate(self._needs) if not needs]
        """The indices of the steps that need nothing."""
        counts = {
            id(tally): CountEstimate(tally, self.operators) for tally in problem.tallies.values()
        }
        self._changes = [
            [(counts[id(tally)], effect) for tally, effect in step.changes]
            for step in self.operators
        ]

    def __call__(self, state: int) -> int | None:
        """Reach literal after literal, the cheapest first, until the whole goal is reached."""
        missing = self.target & ~state
        if not missing:
            return 0
        open_needs = [len(needs) for needs in self._needs]
        reached: set[int] = set()
        queue = self._at_first(state)
        while queue:
            weight, literal = heappop(queue)
            if literal in reached:
                continue
            reached.add(literal)
            missing &= ~(1 << literal)
            if not missing:
                return weight
            for index in self._users.get(literal, ()):
                open_needs[index] -= 1
                if open_needs[index] == 0:
                    new = weight + self.operators[index].weight
                    for made in self._makes[index]:
                        if made not in reached:
                            heappush(queue, (new, made))
                    changes = self._changes[index]
                    for entry in self._counted(index, weight, state) if changes else ():
                        heappush(queue, entry)
        return None

    def _at_first(self, state: int) -> list[tuple[int, int]]:
        """Return (weight, literal) of all that holds in `state` or is one step away."""
        queue = [(0, literal) for literal in bits_of(state & self._literals)]
        for index in self._free:
            weight = self.operators[index].weight
            queue += [(weight, literal) for literal in self._makes[index]]
            queue += self._counted(index, 0, state)
        queue.sort()
        return queue

    def _counted(self, index: int, weight: int, state: int) -> Iterator[tuple[int, int]]:
        """Yield (least weight, literal) of the counts that a step run at `weight` leads to."""
        for of_count, effect in self._changes[index]:
            for least, literal in of_count.leads(effect, self.operators[index].weight, state):
                yield weight + least, literal


class CountEstimate:
    """The least weight of the steps that bring a tally from its count to one that is asked for.

    It adds the first step that changes the tally and the least weight of the rest of the way, up or
    down. No step shortens that by more than its weight, so the estimate is consistent.
    """

    def __init__(self, tally: Tally, steps: Iterable[Operator]) -> None:
        self.tally = tally
        added = [
            (effect.amount, step.weight)
            for step in steps
            for changed, effect in step.changes
            if changed is tally and isinstance(effect, Add)
        ]
        self._up = WeightBound((amount, weight) for amount, weight in added if amount > 0)
        self._down = WeightBound((-amount, weight) for amount, weight in added if amount < 0)

    def leads(self, effect: Effect, weight: int, state: int) -> Iterator[tuple[int, int]]:
        """Yield (least weight, literal) of the conditions that a step of that weight leads to."""
        now = self.tally.count(state)
        for condition, literal in self.tally.asked.items():
            if not state >> literal & 1:
                rest = self._rest(condition, effect, now)
                if rest is not None:
                    yield weight + rest, literal

    def _rest(self, condition: Requirement, effect: Effect, now: int) -> int | None:
        """Return the least weight after a step with `effect`; None if it does not lead there."""
        aim = amount_of(condition)
        if not isinstance(effect, Add):
            return 0 if is_met(condition, effect) else self._bound(aim - effect)
        gap = aim - now
        if effect.amount == 0 or (effect.amount > 0) is not (gap > 0):
            return None
        rest = gap - effect.amount
        if rest == 0 or (rest > 0) is (gap > 0):
            return self._bound(rest)
        # It overshoots, which helps only if another step goes back, after it or before.
        return 0 if isinstance(condition, Minimum) or self._bound(rest) is not None else None

    def _bound(self, difference: int) -> int | None:
        return (self._up if difference > 0 else self._down)(abs(difference))


class WeightBound:
    """The least weight of steps that add up to an amount, each of an (amount, weight).

    The larger of two bounds: as if every step were as large as the largest and as light as the
    lightest, and as if every step had the best ratio. None if there are no steps.
    """

    def __init__(self, steps: Iterable[tuple[int, int]]) -> None:
        found = list(steps)
        self._is_empty = not found
        self._largest = max((amount for amount, _ in found), default=1)
        self._lightest = min((weight for _, weight in found), default=0)
        self._amount, self._weight = 1, 0
        if found:
            self._amount, self._weight = min(found, key=lambda each: Fraction(each[1], each[0]))

    def __call__(self, amount: int) -> int | None:
        if amount == 0:
            return 0
        if self._is_empty:
            return None
        by_size = -(-amount // self._largest) * self._lightest
        return max(by_size, -(-amount * self._weight // self._amount))


def search_greedily(problem: Problem) -> PlanSearch:
    backwards = _Backwards(problem)
    plan: _PartialPlan | None = _PartialPlan(problem.start)
    for _ in range(
        1 + len(problem.tallies)
    ):  # a later step may have used up what an earlier one got
        if plan is not None and problem.target & ~plan.state:
            plan = yield from _carry_out(backwards.meet(problem.target, plan))
    return None if plan is None or problem.target & ~plan.state else plan.operators()


@frozen(eq=False)
class _PartialPlan:
    state: int
    step: Operator | None = None
    """The last of the steps."""
    shorter: _PartialPlan | None = None

    def then(self, step: Operator) -> _PartialPlan:
        return _PartialPlan(step.after(self.state), step, self)

    def operators(self) -> list[Operator]:
        found: list[Operator] = []
        plan: _PartialPlan | None = self
        while plan is not None and plan.step is not None:
            found.append(plan.step)
            plan = plan.shorter
        return found[::-1]


_Task: TypeAlias = "Generator[_Task | None, _PartialPlan | None, _PartialPlan | None]"
"""A search for a partial plan: yields a task whose result it needs, or None where it may pause."""


def _carry_out(task: _Task) -> Generator[None, None, _PartialPlan | None]:
    """Return the result of `task`. Waiting tasks are on a list, so a plan may have any length."""
    tasks, found = [task], None
    while tasks:
        try:
            wanted = tasks[-1].send(found)
        except StopIteration as end:
            tasks.pop()
            found = end.value
            continue
        found = None
        if wanted is None:
            yield
        else:
            tasks.append(wanted)
    return found


class _Backwards:
    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._providers = sorted(problem.operators, key=attrgetter("weight"))
        self._pending: set[Operator] = set()
        """The steps that wait for the current one, and so cannot help."""

    def meet(self, wanted: int, plan: _PartialPlan) -> _Task:
        """Return `plan` extended until each wanted literal was met; None if one cannot be."""
        for literal in (1 << bit for bit in bits_of(wanted)):
            while literal & ~plan.state:
                yield None
                longer = yield self._provide(literal, plan)
                if longer is None or not self._is_nearer(literal, plan.state, longer.state):
                    return None
                plan = longer
        return plan

    def _provide(self, literal: int, plan: _PartialPlan) -> _Task:
        """Return `plan` extended by a step towards `literal`; None if no step leads there."""
        for step in self._providers:
            if step not in self._pending and self._helps(step, literal, plan.state):
                self._pending.add(step)
                ready = yield self.meet(step.needs, plan)
                self._pending.remove(step)
                if ready is not None and not step.needs & ~ready.state:
                    return ready.then(step)
        return None

    def _helps(self, step: Operator, literal: int, state: int) -> bool:
        if step.changes:
            return self._is_nearer(literal, state, step.after(state))
        return step.makes & literal != 0

    def _is_nearer(self, literal: int, before: int, after: int) -> bool:
        distance = self._problem.distance
        return literal & after != 0 or distance(literal, after) < distance(literal, before)
