"""Wishes: which goals are wanted now, and which of them come first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from attrs import frozen

from fsmkit.goap.action import Facts
from fsmkit.goap.goal import Goal


@frozen(eq=False)
class Wish:
    """A goal that is wanted now: for its own sake, or as a fallback of another one."""

    goal: Goal
    origin: Goal
    """The goal itself, or the one that it is a fallback of."""
    priority: float
    """That of the origin."""


def wishes(goals: Iterable[Goal], world: Facts) -> list[Wish]:
    """What is wanted in `world`, the best first, each goal with its fallbacks behind it."""
    wanted = [(goal.current_priority(), goal) for goal in goals if goal.is_wanted(world)]
    wanted.sort(key=itemgetter(0), reverse=True)
    return [
        Wish(goal, origin, priority)
        for priority, origin in wanted
        for goal in origin.chain()
        if goal is origin or goal.is_wanted(world)
    ]


def better_than(goal: Goal, wanted: Sequence[Wish]) -> list[Goal]:
    """The goals among `wanted` that are more important, or that `goal` is only a fallback for."""
    index = [wish.goal for wish in wanted].index(goal)
    present = wanted[index]
    return [
        wish.goal
        for wish in wanted[:index]
        if wish.priority > present.priority or wish.origin is present.origin
    ]
