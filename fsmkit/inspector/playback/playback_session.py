"""PlaybackSession: plays a finished run for the pages that step through it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from logging import getLogger
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from attrs import define, frozen

from fsmkit.inspector.live.mailbox import PageFrame, PageMailbox
from fsmkit.inspector.live.pausing import checked_speed
from fsmkit.inspector.live.requests.page_request import (
    PageAnswer,
    PageRequest,
    RequestError,
    RequestQueue,
)
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.inspector.playback.two_runs import TwoRuns
from fsmkit.inspector.reading.chart import DrawnExtent
from fsmkit.inspector.reading.kept_places import KeptPlaces
from fsmkit.inspector.reading.machine_log import LogEntry
from fsmkit.svg.state_colours import colours_of

PATIENCE: Final = 0.04
"""Seconds of replaying between two checks of the requests."""

SHORTEST: Final = 0.005
"""Seconds between two checks of pages that have not taken the last frame."""

LONGEST_PAUSE: Final = 0.25
"""Seconds of real time that pass at once, at most: the computer may have slept."""

BUNCH: Final = 1_000
"""Log entries in a frame."""

NOT_HERE: Final = "A recording cannot be changed: it can be played and inspected."

_logger: Final = getLogger("fsmkit")


class PlaybackSession:
    """Plays a finished run, builds frames for pages and answers their requests.

    It has a thread of its own, to which `run` and its machines belong. It goes a long way in small
    parts, and answers requests between them: `seeking` in the status says how far it has got.
    """

    recording: Path | None = None
    """The page cannot download the file."""

    def __init__(self, make_run: Callable[[], OneRun | TwoRuns], *, rate: float) -> None:
        self.rate = rate
        self._pages: tuple[PageMailbox, ...] = ()
        self._wake = Event()
        self._is_closed = False
        begun: Future[None] = Future()
        self._thread = Thread(
            target=self._work, args=(make_run, begun), name="fsmkit recording", daemon=True
        )
        self._thread.start()
        begun.result()

    def close(self) -> None:
        self._is_closed = True
        self._wake.set()
        self._thread.join(timeout=5.0)
        self._requests.refuse_all("The inspector is being closed.")

    # The server's

    def greeting(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "kind": self.run.kind,
            "about": self.run.about,
            "start": self.run.start,
            "end": self.run.end,
            "differences": self.run.marks(),
            "machines": self._states,
            "marks": self.run.counts(),
            "follows_all": True,
            "rate": self.rate,
        }

    def status(self) -> dict[str, Any]:
        return self._status

    def join(self, page: PageMailbox) -> None:
        page.select(self._first)
        self._pages = (*self._pages, page)
        self._wake.set()

    def leave(self, page: PageMailbox) -> None:
        self._pages = tuple(other for other in self._pages if other is not page)

    def ask(self, request: PageRequest) -> None:
        """Pass `request` to the thread.

        Raises RequestError if too many are waiting, or if a recording does not know it.
        """
        if not any(hasattr(topic, request.do) for topic in (PlaybackRequests, KeptPlaces)):
            raise RequestError(NOT_HERE)
        self._requests.add(request)
        self._wake.set()

    # The thread

    def _work(self, make_run: Callable[[], OneRun | TwoRuns], begun: Future[None]) -> None:
        try:
            self._begin(make_run())
        except BaseException as error:
            begun.set_exception(error)
            return
        begun.set_result(None)
        while not self._is_closed:
            try:
                self._go_on()
            except Exception:  # or the page would wait forever
                _logger.exception("The inspector could not show the recording.")
                self._wake.wait(1.0)

    def _begin(self, run: OneRun | TwoRuns) -> None:
        self.run = run
        self.title = run.title
        """The name of the file."""
        self._first, self._opening = run.opening
        self.playhead = Playhead(run.start, run.end, self._opening)
        self.kept_places = KeptPlaces()
        requests = PlaybackRequests(run, self.playhead, self.kept_places)
        self._requests = RequestQueue([requests, self.kept_places])
        self._states = list(run.states())
        self._checked = 0.0 if run.is_replayed else None
        """Seconds up to which the replay has been compared with the recording; None once done."""
        self._has_news = True
        self._last_look = monotonic()
        self._next_frame = 0.0
        self._sent_states_at = run.time
        self._status = self._current_status()

    def _go_on(self) -> None:
        while self._requests:
            if self._requests.answer_next() is not None:
                self._has_news, self._next_frame = True, 0.0
        self._let_time_pass()
        is_there = self._advance()
        if self._is_frame_due(is_there):
            self._send_frame()
        self._wake.clear()
        if is_there and not self._requests:
            is_busy = (
                self.playhead.is_playing or self._has_news or any(map(self._lacks, self._pages))
            )
            self._wake.wait(max(SHORTEST, self._next_frame - monotonic()) if is_busy else 1.0)

    def _let_time_pass(self) -> None:
        now = monotonic()
        passed, self._last_look = now - self._last_look, now
        if self.playhead.is_playing:
            self.playhead.let_pass(min(passed, LONGEST_PAUSE))
            self._has_news = True

    def _advance(self) -> bool:
        """Go on; return True once the moment is reached."""
        deadline = monotonic() + PATIENCE
        if (
            self._checked is not None
            and self._opening == self.playhead.time
            and not self.playhead.is_playing
        ):
            return self._check(deadline)
        self._checked = None
        before = self.run.position
        is_there = self.run.advance(self.playhead.time, deadline)
        self._has_news = self._has_news or before != self.run.position
        return is_there

    def _check(self, deadline: float) -> bool:
        """Go through it once before it is shown, to see if it repeats what was recorded."""
        if self.run.advance(self.run.end, deadline):
            self._checked = None
            self._has_news = True
        else:
            self._checked = self.run.time
        return False

    # Frames

    def _is_frame_due(self, is_there: bool) -> bool:
        if not self._pages or monotonic() < self._next_frame:
            return False
        has_backlog = any(not page.is_waiting and self._lacks(page) for page in self._pages)
        return self._has_news or not is_there or has_backlog

    def _lacks(self, page: PageMailbox) -> bool:
        if page.selected is None:
            return False
        return bool(self.run.entries(page.selected, page.log_position, 1))

    def _send_frame(self) -> None:
        self._next_frame = monotonic() + 1.0 / self.rate
        self._has_news = False
        self._status = self._current_status()
        now = self.run.time
        changed = self.run.changed_states(self._sent_states_at, now)
        self._sent_states_at = now
        if changed:
            self._states = list(self.run.states())
        frame = PageFrame(self._status, changed, [], [], [])
        details: dict[str, Any] = {}
        for page in self._pages:
            if page.all_news.is_wanted:
                page.collect(self.run.news, {})
            name = page.selected
            if name is None:
                page.put(frame, None, ())
                continue
            if name not in details and self._checked is None:
                details[name] = self.run.detail(name)
            page.put(frame, details.get(name), self._news_for(page, name))

    def _news_for(self, page: PageMailbox, name: str) -> list[LogEntry]:
        """Return the next part of the log, unless the page has yet to take the last one."""
        if page.is_waiting:
            return []
        begin = max(page.log_position, self.run.first_entry(name))
        return self.run.entries(name, begin, BUNCH)

    def _current_status(self) -> dict[str, Any]:
        return {
            "clock": self.playhead.time,
            "paused": not self.playhead.is_playing,
            "speed": self.playhead.speed,
            "updates": self.run.position,
            "idle": 0.0,
            "held": None,
            "recorded": False,
            "seeking": self._seeking(),
            "notes": self.run.notes,
            "has_map": self._has_map(),
            "layout": self.kept_places.version,
        }

    def _has_map(self) -> bool:
        """Return True once any machine has been somewhere."""
        if (found := self.run.map) is None:
            return False
        if not found.is_shown:
            found.source.read(self.run.time)
        return found.is_shown

    def _seeking(self) -> dict[str, Any] | None:
        """Return how far it has got, from 0 to 1, until the moment is reached."""
        length = self.run.end - self.run.start
        if self._checked is not None:
            done = (self._checked - self.run.start) / length if length else 0.0
            return {"what": "comparing", "done": max(0.0, done)}
        goal = self.playhead.time - self.run.start
        if goal <= 0.0 or self.run.time >= self.run.step_before(self.playhead.time):
            return None
        return {"what": "replaying", "done": (self.run.time - self.run.start) / goal}


@define
class Playhead:
    start: float
    end: float
    time: float
    speed: float = 1.0
    is_playing: bool = False

    def go_to(self, time: float) -> None:
        self.time = min(max(time, self.start), self.end)

    def let_pass(self, seconds: float) -> None:
        if self.is_playing:
            self.go_to(self.time + seconds * self.speed)
            self.is_playing = self.time < self.end


@frozen
class PlaybackRequests:
    run: OneRun | TwoRuns
    playhead: Playhead
    kept_places: KeptPlaces

    def resume(self) -> None:
        """Play from the moment on, or from the beginning if it is at the end."""
        if self.playhead.time >= self.playhead.end:
            self.playhead.time = self.playhead.start
        self.playhead.is_playing = True

    def pause(self) -> None:
        self.playhead.is_playing = False

    def speed(self, factor: float) -> None:
        self.playhead.speed = checked_speed(factor)

    def seek(self, time: float) -> None:
        self.playhead.go_to(time)

    def step(self) -> None:
        self._stop_at(self.run.next_frame(self.playhead.time))

    def step_back(self) -> None:
        self._stop_at(self.run.last_frame(self.playhead.time))

    def next_change(self, machine: str) -> None:
        self._stop_at(self.run.next_change(self.run.known(machine), self.playhead.time))

    def last_change(self, machine: str) -> None:
        """Go back to the beginning of the state, or of the one before if it is there."""
        self._stop_at(self.run.last_change(self.run.known(machine), self.playhead.time))

    def difference(self, machine: str, forward: bool) -> PageAnswer:
        if not isinstance(self.run, TwoRuns):
            raise RequestError("There is only one recording: give two, to compare them.")
        time = self.run.difference(self.playhead.time, forward=forward)
        self._stop_at(time, "difference")
        return {"machine": self.run.machine_differing_at(self.playhead.time, machine)}

    def colours(self) -> PageAnswer:
        return {"colours": colours_of(self.run.state_names())}

    def select(self, machine: str, page: PageMailbox) -> None:
        page.select(self.run.known(machine))

    def follow_all(self, on: bool, page: PageMailbox) -> None:
        page.follow_all(on)

    def ask(self, machine: str, event: str) -> PageAnswer:
        return self.run.ask(machine, event)

    def positions(
        self, roll: int, states: int, since: float, until: float | None = None
    ) -> PageAnswer:
        if (found := self.run.map) is None:
            raise RequestError("A recording alone holds no positions: give the machine as well.")
        return found.positions(self.run.time, roll, states, since, until)

    def tiles(
        self, machine: str, number: int | None = None, version: int | None = None
    ) -> PageAnswer:
        target = self.run.machine(machine)
        found = self.run.map
        return {"tiles": None if found is None else found.tiles(target, (number, version))}

    def graph(self, machine: str, around: Collection[str] = (), radius: int = 0) -> PageAnswer:
        graph, parts = self.run.drawing(machine, DrawnExtent(around, radius))
        return {"graph": (graph if radius else self.kept_places.applied(graph, parts), parts)}

    def _stop_at(self, time: float | None, what: str = "change") -> None:
        if time is None:
            raise RequestError(f"There is no further {what}.")
        self.pause()
        self.playhead.go_to(time)
