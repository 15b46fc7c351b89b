"""Sweeps: the numbers that they vary, by name, their trials, and the table of the study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import product
from math import nan
from multiprocessing import current_process
from typing import Any, Final, Literal, TypeAlias

from attrs import define, evolve, field, frozen

from fsmkit.core.words.notes import message_of, notes_of
from fsmkit.core.words.suggestions import similar
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.argument_checks import checked_integer, plain, processors
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted
from fsmkit.crowd.results import COUNT, Measure, measure_of
from fsmkit.crowd.studies.trials import (
    Course,
    CrowdSnapshot,
    Ended,
    Message,
    Sample,
    Trial,
    carry_out,
)
from fsmkit.crowd.studies.workers import messages
from fsmkit.crowd.study import ERROR, SEED, TIME, Study, StudyError
from fsmkit.terminal.progress import Progress

Part: TypeAlias = Literal["world", "action", "agents"]


@frozen
class Parameter:
    name: str
    """Its name in the study, as the user wrote it."""
    part: Part
    key: str
    """The field of the world, the argument of the loops, or the column of the agents."""
    kind: type
    action: Behaviour | None = None
    """The action that was given the number."""
    values: tuple[Any, ...] = ()
    """Its values in a study."""


def swept_parameters(layout: Layout, parameters: Mapping[str, Iterable[Any]]) -> list[Parameter]:
    if not isinstance(parameters, Mapping):
        raise CrowdError(
            "parameters must be a dict of names with their values, such as "
            f'{{"world.speed": [1.0, 2.0]}}, got {parameters!r}.'
        )
    known = KnownParameters(layout)
    return [_swept(known.parameter(name), values) for name, values in parameters.items()]


def _swept(parameter: Parameter, values: Any) -> Parameter:
    what = f"The values of {parameter.name!r}"
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
        raise CrowdError(
            f"{what} must be a sequence of numbers, got {values!r}. Write [{values!r}]."
        )
    try:
        row = tuple(fitted(parameter.kind, each, what) for each in values)
    except (TypeError, OverflowError) as error:
        is_whole = parameter.part == "action" and parameter.kind is int
        advice = " The machine has an integer there: write it as 1.0." if is_whole else ""
        raise CrowdError(f"{error}{advice}") from None
    if not row:
        raise CrowdError(f"{what} must not be empty.")
    if parameter.action is not None:
        own = parameter.name.rpartition(".")[2]
        for each in row:
            parameter.action.check_parameter(own, each, what)
    return evolve(parameter, values=row)


class KnownParameters:
    """The parameters of a machine: `world.field`, `State.parameter`, and fields of the agents.

    `State[1].parameter` is that of the action with this index, for a state where several have it.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        fields = {each.name: each for each in _fields(layout)}
        numbers = {each.name: each for each in _numbers(layout)}
        owners = Counter(map(_short, numbers))
        self._several = {name for name, count in owners.items() if count > 1}
        unique = {
            _short(name): evolve(each, name=_short(name))
            for name, each in numbers.items()
            if _short(name) not in self._several
        }
        self._every = {**numbers, **unique, **fields}
        several = (name for name in numbers if _short(name) in self._several)
        self._shown = [*unique, *several, *fields]

    def parameter(self, name: str) -> Parameter:
        if name in self._every:
            return self._every[name]
        known = ", ".join(self._shown) or "none"
        owner, _, own = str(name).rpartition(".")
        if owner == "world" and own in self._layout.columns.world.tables:
            raise CrowdError(
                f"{name!r} is a table, but only numbers can be varied. Known: {known}."
            )
        if name in self._several:
            exact = [repr(each) for each in self._shown if _short(each) == name]
            raise CrowdError(
                f"{name!r} is a parameter of several actions. Write {' or '.join(exact)}."
            )
        field = self._field(owner, own)
        if field is not None:
            raise CrowdError(f"{name!r} is not a number but the field {field!r}. Vary that.")
        raise CrowdError(
            f"There is no parameter {name!r}. {self._meant(owner, own)}Known: {known}."
        )

    def _meant(self, owner: str, own: str) -> str:
        """Return `Did you mean ...? ` with a similar name of the same owner; empty without one."""
        known = [each.rpartition(".") for each in self._every]
        meant = similar(own, [other for each, _, other in known if each == owner])
        return "" if meant is None else f"Did you mean {f'{owner}.{meant}'.lstrip('.')!r}? "

    def _field(self, state: str, name: str) -> str | None:
        """Return the field that an action was given as a parameter, instead of a number."""
        for (each, index), binding in self._layout.bindings.items():
            if state in (each.name, f"{each.name}[{index}]"):
                value = binding.action.definition.parameters.get(name)
                if isinstance(value, str):
                    return value
        return None


def _fields(layout: Layout) -> Iterator[Parameter]:
    columns = layout.columns
    for name, kind in columns.record.kinds.items():
        yield Parameter(name, "agents", columns.field(name), kind)
    for name, kind in columns.world.kinds.items():
        if name != "dt":
            yield Parameter(f"world.{name}", "world", name, kind)


def _numbers(layout: Layout) -> Iterator[Parameter]:
    for (state, index), binding in layout.bindings.items():
        for name, argument in binding.constants.items():
            kind = type(layout.columns.parameters[argument])
            own = f"{state.name}[{index}].{name}"
            yield Parameter(own, "action", argument, kind, binding.action)


def _short(name: str) -> str:
    """Return `State.parameter` for `State[1].parameter`."""
    owner, _, own = name.rpartition(".")
    return f"{owner.rpartition('[')[0]}.{own}"


Measurement: TypeAlias = Callable[[Trial, CrowdSnapshot], Mapping[str, Any]]
"""Calls the measuring function of the user."""

MAX_SHOWN: Final = 5


def checked_measures(
    measure: Iterable[str] | None, fields: Collection[str], states: Collection[str]
) -> dict[str, Measure]:
    """Return the measures by their names as they were written; by default the count of each state.

    Raises CrowdError for an unknown one.
    """
    if measure is None:
        measures = [Measure(COUNT, state=state) for state in states]
        return {each.name: each for each in measures}
    if isinstance(measure, str) or not isinstance(measure, Iterable):
        raise CrowdError(
            'measure must be a list such as ["mean(x)", "count(Ill)"], or a function that takes '
            f"the crowd and returns a dict of numbers, got {measure!r}."
        )
    return {each: measure_of(each, fields, states) for each in measure}


def checked_seeds(seeds: Iterable[int]) -> list[int]:
    """Return the seeds. Raises CrowdError unless they are integers >= 0, at least one."""
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise CrowdError(f"seeds must be a sequence of integers, got {seeds!r}. Write range(10).")
    row = [checked_integer(seed, "A seed") for seed in seeds]
    if not row:
        raise CrowdError("seeds must not be empty.")
    return row


def sweep(
    course: Course,
    swept: Sequence[Parameter],
    seeds: Sequence[int],
    measurement: Measurement | Sequence[str],
    processes: int | None,
) -> Study:
    """Carry out a trial for each combination of values and each seed; return the table.

    `measurement` has the names of the course's measures, or is a function, which is called in this
    process. Raises CrowdError for a number of processes < 1, and StudyError if trials failed.
    """
    names = [each.name for each in swept]
    _check_names(names, [])
    combinations = list(product(*(each.values for each in swept)))
    trials = [_trial(swept, values, seed) for values in combinations for seed in seeds]
    most = processors() if processes is None else checked_integer(processes, "processes", 1)
    keys = {
        name: [values[i] for values in combinations for _ in seeds] for i, name in enumerate(names)
    }
    gathered = Gathered(course, trials, measurement, keys)
    count = 1 if current_process().daemon else min(most, len(trials))  # it may start none
    here = ((i, message) for i, trial in enumerate(trials) for message in carry_out(course, trial))
    done = 0
    with (
        closing(messages(course, trials, count) if count > 1 else here) as arriving,
        Progress("sweeping", len(trials)) as progress,
    ):
        for number, message in arriving:
            gathered.add(number, message)
            done += isinstance(message, Ended)
            progress.show(done)
    return gathered.study()


def _trial(swept: Sequence[Parameter], values: Sequence[Any], seed: int) -> Trial:
    parts: dict[str, dict[str, Any]] = {"world": {}, "action": {}, "agents": {}}
    for each, value in zip(swept, values, strict=True):
        parts[each.part][each.key] = value
    return Trial(seed, **parts)


@define(eq=False)
class Gathered:
    course: Course
    trials: Sequence[Trial]
    measurement: Measurement | Sequence[str]
    keys: Mapping[str, Sequence[Any]]
    """Name of a parameter -> its value in each trial."""
    rows: list[list[tuple[float, Mapping[str, Any]]]] = field(init=False)
    """The time and the values of each sample, for each trial."""
    errors: dict[int, Exception] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.rows = [[] for _ in self.trials]

    def add(self, number: int, message: Message) -> None:
        if isinstance(message, Ended):
            if message.error is not None:
                self.errors[number] = message.error
        elif number not in self.errors:
            try:
                values = self._values(self.trials[number], message)
            except Exception as error:  # of the user's function
                self.errors[number] = error
            else:
                self.rows[number].append((message.time, _checked_values(values, self.keys)))

    def study(self) -> Study:
        names = self._names()
        for number in self.errors:
            self.rows[number] = [(nan, dict.fromkeys(names, nan))]
        numbers = [number for number, rows in enumerate(self.rows) for _ in rows]
        every = [row for rows in self.rows for row in rows]
        columns = {name: np.array(values)[numbers] for name, values in self.keys.items()}
        columns[SEED] = np.array([trial.seed for trial in self.trials], np.int64)[numbers]
        if self.course.every is not None:
            columns[TIME] = np.array([time for time, _ in every], np.float64)
        for name in names:
            columns[name] = np.array([values[name] for _, values in every])
        if self.errors:
            columns[ERROR] = np.array([_text(self.errors.get(number)) for number in numbers])
        study = Study(columns, tuple(self.keys), names)
        if self.errors:
            raise self._failure(study)
        return study

    def _values(self, trial: Trial, sample: Sample) -> Any:
        if not callable(self.measurement):
            return dict(zip(self.measurement, sample.values, strict=True))
        assert sample.snapshot is not None
        return self.measurement(trial, sample.snapshot)

    def _names(self) -> tuple[str, ...]:
        """Return the names of the measures. Those of a function must always be the same."""
        if not callable(self.measurement):
            return tuple(self.measurement)
        first: tuple[str, ...] | None = None
        for number, rows in enumerate(self.rows):
            for _, values in rows if number not in self.errors else ():
                first = first or tuple(values)
                if set(values) != set(first):
                    self.errors[number] = CrowdError(
                        f"measure must always return the same names, got {', '.join(first)} and "
                        f"then {', '.join(values)}."
                    )
        return first or ()

    def _failure(self, study: Study) -> StudyError:
        errors = {number: self.errors[number] for number in sorted(self.errors)}
        lines = [self._line(number) for number in list(errors)[:MAX_SHOWN]]
        if len(errors) > len(lines):
            lines.append(f"and {len(errors) - len(lines):,} more")
        return StudyError(
            f"{len(errors):,} of {len(self.trials):,} runs failed; the others are in the study of "
            "this error:\n" + "\n".join(f"  {line}" for line in lines),
            study,
            errors,
        )

    def _line(self, number: int) -> str:
        values = [f"{name} = {column[number]!r}" for name, column in self.keys.items()]
        values.append(f"seed {self.trials[number].seed}")
        return f"{', '.join(values)}: {_text(self.errors[number])}"


def _check_names(parameters: Iterable[str], measures: Iterable[str]) -> None:
    taken = {SEED, TIME, ERROR}
    for name in (*parameters, *measures):
        if name in taken:
            raise CrowdError(
                f"The table of a study has a column {name!r} already. Give the field, or what "
                "measure returns, another name."
            )
        taken.add(name)


def _checked_values(values: Any, parameters: Iterable[str]) -> dict[str, Any]:
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise CrowdError(f"measure must return a dict of numbers by name, got {values!r}.")
    _check_names(parameters, values)
    numbers = {name: plain(value) for name, value in values.items()}
    for name, value in numbers.items():
        if not isinstance(value, float | int):
            raise CrowdError(f"measure: {name!r} must be a number, got {value!r}.")
    return numbers


def _text(error: Exception | None) -> str:
    """Return the error in one line, with the note that says where it was raised."""
    if error is None:
        return ""
    first = error
    while isinstance(first, ExceptionGroup):
        first = first.exceptions[0]
    notes = [" ".join(note.split()) for note in notes_of(first)[:1]]
    return "; ".join([f"{type(first).__name__}: {' '.join(message_of(first).split())}", *notes])
