"""The differences between two recordings: what one machine did in one of them only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.inspector.past.course import Course
from fsmkit.recording import Step
from fsmkit.recording.replay.comparison import Compared
from fsmkit.terminal.console import printable
from fsmkit.timing import TIME_TOLERANCE

AHEAD: Final = 60
"""Happenings in which the two runs are searched for the place where they are alike again."""

ALIKE: Final = 3
"""Happenings in a row that must be alike for that."""

MOST: Final = 1_000
"""Differences that are looked for."""


@frozen
class Happening:
    """A call from outside other than an update, or one of the effects of a call."""

    time: float
    position: int
    what: tuple[Any, ...]
    text: str


Happenings: TypeAlias = Sequence[Happening]
Alike: TypeAlias = Callable[[Happening, Happening], bool]


@frozen
class RunDifference:
    """A place where two runs are not alike."""

    time: float
    machine: str
    first: tuple[str, ...]
    """What happened in the first run."""
    second: tuple[str, ...]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it for the page."""
        return {
            "time": self.time, "machine": self.machine, "note": self.note,
            "first": list(self.first), "second": list(self.second),
        }  # fmt: skip


def differences_of(first: Course, second: Course) -> list[RunDifference]:
    """Return the differences between two recordings, in the order of time, `MOST` at most.

    Each machine is compared by itself: the calls to it from outside and their effects, in order and
    at the same times. Where the two loops ran at different rates, times may differ by an update.
    """
    tolerance = _tolerance(first, second)
    one, other = _happenings(first), _happenings(second)
    found = [
        each
        for name in dict.fromkeys((*first.machines, *second.machines))
        for each in _compared(name, one.get(name, []), other.get(name, []), tolerance)
    ]
    values = _first_value(first, second)
    if values is not None and not any(each.time <= values.time for each in found):
        found.append(values)
    return sorted(found, key=lambda each: each.time)[:MOST]


def _compared(
    name: str, one: Sequence[Happening], other: Sequence[Happening], tolerance: float
) -> Iterator[RunDifference]:
    at, there, lead = 0, 0, 0.0
    while at < len(one) or there < len(other):
        mine, its = one[at : at + AHEAD + ALIKE], other[there : there + AHEAD + ALIKE]
        are_at_once = partial(_are_at_once, lead=lead, tolerance=tolerance)
        if mine and its and are_at_once(mine[0], its[0]):
            at, there = at + 1, there + 1
            continue
        gap = _gap(mine, its, are_at_once)
        if gap is None and mine and its and mine[0].what == its[0].what:
            lead = its[0].time - mine[0].time
            yield _shifted(name, mine[0], its[0])
            continue
        skip, jump = gap or _gap(mine, its, _do_the_same) or (len(one), len(other))
        yield _gone(name, one[at : at + skip], other[there : there + jump])
        at, there = at + skip, there + jump


def _gap(one: Happenings, other: Happenings, are_alike: Alike) -> tuple[int, int] | None:
    """Return how many happenings of each lie before the place where both are alike again.

    None if there is no such place near by.
    """
    for total in range(1, 2 * AHEAD):
        for skip in range(max(0, total - AHEAD), min(total, AHEAD) + 1):
            mine, its = one[skip : skip + ALIKE], other[total - skip :][:ALIKE]
            if mine and len(mine) == len(its) and all(map(are_alike, mine, its)):
                return skip, total - skip
    return None


def _do_the_same(here: Happening, its: Happening) -> bool:
    return here.what == its.what


def _are_at_once(here: Happening, its: Happening, *, lead: float, tolerance: float) -> bool:
    return here.what == its.what and abs(its.time - here.time - lead) <= tolerance


def _shifted(name: str, here: Happening, its: Happening) -> RunDifference:
    earlier = "the first" if here.time < its.time else "the second"
    note = f"Earlier in {earlier} run by {abs(here.time - its.time):.3f} s"
    return RunDifference(min(here.time, its.time), name, (here.text,), (its.text,), note)


def _gone(name: str, one: Sequence[Happening], other: Sequence[Happening]) -> RunDifference:
    time = min(each.time for each in (*one[:1], *other[:1]))
    texts = [tuple(each.text for each in some[:20]) for some in (one, other)]
    note = "" if one and other else f"Only in the {'first' if one else 'second'} run"
    return RunDifference(time, name, texts[0], texts[1], note)


def _happenings(course: Course) -> dict[str, list[Happening]]:
    found: dict[str, list[Happening]] = {name: [] for name in course.machines}
    for position, step in enumerate(course.steps, start=1):
        if step.call != "update" and step.machine in found:
            given = tuple(f"{key}={value!r}" for key, value in step.arguments.items())
            what = ("call", step.call, *given, step.raised)
            text = printable(str(step))
            found[step.machine].append(Happening(step.time, position, what, text))
        for entry, text in zip(step.journal, step.told(), strict=False):
            kind, name, *rest = entry
            shown = f"{step.time:.2f} s  {text}"
            found[name].append(Happening(step.time, position, (kind, *rest), shown))
    return found


def _tolerance(first: Course, second: Course) -> float:
    """Return by how much times may differ: by nothing, if both loops ran at the same rate."""
    same = all(
        abs(one.time - other.time) <= TIME_TOLERANCE
        for one, other in zip(_updates(first), _updates(second), strict=False)
    )
    return TIME_TOLERANCE if same else max(_longest_update(first), _longest_update(second))


def _updates(course: Course) -> Iterator[Step]:
    return (step for step in course.steps if step.call == "update")


def _longest_update(course: Course) -> float:
    times = [step.time for step in course.steps]
    return max((later - time for time, later in pairwise(times)), default=0.0) + TIME_TOLERANCE


def _first_value(first: Course, second: Course) -> RunDifference | None:
    """Return the first step after which values differ, though both did the same up to there."""
    compared = Compared(first.header, digests=first.header.made_by == second.header.made_by)
    for one, other in zip(first.steps, second.steps, strict=False):
        if not compared.did_the_same(one, other) or one.arguments.keys() != other.arguments.keys():
            return None
        if not compared.are_alike(one, other):
            note = "What its actions were given, or remember, is different"
            return RunDifference(one.time, one.machine, (str(one),), (str(other),), note)
    return None
