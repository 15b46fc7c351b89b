"""Gathered: what has arrived of the runs of a study, and the table of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import nan
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.core.words.notes import message_of, notes_of
from fsmkit.crowd.arguments import plain
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.studies.run import Course, Moment, Run, Snapshot
from fsmkit.crowd.studies.worker import Ended
from fsmkit.crowd.study import ERROR, SEED, TIME, Study, StudyError

Measurement: TypeAlias = Callable[[Run, Snapshot], Mapping[str, Any]]
"""Returns what a function of the user measures."""

MAX_SHOWN: Final = 5


@define(eq=False)
class Gathered:
    """What has arrived of the runs, and the table of it."""

    course: Course
    runs: Sequence[Run]
    measurement: Measurement | Sequence[str]
    parameters: Sequence[str]
    """The names of what is varied."""
    rows: dict[int, list[tuple[float, Mapping[str, Any]]]] = field(factory=dict, init=False)
    """Run -> the time and the values of each of its moments."""
    errors: dict[int, Exception] = field(factory=dict, init=False)

    def add(self, number: int, message: Any) -> None:
        """Add what a run has said. Raises CrowdError if a function did not return numbers."""
        rows = self.rows.setdefault(number, [])
        if isinstance(message, Ended):
            if message.error is not None:
                self.errors[number] = message.error
        elif number not in self.errors:
            try:
                values = self._values(self.runs[number], message)
            except Exception as error:  # of the user's function
                self.errors[number] = error
            else:
                rows.append((message.time, checked_values(values, self.parameters)))

    def study(self, keys: Mapping[str, Sequence[Any]]) -> Study:
        """Return the table; `keys` are the parameters' values in each run. Raises StudyError."""
        names = self._names()
        for number in self.errors:
            self.rows[number] = [(nan, dict.fromkeys(names, nan))]
        numbers = [number for number in range(len(self.runs)) for _ in self.rows[number]]
        every = [row for number in range(len(self.runs)) for row in self.rows[number]]
        columns = {name: np.array(values)[numbers] for name, values in keys.items()}
        columns[SEED] = np.array([run.seed for run in self.runs], np.int64)[numbers]
        if self.course.every is not None:
            columns[TIME] = np.array([time for time, _ in every], np.float64)
        for name in names:
            columns[name] = np.array([values[name] for _, values in every])
        if not self.errors:
            return Study(columns, tuple(keys), names)
        columns[ERROR] = np.array([_text(self.errors.get(number)) for number in numbers])
        raise self._failure(keys, Study(columns, tuple(keys), names))

    def _values(self, run: Run, moment: Moment) -> Any:
        if not callable(self.measurement):
            return dict(zip(self.measurement, moment.values, strict=True))
        assert moment.snapshot is not None
        return self.measurement(run, moment.snapshot)

    def _names(self) -> tuple[str, ...]:
        """Return the names of the measures. Those of a function must always be the same."""
        if not callable(self.measurement):
            return tuple(self.measurement)
        first: tuple[str, ...] | None = None
        for number in range(len(self.runs)):
            for _, values in self.rows[number] if number not in self.errors else ():
                first = first or tuple(values)
                if set(values) != set(first):
                    self.errors[number] = CrowdError(
                        f"measure must always return the same names, got {', '.join(first)} and "
                        f"then {', '.join(values)}."
                    )
        return first or ()

    def _failure(self, keys: Mapping[str, Sequence[Any]], study: Study) -> StudyError:
        numbers = sorted(self.errors)
        lines = [self._line(keys, number) for number in numbers[:MAX_SHOWN]]
        more = len(numbers) - len(lines)
        if more:
            lines.append(f"and {more:,} more")
        return StudyError(
            f"{len(numbers):,} of {len(self.runs):,} runs failed; the others are in the study of "
            "this error:\n" + "\n".join(f"  {line}" for line in lines),
            study,
            {number: self.errors[number] for number in numbers},
        )

    def _line(self, keys: Mapping[str, Sequence[Any]], number: int) -> str:
        values = [f"{name} = {column[number]!r}" for name, column in keys.items()]
        return ", ".join([*values, f"seed {self.runs[number].seed}"]) + (
            f": {_text(self.errors[number])}"
        )


def check_names(parameters: Sequence[str], measures: Iterable[str]) -> None:
    """Raise CrowdError if two columns of the table would have the same name."""
    taken = {SEED, TIME, ERROR}
    for name in (*parameters, *measures):
        if name in taken:
            raise CrowdError(
                f"The table of a study has a column {name!r} already. Give the field, or what "
                "measure returns, another name."
            )
        taken.add(name)


def checked_values(values: Any, parameters: Sequence[str]) -> dict[str, Any]:
    """Return what a function has measured. Raises CrowdError unless it is a dict of numbers."""
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise CrowdError(f"measure must return a dict of numbers by name, got {values!r}.")
    check_names(parameters, values)
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
