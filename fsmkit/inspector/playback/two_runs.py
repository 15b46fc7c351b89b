"""TwoRuns: two recordings side by side, and the differences between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, Final, TypeAlias

from attrs import asdict, frozen

from fsmkit import Fsm
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.live.requests.page_request import PageAnswer, RequestError
from fsmkit.inspector.playback.chronicle_view import MOST_ENTRIES, ChronicleView
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.inspector.reading.chart import DrawnExtent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.machine_log import LogEntry, NewsRings
from fsmkit.inspector.reading.page_values import moment_text
from fsmkit.inspector.reading.world_map import WorldMap
from fsmkit.recording import Step
from fsmkit.recording.replay.replayer import NOT_ALIKE, StepComparison
from fsmkit.terminal.console import printable
from fsmkit.timing import TIME_TOLERANCE

MOST_VALUES: Final = 200
"""Differing values that are listed."""

OF_MACHINE: Final = ("state", "suspended", "last event", "time in state")
NONE: Final = "–"

SIDES: Final = ("A", "B")

AHEAD: Final = 60
"""How many happenings ahead to search for the place where the two runs agree again."""

ALIKE: Final = 3
"""Happenings in a row that must agree there."""

MOST_DIFFERENCES: Final = 1_000
"""Differences that are returned."""


class TwoRuns:
    """Two runs, A and B, at the same time of both; the graph and the details are those of A.

    The log and the timeline have the entries of both: those of B are marked.
    """

    kind = "comparison"

    def __init__(self, first: OneRun, second: OneRun) -> None:
        first.draw_with(second)
        second.draw_with(first)
        self.first, self.second = first, second
        self._runs = first, second
        self.title = f"{first.title} | {second.title}"
        self.start = min(first.start, second.start)
        self.end = max(first.end, second.end)
        self.is_replayed = first.is_replayed or second.is_replayed
        self.differences = differences_of(first, second)
        self._logs: dict[str, list[tuple[float, int, int]]] = {}
        """Machine -> the time, side and number of each entry of its log."""

    @property
    def about(self) -> str:
        count = len(self.differences)
        if not count:
            return (
                "The two recordings are alike: the same calls, effects and times, and the actions "
                "remember the same. Contexts are not recorded, so they are not compared."
            )
        first = self.differences[0]
        number = "1 difference" if count == 1 else f"{count:,} differences"
        return f"{number}; the first one at {moment_text(first.time)}, in {first.machine}."

    @property
    def opening(self) -> tuple[str | None, float]:
        """The first difference; the beginning if there are no differences."""
        if not self.differences:
            return self.first.opening
        difference = self.differences[0]
        machine = self._run_of(difference.machine).outermost_of(difference.machine)
        return machine, difference.time

    @property
    def time(self) -> float:
        return max(self.first.time, self.second.time)

    @property
    def position(self) -> int:
        """The number of steps of A up to the moment that is shown."""
        return self.first.position

    @property
    def map(self) -> WorldMap | None:
        """Where the machines of A are now; None if they are not replayed."""
        return self.first.map

    @property
    def notes(self) -> list[str]:
        runs = zip(SIDES, self._runs, strict=True)
        return [f"{side}: {text}" for side, run in runs for text in run.notes]

    # Going through both

    def advance(self, time: float, deadline: float) -> bool:
        return self.first.advance(time, deadline) & self.second.advance(time, deadline)

    def step_before(self, time: float) -> float:
        return max(run.step_before(time) for run in self._runs)

    def next_frame(self, time: float) -> float:
        times = (run.next_frame(time) for run in self._runs)
        return min((each for each in times if each > time), default=time)

    def last_frame(self, time: float) -> float:
        return max(run.last_frame(time) for run in self._runs)

    def next_change(self, name: str, time: float) -> float | None:
        return min(_known(run.next_change(name, time) for run in self._with(name)), default=None)

    def last_change(self, name: str, time: float) -> float | None:
        return max(_known(run.last_change(name, time) for run in self._with(name)), default=None)

    def difference(self, time: float, *, forward: bool) -> float | None:
        times = [each.time for each in self.differences]
        if forward:
            index = bisect_right(times, time + TIME_TOLERANCE)
            return times[index] if index < len(times) else None
        index = bisect_left(times, time - TIME_TOLERANCE) - 1
        return times[index] if index >= 0 else None

    def machine_differing_at(self, time: float, preferred: str) -> str:
        """Return a machine that differs at that time: the preferred one if it does."""
        names = [each.machine for each in self.differences if each.time == time]
        return preferred if preferred in names or not names else names[0]

    # Showing both

    def known(self, name: str) -> str:
        """Return the name of a machine. Raises RequestError if neither has such a machine."""
        if not self._with(name):
            raise RequestError(f"{name!r} is not a machine of the recordings.")
        return name

    def states(self) -> Sequence[tuple[str, str | None]]:
        """Return the outermost machines and their states: those of A where both have them."""
        return list({**dict(self.second.states()), **dict(self.first.states())}.items())

    def state_names(self) -> Iterator[Sequence[str]]:
        for name in {**self.first.machines, **self.second.machines}:
            occurring = (run.states_of(name) for run in self._with(name))
            yield [*dict.fromkeys(chain.from_iterable(occurring))]

    def changed_states(self, one: float, other: float) -> dict[str, str | None]:
        second = self.second.changed_states(one, other)
        return {**second, **self.first.changed_states(one, other)}

    def detail(self, name: str) -> Detail:
        mine, its = (run.detail(name) if name in run.machines else None for run in self._runs)
        return {
            **(mine or its or {}),
            "others": its["lit"] if mine and its and its["lit"] != mine["lit"] else [],
            "differs": differing_values(mine, its)[:MOST_VALUES],
        }

    def drawing(self, name: str, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]:
        return self._run_of(name).drawing(name, extent)

    def first_entry(self, name: str) -> int:
        return max(0, len(self._log(self.known(name))) - MOST_ENTRIES)

    def entries(self, name: str, begin: int, count: int) -> list[LogEntry]:
        places = self._log(name)[begin : begin + count]
        entries: list[LogEntry] = []
        for number, (_, side, own) in enumerate(places, start=begin):
            [entry] = self._runs[side].entries(name, own, 1)
            entries.append({**entry, "seq": number, "side": SIDES[side]})
        return entries

    def machine(self, name: str) -> Fsm[Any] | None:
        self.known(name)
        return self._run_of(name).machine(name)

    def ask(self, name: str, event: str) -> PageAnswer:
        return self._run_of(name).ask(name, event)

    @property
    def news(self) -> NewsRings:
        return self.first.news

    def counts(self) -> dict[str, tuple[int, int]]:
        return {**self.second.counts(), **self.first.counts()}

    def marks(self) -> list[dict[str, Any]]:
        return [asdict(each) for each in self.differences]

    def _with(self, name: str) -> list[OneRun]:
        return [run for run in self._runs if name in run.machines]

    def _run_of(self, name: str) -> OneRun:
        return self.first if name in self.first.machines else self.second

    def _log(self, name: str) -> list[tuple[float, int, int]]:
        if name not in self._logs:
            self._logs.clear()  # one at a time: they are long
            sides = (
                [(time, side, number) for number, time in enumerate(run.log_times(name))]
                for side, run in enumerate(self._runs)
                if name in run.machines
            )
            self._logs[name] = [*merge(*sides)]
        return self._logs[name]


def _known(times: Iterable[float | None]) -> Iterator[float]:
    return (time for time in times if time is not None)


def differing_values(mine: Detail | None, its: Detail | None) -> list[list[str]]:
    """Return the name of each value that differs between two details, and its two texts.

    Values of actions that only one of them has are left out: the states explain these.
    """
    one, other = _values(mine), _values(its)
    return [
        [name, one.get(name, NONE), other.get(name, NONE)]
        for name in dict.fromkeys((*one, *other))
        if one.get(name) != other.get(name)
        and (name in OF_MACHINE or (name in one and name in other))
    ]


def _values(detail: Detail | None) -> dict[str, str]:
    if detail is None:
        return {}
    values = {
        "state": str(detail["state"] if detail["running"] else "not running"),
        "suspended": ", ".join(detail["suspended"]),
        "last event": str(detail["last_event"] or "none"),
    }
    if detail["running"]:
        values["time in state"] = f"{detail['time_in_state']:.3f} s"
    for action in detail["actions"]:
        if "title" not in action:
            place = f"{action['machine']}.actions[{action['place']}] ({action['name']})"
            for name, text in (*action["parameters"], *action["values"]):
                values[f"{place}.{name}"] = text
            has_finished = "yes" if action["finished"] else "no"
            values[f"{place} has finished"] = action["failed"] or has_finished
    for name, text in detail["context"]:
        values[f"context.{name}" if name else "context"] = text
    return values


# Differences


@frozen
class Happening:
    """An external call other than an update, or one of the effects of a call."""

    time: float
    what: tuple[Any, ...]
    text: str


Happenings: TypeAlias = Sequence[Happening]


@frozen
class RunDifference:
    time: float
    machine: str
    first: tuple[str, ...]
    """The texts of the happenings in the first run."""
    second: tuple[str, ...]
    note: str = ""


def differences_of(first: ChronicleView, second: ChronicleView) -> list[RunDifference]:
    """Return the first `MOST_DIFFERENCES` differences between two recordings, in order of time.

    Each machine is compared by itself: the external calls to it and their effects, in order and at
    the same times. Where the two loops ran at different rates, times may differ by an update.
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
    return sorted(found, key=attrgetter("time"))[:MOST_DIFFERENCES]


def _compared(
    name: str, one: Happenings, other: Happenings, tolerance: float
) -> Iterator[RunDifference]:
    """Yield the differences; after a mere shift in time, later times are compared with it."""
    at, there, lead = 0, 0, 0.0

    def do_the_same(here: Happening, its: Happening) -> bool:
        return here.what == its.what

    def are_at_once(here: Happening, its: Happening) -> bool:
        return here.what == its.what and abs(its.time - here.time - lead) <= tolerance

    while at < len(one) or there < len(other):
        mine, its = one[at : at + AHEAD + ALIKE], other[there : there + AHEAD + ALIKE]
        if mine and its and are_at_once(mine[0], its[0]):
            at, there = at + 1, there + 1
            continue
        gap = _gap(mine, its, are_at_once)
        if gap is None and mine and its and do_the_same(mine[0], its[0]):
            lead = its[0].time - mine[0].time
            yield _shifted(name, mine[0], its[0])
            continue
        skip, jump = gap or _gap(mine, its, do_the_same) or (len(one), len(other))
        yield _gone(name, one[at : at + skip], other[there : there + jump])
        at, there = at + skip, there + jump


def _gap(
    one: Happenings, other: Happenings, are_alike: Callable[[Happening, Happening], bool]
) -> tuple[int, int] | None:
    """Return how many happenings of each precede the nearest place where both are alike again."""
    for total in range(1, 2 * AHEAD):
        for skip in range(max(0, total - AHEAD), min(total, AHEAD) + 1):
            mine, its = one[skip : skip + ALIKE], other[total - skip :][:ALIKE]
            if mine and len(mine) == len(its) and all(map(are_alike, mine, its)):
                return skip, total - skip
    return None


def _shifted(name: str, here: Happening, its: Happening) -> RunDifference:
    earlier = "the first" if here.time < its.time else "the second"
    note = f"Earlier in {earlier} run by {abs(here.time - its.time):.3f} s"
    return RunDifference(min(here.time, its.time), name, (here.text,), (its.text,), note)


def _gone(name: str, one: Sequence[Happening], other: Sequence[Happening]) -> RunDifference:
    time = min(each.time for each in (*one[:1], *other[:1]))
    texts = [tuple(each.text for each in some[:20]) for some in (one, other)]
    note = "" if one and other else f"Only in the {'first' if one else 'second'} run"
    return RunDifference(time, name, texts[0], texts[1], note)


def _happenings(view: ChronicleView) -> dict[str, list[Happening]]:
    found: dict[str, list[Happening]] = {name: [] for name in view.machines}
    for step in view.steps:
        if step.call != "update" and step.machine in found:
            given = tuple(f"{key}={value!r}" for key, value in step.arguments.items())
            what = ("call", step.call, *given, step.raised)
            text = printable(str(step))
            found[step.machine].append(Happening(step.time, what, text))
        for entry, text in zip(step.journal, step.told(), strict=False):
            kind, name, *rest = entry
            shown = f"{moment_text(step.time)}  {text}"
            found[name].append(Happening(step.time, (kind, *rest), shown))
    return found


def _tolerance(first: ChronicleView, second: ChronicleView) -> float:
    """Return the allowed difference of times: none if both loops ran at the same rate."""
    same = all(
        abs(one.time - other.time) <= TIME_TOLERANCE
        for one, other in zip(_updates(first), _updates(second), strict=False)
    )
    pairs = chain(pairwise(first.steps), pairwise(second.steps))
    longest = max((later.time - step.time for step, later in pairs), default=0.0)
    return TIME_TOLERANCE + (0.0 if same else longest)


def _updates(view: ChronicleView) -> Iterator[Step]:
    return (step for step in view.steps if step.call == "update")


def _first_value(first: ChronicleView, second: ChronicleView) -> RunDifference | None:
    """Return the first step after which values differ, though both did the same up to there."""
    is_one_version = first.header.made_by == second.header.made_by
    compared = StepComparison(
        first.header, digests=is_one_version, ignores=lambda _: not is_one_version
    )
    for one, other in zip(first.steps, second.steps, strict=False):
        if not compared.did_the_same(one, other) or one.arguments.keys() != other.arguments.keys():
            return None
        if not compared.are_alike(one, other):
            note = NOT_ALIKE.capitalize()
            return RunDifference(one.time, one.machine, (str(one),), (str(other),), note)
    return None
