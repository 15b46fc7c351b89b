"""The greedy strategy: depth first from the goal backwards, the cheapest provider first.

Per wanted fact it takes the action that is itself the cheapest of those that provide it and whose
preconditions can all be met in turn; what a branch did that failed is forgotten. It looks at little
and is quick, may find a dear plan, and may miss one. Such is the planner behind Marnel Estrada's
"GOAP Extensions".
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
class _Course:
    """The steps chosen so far, and the world state that they lead to."""

    state: int
    steps: tuple[Step, ...] = ()

    def then(self, step: Step) -> _Course:
        return _Course(self.state & ~step.unmakes | step.makes, (*self.steps, step))


_Task: TypeAlias = "Generator[_Task | None, _Course | None, _Course | None]"
"""Looks for a course. It yields a task whose course it has to know, or None where it may rest."""


def search(problem: Problem) -> Generator[None, None, Plan]:
    """Find a plan. Yields before each fact that is to be provided for."""
    providers = sorted(problem.steps, key=attrgetter("weight"))
    course = yield from _carry_out(_meet(problem.target, _Course(problem.start), providers, set()))
    if course is None or problem.target & ~course.state:
        return Plan(False, out_of_reach=missing_facts(problem))
    return plan_of(course.steps)


def _carry_out(task: _Task) -> Generator[None, None, _Course | None]:
    """What `task` finds. Those that wait for others are on a list: a plan may be of any length."""
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


def _meet(wanted: int, course: _Course, providers: list[Step], under_way: set[Step]) -> _Task:
    """The course after which the literals of `wanted` were met one by one; None if one cannot be.

    The steps that are `under_way` wait for this and cannot help.
    """
    for literal in _each(wanted):
        if literal & ~course.state:
            yield None
            longer = yield _provide(literal, course, providers, under_way)
            if longer is None:
                return None
            course = longer
    return course


def _provide(literal: int, course: _Course, providers: list[Step], under_way: set[Step]) -> _Task:
    """The course after which `literal` holds; None if no step can make it hold."""
    for step in providers:
        if step.makes & literal and step not in under_way:
            under_way.add(step)
            ready = yield _meet(step.needs, course, providers, under_way)
            under_way.remove(step)
            if ready is not None and not step.needs & ~ready.state:
                return ready.then(step)
    return None


def _each(literals: int) -> Iterator[int]:
    while literals:
        yield literals & -literals
        literals &= literals - 1
