"""The greedy strategy: depth first from the goal backwards, the cheapest provider first.

Per wanted fact it takes the action that is itself the cheapest of those that provide it and whose
preconditions can all be met in turn; what a branch did that failed is forgotten. It looks at little
and is quick, may find a dear plan, and may miss one. Such is the planner behind Marnel Estrada's
"GOAP Extensions".
"""

from __future__ import annotations

from collections.abc import Generator
from operator import attrgetter

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


def search(problem: Problem) -> Generator[None, None, Plan]:
    """Find a plan. Yields before each fact that is to be provided for."""
    providers = sorted(problem.steps, key=attrgetter("weight"))
    course = yield from _meet(problem.target, _Course(problem.start), providers, ())
    if course is None or problem.target & ~course.state:
        return Plan(False, missing=missing_facts(problem))
    return plan_of(course.steps)


def _meet(
    wanted: int, course: _Course, providers: list[Step], under_way: tuple[Step, ...]
) -> Generator[None, None, _Course | None]:
    """The course after which the literals of `wanted` were met one by one; None if one cannot be.

    The steps that are `under_way` wait for this and cannot help.
    """
    for bit in range(wanted.bit_length()):
        literal = wanted & 1 << bit
        if literal & ~course.state:
            yield
            longer = yield from _provide(literal, course, providers, under_way)
            if longer is None:
                return None
            course = longer
    return course


def _provide(
    literal: int, course: _Course, providers: list[Step], under_way: tuple[Step, ...]
) -> Generator[None, None, _Course | None]:
    """The course after which `literal` holds; None if no step can make it hold."""
    for step in providers:
        if step.makes & literal and step not in under_way:
            ready = yield from _meet(step.needs, course, providers, (*under_way, step))
            if ready is not None and not step.needs & ~ready.state:
                return ready.then(step)
    return None
