"""Report: what went wrong in a step, for the agents it went wrong for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import define, field

from fsmkit import FsmState, TransitionLoopError
from fsmkit.crowd.compiler.layout import Layout

SHOWN: Final = 5
"""How many errors are raised together, at most: as many as a command tells of."""


@define(eq=False)
class Report:
    """Errors of a step; the other agents have gone on."""

    errors: list[Exception] = field(factory=list)
    failures: int = 0
    loops: int = 0
    looper: int = 0
    trail: list[int] = field(factory=list)

    def failed(
        self, layout: Layout, agent: int, state: FsmState[Any] | None, where: str, error: Exception
    ) -> None:
        """A function has raised."""
        self.failures += 1
        if len(self.errors) < SHOWN:
            name = state.name if state is not None else None
            error.add_note(
                f"Crowd of {layout.machine.name!r}, agent {agent}, state {name!r}, {where}"
            )
            self.errors.append(error)

    def looped(self, agent: int, trail: Sequence[int], count: int = 1) -> None:
        """An agent has changed its state too often; `count` of them, of which it is the first."""
        if not self.loops:
            self.looper, self.trail = agent, list(trail)
        self.loops += count

    def add(self, other: Report) -> None:
        """Add what went wrong for later agents."""
        self.errors += other.errors[: SHOWN - len(self.errors)]
        self.failures += other.failures
        if other.loops:
            self.looped(other.looper, other.trail, other.loops)

    def raise_errors(self, layout: Layout) -> None:
        """Raise what went wrong, if anything."""
        if not self.errors and not self.loops:
            return
        errors = self.errors[: SHOWN - 1] if self.loops else list(self.errors)
        if self.loops:
            errors.append(self._endless(layout))
        if len(errors) == 1:
            raise errors[0]
        raise ExceptionGroup(
            f"{self.failures + self.loops:,} agents failed; of these, {len(errors)} are shown",
            errors,
        )

    def _endless(self, layout: Layout) -> TransitionLoopError:
        names = [layout.states[number].name for number in self.trail]
        cycle = _repeating_end(names)
        course = (
            f"They repeat: {' -> '.join([*cycle, cycle[0]])}" if cycle
            else f"The last ones: {' -> '.join(names[-10:])}"
        )  # fmt: skip
        agents = "agent" if self.loops == 2 else "agents"
        others = f" So did {self.loops - 1:,} other {agents}." if self.loops > 1 else ""
        return TransitionLoopError(
            f"Crowd of {layout.machine.name!r}, agent {self.looper}: more than "
            f"{layout.machine.max_transitions} state changes within one call. {course}.{others} "
            "Let one of them wait for an update or an event, or raise max_transitions."
        )


def _repeating_end(trail: Sequence[str]) -> list[str]:
    """The shortest run of names that `trail` ends with twice; empty if there is none."""
    for length in range(1, len(trail) // 2 + 1):
        if trail[-length:] == trail[-2 * length : -length]:
            return list(trail[-length:])
    return []
