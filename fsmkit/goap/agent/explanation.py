"""Explanation: why an agent does what it does, for people and for tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from attrs import frozen

from fsmkit.goap.agent.setbacks import Failure, LeftOut

Standing: TypeAlias = Literal[
    "reached", "not wanted", "chosen", "planning", "no plan", "waiting", "unknown"
]
"""How a goal stands: it holds; it is not wanted; the plan is for it; it is planned for now; there
was no plan; it waits for its turn; an error hides it."""


@frozen
class GoalStanding:
    """How a goal of an agent stands."""

    goal: str
    """Its name."""
    priority: float | None
    """That of the goal it is a fallback of, if it is one; None if an error hides it."""
    standing: Standing
    reason: str = ""
    """Why it stands so, in words, where there is more to say."""
    until: float | None = None
    """Seconds on the agent's clock: until when it is put off, if it has had no plan."""
    fallback_of: str | None = None
    """The name of the goal that it stands in for, if it is a fallback."""

    def __str__(self) -> str:
        priority = "?" if self.priority is None else f"{self.priority:g}"
        origin = f", as a fallback of {self.fallback_of!r}" if self.fallback_of is not None else ""
        reason = f": {self.reason}" if self.reason else ""
        until = f"; put off until {self.until:.1f} s" if self.until is not None else ""
        return f"{self.goal} (priority {priority}{origin}): {self.standing}{reason}{until}"


@frozen
class Explanation:
    """Why an agent does what it does: its goals, its plan, and what it leaves out.

    As a text it has a line for each goal, for the plan, and for each action that is left out.
    """

    agent: str
    """The name of the agent."""
    time: float
    """Seconds on the agent's clock."""
    state: str | None
    """The name of its state; None if it does not run."""
    doing: str
    """What it does now, in words."""
    goals: tuple[GoalStanding, ...]
    """Best first, each followed by its fallbacks; those that an error hides come last."""
    goal: str | None
    """The name of the goal that the plan is for, or that is planned for."""
    plan: tuple[str, ...]
    """The names of the plan's actions."""
    step: int
    """The index of the action of the plan that is under way; -1 before the first."""
    left_out: tuple[LeftOut, ...]
    """The actions that are left out of planning now, as they have failed."""
    last_failure: Failure | None
    """Why the last plan that failed did so."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.agent!r} at {self.time:.1f} s: {self.doing}"
        yield from _listed("goals", [str(each) for each in self.goals])
        if self.plan:
            yield f"plan for {self.goal!r}: {', '.join(self._steps())}"
        yield from _listed("left out of planning", [str(each) for each in self.left_out])
        if self.last_failure is not None:
            yield f"last failure: {self.last_failure}"

    def _steps(self) -> Iterator[str]:
        for index, name in enumerate(self.plan):
            yield f"{name} (done)" if index < self.step else name + " (now)" * (index == self.step)


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  {line}" for line in lines)
