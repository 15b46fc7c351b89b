"""The greedy strategy: depth first from the goal backwards, the cheapest provider first.

For each wanted fact it takes the cheapest action that provides it and whose preconditions can all
be met in turn; a branch that failed is undone. For a count it takes one action after another, as
long as each brings it nearer. It looks at few nodes and is quick, may find a costly plan, and may
miss one. The planner of Marnel Estrada's "GOAP Extensions" works like this.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from operator import attrgetter
from typing import TypeAlias

from attrs import frozen

from fsmkit.goap.missing import missing_facts
from fsmkit.goap.plan import Plan, plan_of
from fsmkit.goap.problem import Problem, Step


@frozen(eq=False)
class _PartialPlan:
    """The steps chosen so far, and the world state that they lead to."""

    state: int
    step: Step | None = None
    """The last of the steps."""
    shorter: _PartialPlan | None = None

    def then(self, step: Step) -> _PartialPlan:
        return _PartialPlan(step.after(self.state), step, self)

    def steps(self) -> list[Step]:
        found: list[Step] = []
        plan: _PartialPlan | None = self
        while plan is not None and plan.step is not None:
            found.append(plan.step)
            plan = plan.shorter
        return found[::-1]


_Task: TypeAlias = "Generator[_Task | None, _PartialPlan | None, _PartialPlan | None]"
"""Looks for a partial plan. Yields a task whose result it needs, or None where it may pause."""


def search(problem: Problem) -> Generator[None, None, Plan]:
    """Find a plan. Yields before each fact to be provided."""
    backwards = _Backwards(problem)
    plan: _PartialPlan | None = _PartialPlan(problem.start)
    for _ in range(1 + len(problem.tallies)):  # what was got first may have been used up meanwhile
        if plan is not None and problem.target & ~plan.state:
            plan = yield from _carry_out(backwards.meet(problem.target, plan))
    if plan is None or problem.target & ~plan.state:
        return Plan(False, out_of_reach=missing_facts(problem))
    return plan_of(plan.steps())


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
    """Meets what is wanted of a problem, one literal after another."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._providers = sorted(problem.steps, key=attrgetter("weight"))
        self._under_way: set[Step] = set()
        """The steps that wait for the present one, and so cannot help."""

    def meet(self, wanted: int, plan: _PartialPlan) -> _Task:
        """Return `plan` extended until each literal of `wanted` was met; None if one cannot be."""
        for literal in _each(wanted):
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
            if step not in self._under_way and self._helps(step, literal, plan.state):
                self._under_way.add(step)
                ready = yield self.meet(step.needs, plan)
                self._under_way.remove(step)
                if ready is not None and not step.needs & ~ready.state:
                    return ready.then(step)
        return None

    def _helps(self, step: Step, literal: int, state: int) -> bool:
        if step.changes:
            return self._is_nearer(literal, state, step.after(state))
        return step.makes & literal != 0

    def _is_nearer(self, literal: int, before: int, after: int) -> bool:
        """Return True if `literal` is met after a step, or is a count that is nearer to it."""
        distance = self._problem.distance
        return literal & after != 0 or distance(literal, after) < distance(literal, before)


def _each(literals: int) -> Iterator[int]:
    while literals:
        yield literals & -literals
        literals &= literals - 1
