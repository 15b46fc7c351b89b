"""TwoRuns: two recordings beside each other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain
from typing import Any, Final

from fsmkit.diagram.graph import Graph
from fsmkit.inspector.loop.all_news import Rings
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.past.course import MOST_ENTRIES
from fsmkit.inspector.past.differences import differences_of
from fsmkit.inspector.past.one_run import OneRun, Opening
from fsmkit.inspector.reading.chart import Extent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.log import Entry
from fsmkit.timing import TIME_TOLERANCE

MOST_VALUES: Final = 200
"""Values that differ which are listed."""

OF_MACHINE: Final = ("state", "suspended", "last event", "time in state")
NONE: Final = "–"

SIDES: Final = ("A", "B")


class TwoRuns:
    """Two runs, A and B, at the same time of both; the graph and the details are those of A.

    The log and the timeline have the entries of both: those of B are marked.
    """

    kind = "comparison"

    def __init__(self, first: OneRun, second: OneRun) -> None:
        self.first, self.second = first, second
        self.title = f"{first.title} | {second.title}"
        self.differences = differences_of(first.course, second.course)
        self.about = self._about()
        self._logs: dict[str, list[tuple[float, int, int]]] = {}
        """Machine -> the time, side and number of each entry of its log."""

    @property
    def start(self) -> float:
        """Seconds at the beginning of the one that begins first."""
        return min(self.first.start, self.second.start)

    @property
    def end(self) -> float:
        """Seconds at the end of the longer one."""
        return max(self.first.end, self.second.end)

    @property
    def time(self) -> float:
        """The seconds at the moment that is shown."""
        return max(self.first.time, self.second.time)

    @property
    def position(self) -> int:
        """The number of steps of A up to the moment that is shown."""
        return self.first.position

    @property
    def notes(self) -> list[str]:
        """What is wrong with either."""
        runs = zip(SIDES, (self.first, self.second), strict=True)
        return [f"{side}: {text}" for side, run in runs for text in run.notes]

    # Going through both

    def advance(self, time: float, deadline: float) -> bool:
        """Go towards a time until the deadline; return True once it is reached."""
        return self.first.advance(time, deadline) & self.second.advance(time, deadline)

    @property
    def opening(self) -> Opening:
        """The first difference; the beginning if there is none."""
        if not self.differences:
            return self.first.opening
        difference = self.differences[0]
        course = self._of(difference.machine).course
        return Opening(course.outermost_of(difference.machine), difference.time)

    @property
    def is_replayed(self) -> bool:
        """True if there are machines that are taken through them."""
        return self.first.is_replayed or self.second.is_replayed

    def step_before(self, time: float) -> float:
        """Return the time of the last step of either up to a time."""
        return max(self._ask_both("step_before", time))

    def next_frame(self, time: float) -> float:
        """Return the time of the next update of either."""
        later = [each for each in self._ask_both("next_frame", time) if each > time]
        return min(later, default=time)

    def last_frame(self, time: float) -> float:
        """Return the time of the update before the last one."""
        return max(each for each in self._ask_both("last_frame", time))

    def next_change(self, name: str, time: float) -> float | None:
        """Return the time of the next change of a machine in either."""
        return min(self._changes("next_change", name, time), default=None)

    def last_change(self, name: str, time: float) -> float | None:
        """Return the time of the change before in either."""
        return max(self._changes("last_change", name, time), default=None)

    def difference(self, time: float, *, forward: bool) -> float | None:
        """Return the time of the next difference after a time, or of the last one before it."""
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

    def _ask_both(self, question: str, time: float) -> list[float]:
        return [getattr(run, question)(time) for run in (self.first, self.second)]

    def _changes(self, question: str, name: str, time: float) -> Iterator[float]:
        self.known(name)
        for run in (self.first, self.second):
            if name in run.course.machines:
                found = getattr(run, question)(name, time)
                if found is not None:
                    yield found

    # Showing both

    def known(self, name: str) -> str:
        """Return the name of a machine. Raises RequestError if neither has one of that name."""
        if name not in self.first.course.machines and name not in self.second.course.machines:
            raise RequestError(f"{name!r} is not a machine of the recordings.")
        return name

    def states(self) -> Sequence[tuple[str, str | None]]:
        """Return the outermost machines and their states: those of A where both have them."""
        return list({**dict(self.second.states()), **dict(self.first.states())}.items())

    def state_names(self) -> Iterator[Sequence[str]]:
        """Yield the states that occur of each machine, those of A first."""
        courses = [run.course for run in self._runs]
        for name in dict.fromkeys(chain.from_iterable(course.machines for course in courses)):
            having = (course for course in courses if name in course.machines)
            yield [*dict.fromkeys(chain.from_iterable(each.state_names(name) for each in having))]

    def changed_states(self, one: float, other: float) -> dict[str, str | None]:
        """Return the states of the machines that changed between two times."""
        return {
            **self.second.changed_states(one, other),
            **self.first.changed_states(one, other),
        }

    def detail(self, name: str) -> Detail:
        """Return the details of a machine in A, and how it differs in B."""
        mine, its = self._detail(self.first, name), self._detail(self.second, name)
        shown = mine or its
        return {
            **(shown or {}),
            "others": its["lit"] if mine and its and its["lit"] != mine["lit"] else [],
            "differs": differing_values(mine, its)[:MOST_VALUES],
        }

    def drawing(self, name: str, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph of a machine in A, or else in B."""
        return self._of(name).drawing(name, extent)

    def first_entry(self, name: str) -> int:
        """Return the number of the first log entry of a machine that is shown."""
        return max(0, len(self._log(self.known(name))) - MOST_ENTRIES)

    def entries(self, name: str, begin: int, count: int) -> list[Entry]:
        """Return log entries of a machine of both runs, in the order of time."""
        places = self._log(name)[begin : begin + count]
        runs = self.first, self.second
        entries: list[Entry] = []
        for number, (_, side, own) in enumerate(places, start=begin):
            entry = runs[side].entries(name, own, 1)[0]
            entries.append({**entry, "seq": number, "side": SIDES[side]})
        return entries

    def ask(self, name: str, event: str) -> Answer:
        """Answer what an event would do in A."""
        return self._of(name).ask(name, event)

    def news(self) -> Rings:
        """Return what all machines of A did."""
        return self.first.news()

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return the errors and unhandled events of the machines that had any: those of A."""
        return {**self.second.counts(), **self.first.counts()}

    def marks(self) -> list[dict[str, Any]]:
        """Return the differences, which are marked in the timeline."""
        return [each.to_json() for each in self.differences]

    def _about(self) -> str:
        count = len(self.differences)
        if not count:
            return (
                "The two recordings are alike: the same calls, effects and times, and the actions "
                "remember the same. Contexts are not recorded, so they are not compared."
            )
        first = self.differences[0]
        number = "1 difference" if count == 1 else f"{count:,} differences"
        return f"{number}; the first one at {first.time:.2f} s, in {first.machine}."

    def _of(self, name: str) -> OneRun:
        return self.first if name in self.first.course.machines else self.second

    def _detail(self, run: OneRun, name: str) -> Detail | None:
        return run.detail(name) if name in run.course.machines else None

    def _log(self, name: str) -> list[tuple[float, int, int]]:
        if name not in self._logs:
            self._logs.clear()  # one at a time: they are long
            self._logs[name] = [
                *merge(*(self._places(run, side, name) for side, run in enumerate(self._runs)))
            ]
        return self._logs[name]

    @property
    def _runs(self) -> tuple[OneRun, OneRun]:
        return self.first, self.second

    def _places(self, run: OneRun, side: int, name: str) -> Iterator[tuple[float, int, int]]:
        if name in run.course.machines:
            times = run.course.log_times(name)
            yield from ((time, side, number) for number, time in enumerate(times))


def differing_values(mine: Detail | None, its: Detail | None) -> list[list[str]]:
    """Return the name of each value that differs between two details, and its two texts.

    Values of actions that only one of them has are left out: the states say why.
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
            values[f"{place} has finished"] = "yes" if action["finished"] else "no"
    for name, text in detail["context"]:
        values[f"context.{name}" if name else "context"] = text
    return values
