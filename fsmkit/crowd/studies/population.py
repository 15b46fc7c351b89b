"""Population: the agents of one run, in whichever process; no function of the user is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve

from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.stepping import Stepping
from fsmkit.crowd.engine.store import NOT_RUNNING, Store
from fsmkit.crowd.neighbours.renewal import Neighbours
from fsmkit.crowd.packages import np
from fsmkit.crowd.results.reading import Reading
from fsmkit.crowd.studies.run import Course, Moment, Run, Snapshot

TRIALS: Final = 4
"""Updates after which each of the two loops for an update has been tried."""


def compile_loops(course: Course) -> None:
    """Have the loops compiled, for the cache on disk, which all processes share."""
    nobody = {name: array[:0] for name, array in course.origin.arrays.items()}
    origin = evolve(course.origin, arrays=nobody)
    trial = evolve(course, origin=origin, steps=TRIALS, every=None, measures=())
    for _ in Population(trial, Run(0)).moments():
        pass


class Population:
    """A crowd that begins as the course says, with the values of the run."""

    def __init__(self, course: Course, run: Run) -> None:
        self._course = course
        self._plan = run.plan_of(course.plan)
        self._world = {**course.world, **run.world}
        self._store = Store(self._plan, 0, run.seed)
        course.origin.restore(self._store)
        for column, value in run.agents.items():
            self._store.columns[column][:] = value
        self._steps = Stepping(
            self._store,
            Compiled(self._plan, self._store, threads=1),
            Neighbours(self._store, course.neighbours, is_compiled=True, threads=1),
        )

    def moments(self) -> Iterator[Moment]:
        """Run to the end, and yield what is measured. Raises what the functions raise."""
        course, done = self._course, 0
        if course.start is not None:
            self._steps.change(self._store.mask(None), course.start, self._world)
        self._world["dt"] = course.dt
        if course.every is not None or not course.steps:
            yield self._moment()
        while done < course.steps:
            steps = min(course.every or course.steps, course.steps - done)
            for _ in range(steps):
                self._steps.update(course.dt, self._world)
            done += steps
            yield self._moment()

    def _moment(self) -> Moment:
        if self._course.measures is None:
            return Moment(self._store.time, snapshot=Snapshot.of(self._store))
        reading = Reading(self)
        values = [reading.value(measure) for measure in self._course.measures]
        return Moment(self._store.time, values)

    # What measures read

    def __len__(self) -> int:
        return len(self._store)

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        states = self.states
        counts = np.bincount(states[states != NOT_RUNNING], minlength=len(self._plan.states))
        return dict(zip(self._plan.states, counts.tolist(), strict=True))

    @property
    def states(self) -> Any:
        """The number of each agent's state."""
        return self._store.arrays()["state"]

    def read(self, field: str) -> Any:
        """Return a copy of the column of a field."""
        return self[field].copy()

    def __getitem__(self, field: str) -> Any:
        """Return the column of a field."""
        return self._store.arrays()[self._plan.columns.field(field)]
