"""Conducting a study: checks what is asked for, has all runs carried out, and makes the table."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from itertools import product
from typing import Any

from fsmkit.crowd.arguments import checked_integer
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.results.measure import COUNT, Measure, measure_of
from fsmkit.crowd.studies.gathered import Gathered, Measurement, check_names
from fsmkit.crowd.studies.parameters import Axis
from fsmkit.crowd.studies.processes import messages
from fsmkit.crowd.studies.run import Course, Run
from fsmkit.crowd.studies.worker import carry_out
from fsmkit.crowd.study import Study
from fsmkit.crowd.this_computer import processors


def checked_measures(
    measure: Iterable[str] | None, fields: Iterable[str], states: Iterable[str]
) -> dict[str, Measure]:
    """Return the measures by their names as they were written; by default the count of each state.

    Raises CrowdError for unknown ones.
    """
    fields, states = list(fields), list(states)
    if measure is None:
        measures = [Measure(COUNT, state=state) for state in states]
        return {each.name: each for each in measures}
    if isinstance(measure, str) or not isinstance(measure, Iterable):
        raise CrowdError(
            f'measure must be a list such as ["mean(x)", "count(Ill)"], or a function that takes '
            f"the crowd and returns a dict of numbers, got {measure!r}."
        )
    return {each: measure_of(each, fields, states) for each in measure}


def checked_seeds(seeds: Iterable[int]) -> list[int]:
    """Return the seeds. Raises CrowdError unless there are some, all whole numbers >= 0."""
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise CrowdError(f"seeds must be a row of whole numbers, got {seeds!r}. Write range(10).")
    row = [checked_integer(seed, "A seed") for seed in seeds]
    if not row:
        raise CrowdError("seeds must be one at least, got none.")
    return row


def conduct(
    course: Course,
    axes: Sequence[Axis],
    seeds: Sequence[int],
    measurement: Measurement | Sequence[str],
    processes: int | None,
) -> Study:
    """Carry out a run for each combination of values and each seed; return the table.

    `measurement` has the names of the course's measures, or is a function, which is called in this
    process. Raises CrowdError for a number of processes < 1, and StudyError if runs have failed.
    """
    check_names([axis.parameter.name for axis in axes], [])
    combinations = list(product(*(axis.values for axis in axes)))
    runs = [_run(axes, values, seed) for values in combinations for seed in seeds]
    most = processors() if processes is None else checked_integer(processes, "processes", 1)
    gathered = Gathered(course, runs, measurement, [axis.parameter.name for axis in axes])
    with closing(_messages(course, runs, min(most, len(runs)))) as arriving:
        for number, message in arriving:
            gathered.add(number, message)
    keys = {
        axis.parameter.name: [values[i] for values in combinations for _ in seeds]
        for i, axis in enumerate(axes)
    }
    return gathered.study(keys)


def _run(axes: Sequence[Axis], values: Sequence[Any], seed: int) -> Run:
    parts: dict[str, dict[str, Any]] = {"world": {}, "action": {}, "agents": {}}
    for axis, value in zip(axes, values, strict=True):
        parts[axis.parameter.part][axis.parameter.key] = value
    return Run(seed, **parts)


def _messages(
    course: Course, runs: Sequence[Run], count: int
) -> Generator[tuple[int, Any], None, None]:
    if count > 1:
        yield from messages(course, runs, count)
        return
    for number, run in enumerate(runs):
        for message in carry_out(course, run):
            yield number, message
