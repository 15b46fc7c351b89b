"""The greedy strategy: depth first from the goal backwards, the cheapest provider first.

For each wanted fact it takes the cheapest action that provides it and whose preconditions can all
be met in turn; a branch that failed is undone. It looks at few nodes and is quick, may find a
costly plan, and may miss one. The planner of Marnel Estrada's "GOAP Extensions" works like this.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from operator import attrgetter
from typing import TypeAlias

from attrs import frozen

from fsmkit.goap.missing import missing_facts
from fsmkit.goap.plan import Plan, plan_of
from fsmkit.goap.problem import Problem, Step


@frozen
class _PartialPlan:
    """The steps chosen so far, and the world state that they lead to."""

    state: int
    steps: tuple[Step, ...] = ()

    def then(self, step: Step) -> _PartialPlan:
        return _PartialPlan(self.state & ~step.unmakes | step.makes, (*self.steps, step))


_Task: TypeAlias = "Generator[_Task | None, _PartialPlan | None, _PartialPlan | None]"
"""Looks for a partial plan. Yields a task whose result it needs, or None where it may pause."""


def search(problem: Problem) -> Generator[None, None, Plan]:
    """Find a plan. Yields before each fact to be provided."""
    providers = sorted(problem.steps, key=attrgetter("weight"))
    plan = yield from _carry_out(
        _meet(problem.target, _PartialPlan(problem.start), providers, set())
    )
    if plan is None or problem.target & ~plan.state:
        return Plan(False, out_of_reach=missing_facts(problem))
    return plan_of(plan.steps)


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


def _meet(wanted: int, plan: _PartialPlan, providers: list[Step], under_way: set[Step]) -> _Task:
    """Return `plan` extended until each literal of `wanted` was met; None if one cannot be.

    Steps that are `under_way` wait for this one and cannot help.
    """
    for literal in _each(wanted):
        if literal & ~plan.state:
            yield None
            longer = yield _provide(literal, plan, providers, under_way)
            if longer is None:
                return None
            plan = longer
    return plan


def _provide(
    literal: int, plan: _PartialPlan, providers: list[Step], under_way: set[Step]
) -> _Task:
    """Return `plan` extended until `literal` holds; None if no step can make it hold."""
    for step in providers:
        if step.makes & literal and step not in under_way:
            under_way.add(step)
            ready = yield _meet(step.needs, plan, providers, under_way)
            under_way.remove(step)
            if ready is not None and not step.needs & ~ready.state:
                return ready.then(step)
    return None


def _each(literals: int) -> Iterator[int]:
    while literals:
        yield literals & -literals
        literals &= literals - 1
