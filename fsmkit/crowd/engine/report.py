"""Report: the result of a step, with the errors of agents and the agents born."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import define, evolve, field, frozen

from fsmkit import TransitionLoopError
from fsmkit.core.errors import as_one
from fsmkit.core.words.messages import course
from fsmkit.core.words.notes import add_note
from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.engine.store import joined_columns
from fsmkit.crowd.errors import CrowdError, use_one_wording
from fsmkit.crowd.packages import np

MAX_SHOWN: Final = 5
"""The most errors that are raised together: as many as a command prints."""

ROOM: Final = 4096
"""The births that a loop notes before it stops so that they can be collected."""


@define(eq=False)
class Report:
    """The errors of a step, and the agents born in it; all agents without an error were updated.

    It can be pickled, unless an uncompiled function raised an exception that cannot be pickled.
    """

    failures: list[AgentFailure] = field(factory=list)
    """The first few."""
    failed: int = 0
    """The number of agents for which a function raised."""
    loops: int = 0
    """The number of agents whose state changes did not end."""
    first_looping: int = 0
    """The index of the first of them."""
    trail: list[int] = field(factory=list)
    """The numbers of its last states."""
    births: list[Births] = field(factory=list)
    born_without_end: int = 0
    """The number of agents born in this step, if it was stopped because births did not end."""

    def add_failure(self, failure: AgentFailure) -> None:
        self.failed += 1
        use_one_wording(failure.error)
        if len(self.failures) < MAX_SHOWN:
            self.failures.append(failure)

    def add_loop(self, agent: int, trail: Sequence[int], count: int = 1) -> None:
        if not self.loops:
            self.first_looping, self.trail = agent, list(trail)
        self.loops += count

    def merge(self, other: Report) -> None:
        self.failures += other.failures[: MAX_SHOWN - len(self.failures)]
        self.failed += other.failed
        if other.loops:
            self.add_loop(other.first_looping, other.trail, other.loops)
        self.births += other.births

    def take_births(self) -> Births | None:
        """Return the agents that were spawned, in the order of their future ids."""
        births, self.births = joined(self.births), []
        return births

    def by_index(self, index_of: Callable[[int], int]) -> Report:
        """Replace the rows of agents by their indices; return this report."""
        if self.failed or self.loops:
            self.failures = [evolve(each, agent=index_of(each.agent)) for each in self.failures]
            self.first_looping = index_of(self.first_looping)
        return self

    def raise_errors(self, plan: CrowdPlan) -> None:
        if not self.failures and not self.loops and not self.born_without_end:
            return
        endless: list[Exception] = [self._endless(plan)] if self.loops else []
        if self.born_without_end:
            endless.append(self._born(plan))
        shown = self.failures[: MAX_SHOWN - len(endless)]
        for each in shown:
            where = f"agent {each.agent}, state {each.state!r}, {each.where}"
            add_note(each.error, f"Crowd of {plan.name!r}, {where}")
        errors = [*(each.error for each in shown), *endless]
        failed = self.failed + self.loops + bool(self.born_without_end)
        raise as_one(errors, f"{failed:,} agents failed; of these, {len(errors)} are shown")

    def _endless(self, plan: CrowdPlan) -> TransitionLoopError:
        names = [plan.states[number] for number in self.trail]
        agents = "agent" if self.loops == 2 else "agents"
        others = f" So did {self.loops - 1:,} other {agents}." if self.loops > 1 else ""
        return TransitionLoopError(
            f"Crowd of {plan.name!r}, agent {self.first_looping}: more than "
            f"{plan.max_transitions} state changes within one call. {course(names)}."
            f"{others} Let one of them wait for an update or an event, or raise max_transitions."
        )

    def _born(self, plan: CrowdPlan) -> CrowdError:
        return CrowdError(
            f"Crowd of {plan.name!r}: agents that were born in this step spawned others in the "
            f"same step, without end. It was stopped after {self.born_without_end:,} births. Let a "
            "new agent wait for an update or an event before it spawns, or raise max_transitions."
        )


@frozen(eq=False)
class AgentFailure:
    agent: int
    """The index of the agent."""
    state: str | None
    """None for an agent that is not running."""
    where: str
    """The function, the file and the line."""
    error: Exception


@define(eq=False)
class Births:
    """New agents as columns, in the order of their parents' ids and of each parent's calls."""

    parents: Any
    """The ids of their parents."""
    starts: Any
    """The numbers of the states in which they start."""
    cells: dict[str, Any]
    """The columns of all fields."""

    def __len__(self) -> int:
        return len(self.parents)


def joined(parts: Sequence[Births]) -> Births | None:
    """Return all births in the order of their parents; None if there are none."""
    if not parts:
        return None
    parents = np.concatenate([each.parents for each in parts])
    order = np.argsort(parents, kind="stable")
    starts = np.concatenate([each.starts for each in parts])[order]
    cells = joined_columns([each.cells for each in parts])
    return Births(parents[order], starts, {name: column[order] for name, column in cells.items()})


class BirthNotes:
    """The arrays into which the loops of one thread note births, if agents spawn others.

    A loop stops before an agent whose children might not fit.
    """

    def __init__(self, plan: CrowdPlan, columns: Mapping[str, Any]) -> None:
        room = ROOM + plan.most_births
        fields = map(plan.columns.field, plan.columns.record.kinds)
        self._counts = np.array([0, ROOM, -1])
        """The births; how many may precede the next agent; the agent at which a loop stopped."""
        self._births = Births(
            np.empty(room, np.int64),
            np.empty(room, np.int16),
            {name: np.empty(room, columns[name].dtype) for name in fields},
        )

    @property
    def arguments(self) -> tuple[Any, ...]:
        births = self._births
        return self._counts, births.parents, births.starts, *births.cells.values()

    def move_to(self, report: Report) -> int | None:
        """Add the noted births to a report; return where the loop stopped if it ran out of room."""
        count, _, stopped = self._counts.tolist()
        self._counts[:] = 0, ROOM, -1
        births = self._births
        if count:
            cells = {name: column[:count].copy() for name, column in births.cells.items()}
            parents, starts = births.parents[:count].copy(), births.starts[:count].copy()
            report.births.append(Births(parents, starts, cells))
        return stopped if stopped >= 0 else None
