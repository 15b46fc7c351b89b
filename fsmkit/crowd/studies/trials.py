"""Trials: single runs of a study, as plain data.

No function of the user is called here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Final, TypeAlias

from attrs import evolve, field, frozen

from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.execution import Stepping
from fsmkit.crowd.engine.store import FieldColumns, Store
from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.neighbours.renewal import Neighbours
from fsmkit.crowd.results import Measure, Reading

LOOP_TRIALS: Final = 4
"""Updates after which each of the two loops for an update has been tried."""


@frozen(eq=False)
class CrowdSnapshot:
    arrays: Mapping[str, Any]
    time: float
    delta_time: float
    step: int
    next_id: int

    @classmethod
    def of(cls, store: Store) -> CrowdSnapshot:
        """Return the content of a store. The arrays are its own, not copies."""
        return cls(store.arrays(), store.time, store.delta_time, store.step, store.next_id)

    def restore(self, store: Store) -> None:
        """Write everything into a store; the arrays are copied."""
        store.replace({name: array.copy() for name, array in self.arrays.items()})
        store.time, store.delta_time = self.time, self.delta_time
        store.step, store.next_id = self.step, self.next_id


@frozen(eq=False)
class Course:
    """The common part of all trials of a study: their beginning, steps and measures."""

    plan: CrowdPlan
    origin: CrowdSnapshot
    world: Mapping[str, Any]
    """All values of the world, in the order of the loops' arguments."""
    neighbours: Sequence[Declaration]
    dt: float
    steps: int
    every: int | None
    """The number of steps between two measurements; None: measure at the end only."""
    start: int | None
    """The code of the start that each trial begins with."""
    measures: Sequence[Measure] | None
    """None if a function of the user measures, which needs whole snapshots."""


@frozen(eq=False)
class Trial:
    seed: int
    world: Mapping[str, Any] = field(factory=dict)
    """Fields of the world."""
    action: Mapping[str, Any] = field(factory=dict)
    """Arguments of the loops."""
    agents: Mapping[str, Any] = field(factory=dict)
    """Columns, with one value for all agents."""

    def plan_of(self, plan: CrowdPlan) -> CrowdPlan:
        return evolve(plan, parameters={**plan.parameters, **self.action})

    def world_of(self, world: Any) -> Any:
        """Return a copy of a world with the values of this trial."""
        own = copy(world)
        for name, value in self.world.items():
            object.__setattr__(own, name, value)  # the class may be frozen
        return own


@frozen(eq=False)
class Sample:
    time: float
    values: Sequence[float] = ()
    snapshot: CrowdSnapshot | None = None


@frozen(eq=False)
class Ended:
    """The end of a trial, with its error."""

    error: Exception | None = None


Message: TypeAlias = Sample | Ended


def carry_out(course: Course, trial: Trial) -> Iterator[Message]:
    """Yield the samples of a trial, then its end. Raises nothing."""
    error: Exception | None = None
    try:
        yield from Population(course, trial).samples()
    except Exception as raised:
        error = Exception.with_traceback(raised, None)
    yield Ended(error)


def compile_loops(course: Course) -> None:
    """Compile the loops into the cache on disk, which all processes share."""
    nobody = {name: array[:0] for name, array in course.origin.arrays.items()}
    origin = evolve(course.origin, arrays=nobody)
    short = evolve(course, origin=origin, steps=LOOP_TRIALS, every=None, measures=())
    for _ in Population(short, Trial(0)).samples():
        pass


def stepping(plan: CrowdPlan, seed: int, neighbours: Sequence[Declaration]) -> Stepping:
    """Return the steps of a compiled crowd without agents, for one thread."""
    store = Store(plan, 0, seed)
    known = Neighbours(store, neighbours, threads=1, defers=True)
    return Stepping(store, Compiled(plan, store, threads=1), known)


class Population:
    """A crowd that begins as the course says, with the values of a trial."""

    def __init__(self, course: Course, trial: Trial) -> None:
        self._course = course
        self._plan = trial.plan_of(course.plan)
        self._world = {**course.world, **trial.world}
        self._steps = stepping(self._plan, trial.seed, course.neighbours)
        self._store = self._steps.store
        self._fields = FieldColumns(self._store)
        course.origin.restore(self._store)
        for column, value in trial.agents.items():
            self._store.columns[column][:] = value

    def samples(self) -> Iterator[Sample]:
        """Run to the end, and yield the samples. Raises the errors of the functions."""
        course, done = self._course, 0
        if course.start is not None:
            self._steps.change(self._store.mask(None), course.start, self._world)
        self._world["dt"] = course.dt
        if course.every is not None or not course.steps:
            yield self._sample()
        while done < course.steps:
            steps = min(course.every or course.steps, course.steps - done)
            for _ in range(steps):
                self._steps.update(course.dt, self._world)
            done += steps
            yield self._sample()

    def _sample(self) -> Sample:
        if self._course.measures is None:
            return Sample(self._store.time, snapshot=CrowdSnapshot.of(self._store))
        reading = Reading(self)
        values = [reading.value(measure) for measure in self._course.measures]
        return Sample(self._store.time, values)

    # What measures read

    def __len__(self) -> int:
        return len(self._store)

    def count(self) -> dict[str, int]:
        return self._fields.count()

    @property
    def states(self) -> Any:
        return self._fields.shown("state")

    def __getitem__(self, field: str) -> Any:
        return self._fields.live(field)
