"""OneRun: a recording on the page, at the moment that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import count, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

from fsmkit import Fsm
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.live.requests.page_request import PageAnswer, RequestError
from fsmkit.inspector.playback.chronicle_view import ChronicleView
from fsmkit.inspector.playback.played_machines import RecordedMachines, ReplayedMachines
from fsmkit.inspector.reading.candidates import prospect
from fsmkit.inspector.reading.chart import DrawnExtent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.machine_log import LogEntry, MachineSummary, NewsRings, StateChange
from fsmkit.inspector.reading.world_map import WorldMap
from fsmkit.recording import Recording
from fsmkit.recording.replay.replayer import Build
from fsmkit.recording.replay.steps import PutBack
from fsmkit.recording.value_codec import Decode


class OneRun(ChronicleView):
    """A finished run, at any of its moments.

    `path` is the file it was loaded from, if there is one. With `build` it is replayed, with
    `decode` and `world` of `Replay`, whose errors it raises. Its methods belong to one thread.
    """

    kind = "recording"

    def __init__(
        self,
        recording: Recording,
        path: Path | None = None,
        *,
        build: Build | None = None,
        decode: Decode | None = None,
        world: PutBack | None = None,
    ) -> None:
        super().__init__(recording)
        self.shown: RecordedMachines | ReplayedMachines = (
            RecordedMachines(self)
            if build is None
            else ReplayedMachines(self, build, recording, decode=decode, world=world)
        )
        self.is_replayed = build is not None
        """True if machines carry out the run once more."""
        self.title = path.name if path is not None else "Recording"
        self.about = self._sentence(path)
        self._damage = f"The file is damaged: {recording.fault}." if recording.fault else ""
        reason = recording.header.reason
        self._reason = f"The beginning was not saved.\n{reason}" if reason else ""

    @property
    def opening(self) -> tuple[str | None, float]:
        """The machine and the time that are shown first: the first one, at the beginning."""
        return next(iter(self.outermost), None), self.start

    @property
    def time(self) -> float:
        return self.time_at(self.position)

    @property
    def position(self) -> int:
        return self.shown.position

    @property
    def map(self) -> WorldMap | None:
        """Where the machines are now; None if they are not replayed."""
        return self.shown.map

    @property
    def notes(self) -> list[str]:
        return [text for text in (self._damage, self._reason, self.shown.fault) if text]

    def advance(self, time: float, deadline: float) -> bool:
        """Go towards a time until the deadline; return True once it is reached."""
        position = self.position_at(time)
        if not self.shown.is_at(position):
            self.shown.advance(position, deadline)
        return self.shown.is_at(position)

    def draw_with(self, other: ChronicleView) -> None:
        """Draw what occurred in this or another run; a replayed one has whole machines to draw."""
        if isinstance(self.shown, RecordedMachines):
            self.shown = RecordedMachines(self, other)

    def known(self, name: str) -> str:
        """Return the name of a machine. Raises RequestError if there is no such machine."""
        if name not in self.machines:
            raise RequestError(f"{name!r} is not a machine of the recording.")
        return name

    def states(self) -> Sequence[tuple[str, str | None]]:
        return [(name, self.machines[name].state(self.time)) for name in self.outermost]

    def state_names(self) -> Iterator[Sequence[str]]:
        yield from map(self.states_of, self.machines)

    def changed_states(self, one: float, other: float) -> dict[str, str | None]:
        changed = self.changed_between(one, other)
        return {name: self.machines[name].state(self.time) for name in changed}

    def detail(self, name: str) -> Detail:
        return self.shown.detail(self.known(name))

    def drawing(self, name: str, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]:
        return self.shown.drawing(self.known(name), extent)

    def machine(self, name: str) -> Fsm[Any] | None:
        """Return the machine that replays one; None if there is none now."""
        self.known(name)
        return self.shown.machine(name) if isinstance(self.shown, ReplayedMachines) else None

    def ask(self, name: str, event: str) -> PageAnswer:
        machine = self.machine(name)
        if machine is None:
            raise RequestError("That needs a replayed machine: give the machine as well.")
        return {"why": prospect(machine, event)}

    def _sentence(self, path: Path | None) -> str:
        """Return what the page says, as `Recorded by fsmkit 0.2.0: 12.40 s, 3 machines.`, of it."""
        when = ""
        if path is not None:
            saved = datetime.fromtimestamp(path.stat().st_mtime)
            when = f" on {saved:%-d %B %Y, %H:%M}"
        number = len(self.outermost)
        machines = f"{number:,} machine{'' if number == 1 else 's'}"
        made_by = self.header.made_by or "0.1.0"
        return f"Recorded by fsmkit {made_by}{when}: {self.end - self.start:.2f} s, {machines}."

    def marks(self) -> list[dict[str, Any]]:
        return []

    @cached_property
    def news(self) -> NewsRings:
        found = sorted((*self._changes_of_states(), *self._troubles()), key=itemgetter(0))
        news, numbers = NewsRings(), count()
        for time, happened in found:
            if isinstance(happened, dict):
                times = {"time": time, "times": 1, "last": time}
                news.entries.add({"seq": next(numbers), **times, **happened})
            else:
                news.changes.add(StateChange(next(numbers), time, *happened))
        return news

    def _changes_of_states(self) -> Iterator[tuple[float, tuple[Any, ...]]]:
        for name in self.outermost:
            machine = MachineSummary(name, None, self.start)
            for visit, following in pairwise((*self.machines[name].visits, None)):
                assert visit is not None
                kind = "resume" if visit.resumed else "enter"
                yield visit.start, (machine, kind, visit.state, visit.event)
                is_left = following is None or following.start != visit.end
                if is_left and visit.end is not None:
                    yield visit.end, (machine, "leave", None, None)

    def _troubles(self) -> Iterator[tuple[float, LogEntry]]:
        for error in self.chronicle.errors:
            yield error.time, self._trouble(error.machine, kind="error", text=error.error)
        for sent in self.chronicle.events:
            if sent.outcome == "unhandled":
                more = {"event": sent.event, "outcome": sent.outcome, "sender": sent.sender}
                yield sent.time, self._trouble(sent.machine, kind="event", **more)

    def _trouble(self, name: str, **more: str) -> LogEntry:
        outermost = self.outermost_of(name)
        within = {"within": outermost} if outermost != name else {}
        kept = {key: text for key, text in more.items() if text}
        return {"machine": name, **within, **kept}
