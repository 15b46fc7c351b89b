"""Report: the errors of a step, with the agents that they concern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from attrs import define, evolve, field, frozen

from fsmkit import TransitionLoopError
from fsmkit.core.errors import as_one
from fsmkit.core.words.messages import course
from fsmkit.core.words.notes import add_note
from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.engine.births import Births, joined
from fsmkit.crowd.errors import CrowdError, use_one_wording

MAX_SHOWN: Final = 5
"""The most errors that are raised together: as many as a command prints."""


@frozen(eq=False)
class Failure:
    """What a function has raised for an agent."""

    agent: int
    """The index of the agent."""
    state: str | None
    """None for an agent that is not running."""
    where: str
    """The function, the file and the line."""
    error: Exception


@define(eq=False)
class Report:
    """The errors of a step; all other agents were updated.

    It can be pickled, unless a function was called as it is and has raised what cannot be.
    """

    failures: list[Failure] = field(factory=list)
    """The first ones."""
    failed: int = 0
    """The number of agents for which a function has raised."""
    loops: int = 0
    """The number of agents that changed their state without end."""
    first_looping: int = 0
    """The index of the first of them."""
    trail: list[int] = field(factory=list)
    """The numbers of its last states."""
    births: list[Births] = field(factory=list)
    """The agents that were spawned."""
    born_without_end: int = 0
    """The number of agents born in this step, if their births were stopped."""

    def add_failure(self, failure: Failure) -> None:
        """Add the error that a function has raised."""
        self.failed += 1
        use_one_wording(failure.error)
        if len(self.failures) < MAX_SHOWN:
            self.failures.append(failure)

    def add_loop(self, agent: int, trail: Sequence[int], count: int = 1) -> None:
        """Add an agent that has changed its state too often, the first of `count`."""
        if not self.loops:
            self.first_looping, self.trail = agent, list(trail)
        self.loops += count

    def merge(self, other: Report) -> None:
        """Add the errors of later agents."""
        self.failures += other.failures[: MAX_SHOWN - len(self.failures)]
        self.failed += other.failed
        if other.loops:
            self.add_loop(other.first_looping, other.trail, other.loops)
        self.births += other.births

    def take_births(self) -> Births | None:
        """Return the agents that were spawned, in the order of their ids to come."""
        births, self.births = joined(self.births), []
        return births

    def by_index(self, index_of: Callable[[int], int]) -> Report:
        """Return the same report, which has named agents by their rows, with their indices."""
        if self.failed or self.loops:
            self.failures = [evolve(each, agent=index_of(each.agent)) for each in self.failures]
            self.first_looping = index_of(self.first_looping)
        return self

    def raise_errors(self, plan: Plan) -> None:
        """Raise the errors, if there are any."""
        if not self.failures and not self.loops and not self.born_without_end:
            return
        endless: list[Exception] = [self._endless(plan)] if self.loops else []
        if self.born_without_end:
            endless.append(self._born(plan))
        shown = self.failures[: MAX_SHOWN - len(endless)]
        errors = [*(_noted(plan, failure) for failure in shown), *endless]
        failed = self.failed + self.loops + bool(self.born_without_end)
        raise as_one(errors, f"{failed:,} agents failed; of these, {len(errors)} are shown")

    def _endless(self, plan: Plan) -> TransitionLoopError:
        names = [plan.states[number] for number in self.trail]
        agents = "agent" if self.loops == 2 else "agents"
        others = f" So did {self.loops - 1:,} other {agents}." if self.loops > 1 else ""
        return TransitionLoopError(
            f"Crowd of {plan.name!r}, agent {self.first_looping}: more than "
            f"{plan.max_transitions} state changes within one call. {course(names)}."
            f"{others} Let one of them wait for an update or an event, or raise max_transitions."
        )

    def _born(self, plan: Plan) -> CrowdError:
        return CrowdError(
            f"Crowd of {plan.name!r}: agents that were born in this step spawned others in the "
            f"same step, without end. It was stopped after {self.born_without_end:,} births. Let a "
            "new agent wait for an update or an event before it spawns, or raise max_transitions."
        )


def _noted(plan: Plan, failure: Failure) -> Exception:
    """Return the error, with a note about the agent."""
    add_note(
        failure.error,
        f"Crowd of {plan.name!r}, agent {failure.agent}, state {failure.state!r}, {failure.where}",
    )
    return failure.error
