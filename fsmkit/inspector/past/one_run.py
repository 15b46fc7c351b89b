"""OneRun: a recording on the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from attrs import frozen

from fsmkit.diagram.graph import Graph
from fsmkit.inspector.loop.all_news import Rings
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.past.past_news import PastNews
from fsmkit.inspector.past.recorded import RecordedMachines
from fsmkit.inspector.past.replayed import ReplayedMachines
from fsmkit.inspector.reading.chart import Extent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.ways import prospect
from fsmkit.recording import Recording


@frozen
class Opening:
    """What is shown first."""

    machine: str | None
    time: float


class OneRun:
    """A run that is over, at any time of it.

    `path` is the file it was loaded from, if there is one. Its methods belong to one thread.
    """

    kind = "recording"

    def __init__(
        self,
        recording: Recording,
        machines: RecordedMachines | ReplayedMachines,
        path: Path | None = None,
    ) -> None:
        self.course: Course = machines.course
        self.machines = machines
        self._news: PastNews | None = None
        self.title = path.name if path is not None else "Recording"
        self.about = about(recording, self.course, path)
        self._damage = f"The file is damaged: {recording.fault}." if recording.fault else ""
        reason = recording.header.reason
        self._reason = f"The beginning was not saved.\n{reason}" if reason else ""

    @property
    def start(self) -> float:
        """Seconds at the beginning."""
        return self.course.start

    @property
    def end(self) -> float:
        """Seconds after the last step."""
        return self.course.end

    @property
    def opening(self) -> Opening:
        """The first machine, at the beginning."""
        return Opening(next(iter(self.course.outermost), None), self.start)

    @property
    def is_replayed(self) -> bool:
        """True if there are machines that are taken through it."""
        return isinstance(self.machines, ReplayedMachines)

    @property
    def time(self) -> float:
        """The seconds at the moment that is shown."""
        return self.course.time_at(self.machines.position)

    @property
    def position(self) -> int:
        """The number of steps up to the moment that is shown."""
        return self.machines.position

    @property
    def notes(self) -> list[str]:
        """What is wrong with it: with the file, or with the replay."""
        return [text for text in (self._damage, self._reason, self.machines.fault) if text]

    # Going through it

    def advance(self, time: float, deadline: float) -> bool:
        """Go towards a time until the deadline; return True once it is reached."""
        position = self.course.position_at(time)
        if not self.machines.is_at(position):
            self.machines.advance(position, deadline)
        return self.machines.is_at(position)

    def step_before(self, time: float) -> float:
        """Return the time of the last step up to a time."""
        return self.course.time_at(self.course.position_at(time))

    def next_frame(self, time: float) -> float:
        """Return the time of the next update."""
        return self.course.time_at(self.course.next_frame(self.course.position_at(time)))

    def last_frame(self, time: float) -> float:
        """Return the time of the update before the last one."""
        return self.course.time_at(self.course.last_frame(self.course.position_at(time)))

    def next_change(self, name: str, time: float) -> float | None:
        """Return the time of the next change of a machine; None if there is none."""
        position = self.course.next_change(self.known(name), self.course.position_at(time))
        return None if position is None else self.course.time_at(position)

    def last_change(self, name: str, time: float) -> float | None:
        """Return the time of the change before; None if there is none."""
        position = self.course.last_change(self.known(name), self.course.position_at(time))
        return None if position is None else self.course.time_at(position)

    # Showing it

    def known(self, name: str) -> str:
        """Return the name of a machine. Raises RequestError if there is none of that name."""
        if name not in self.course.machines:
            raise RequestError(f"{name!r} is not a machine of the recording.")
        return name

    def states(self) -> Sequence[tuple[str, str | None]]:
        """Return the outermost machines and their states at the moment."""
        return self.course.states(self.position)

    def state_names(self) -> Iterator[Sequence[str]]:
        """Yield the states that occur of each machine, in the order of their first visits."""
        yield from map(self.course.state_names, self.course.machines)

    def changed_states(self, one: float, other: float) -> dict[str, str | None]:
        """Return the states, at the moment, of the machines that changed between two times."""
        ends = self.course.position_at(one), self.course.position_at(other)
        return {
            name: self.course.state(name, self.position)
            for name in self.course.changed_between(*ends)
        }

    def detail(self, name: str) -> Detail:
        """Return the details of a machine at the moment."""
        return self.machines.detail(self.known(name))

    def drawing(self, name: str, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph of a machine and the meaning of its parts."""
        return self.machines.drawing(self.known(name), extent)

    def first_entry(self, name: str) -> int:
        """Return the number of the first log entry of a machine that is shown."""
        return self.course.first_entry(name)

    def entries(self, name: str, begin: int, count: int) -> list[Entry]:
        """Return log entries of a machine."""
        return self.course.entries(name, begin, count)

    def ask(self, name: str, event: str) -> Answer:
        """Answer what an event would do at the moment."""
        self.known(name)
        shown = self.machines
        machine = shown.machine(name) if isinstance(shown, ReplayedMachines) else None
        if machine is None:
            raise RequestError("Only a replayed machine knows: give the machine as well.")
        return {"why": prospect(machine, event)}

    def news(self) -> Rings:
        """Return what all machines did."""
        if self._news is None:
            self._news = PastNews(self.course)
        return self._news

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return the errors and unhandled events of the outermost machines that had any."""
        return self.course.counts()

    def marks(self) -> list[dict[str, Any]]:
        """Return the times that are worth a mark of their own: none."""
        return []


def about(recording: Recording, course: Course, path: Path | None) -> str:
    """Return a sentence about a recording: `Recorded by fsmkit 0.2.0, 12.40 s, 3 machines`."""
    by = f"Recorded by fsmkit {recording.header.made_by or '0.1.0'}"
    when = f" on {_day(path)}" if path is not None else ""
    seconds = f"{course.end - course.start:.2f} s"
    count = len(course.outermost)
    machines = f"{count:,} machine{'' if count == 1 else 's'}"
    return f"{by}{when}: {seconds}, {machines}."


def _day(path: Path) -> str:
    return f"{datetime.fromtimestamp(path.stat().st_mtime):%-d %B %Y, %H:%M}"
