"""Report: the errors of a step, with the agents that they concern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import define, field

from fsmkit import FsmState, TransitionLoopError
from fsmkit.core.errors import as_one
from fsmkit.core.messages import course
from fsmkit.crowd.compiler.layout import Layout

MAX_SHOWN: Final = 5
"""The most errors that are raised together: as many as a command prints."""


@define(eq=False)
class Report:
    """The errors of a step; all other agents were updated."""

    errors: list[Exception] = field(factory=list)
    failures: int = 0
    loops: int = 0
    first_looping: int = 0
    trail: list[int] = field(factory=list)

    def add_failure(
        self, layout: Layout, agent: int, state: FsmState[Any] | None, where: str, error: Exception
    ) -> None:
        """Add the error that a function has raised."""
        self.failures += 1
        if len(self.errors) < MAX_SHOWN:
            name = state.name if state is not None else None
            error.add_note(
                f"Crowd of {layout.machine.name!r}, agent {agent}, state {name!r}, {where}"
            )
            self.errors.append(error)

    def add_loop(self, agent: int, trail: Sequence[int], count: int = 1) -> None:
        """Add an agent that has changed its state too often, the first of `count`."""
        if not self.loops:
            self.first_looping, self.trail = agent, list(trail)
        self.loops += count

    def merge(self, other: Report) -> None:
        """Add the errors of later agents."""
        self.errors += other.errors[: MAX_SHOWN - len(self.errors)]
        self.failures += other.failures
        if other.loops:
            self.add_loop(other.first_looping, other.trail, other.loops)

    def raise_errors(self, layout: Layout) -> None:
        """Raise the errors, if there are any."""
        if not self.errors and not self.loops:
            return
        errors = self.errors[: MAX_SHOWN - 1] if self.loops else list(self.errors)
        if self.loops:
            errors.append(self._endless(layout))
        failed = self.failures + self.loops
        raise as_one(errors, f"{failed:,} agents failed; of these, {len(errors)} are shown")

    def _endless(self, layout: Layout) -> TransitionLoopError:
        names = [layout.states[number].name for number in self.trail]
        agents = "agent" if self.loops == 2 else "agents"
        others = f" So did {self.loops - 1:,} other {agents}." if self.loops > 1 else ""
        return TransitionLoopError(
            f"Crowd of {layout.machine.name!r}, agent {self.first_looping}: more than "
            f"{layout.machine.max_transitions} state changes within one call. {course(names)}."
            f"{others} Let one of them wait for an update or an event, or raise max_transitions."
        )
