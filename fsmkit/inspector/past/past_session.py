"""PastSession: the source of pages that show what was."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from logging import getLogger
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from fsmkit.core.words.notes import shown_error
from fsmkit.inspector.loop.mailbox import Frame, Mailbox
from fsmkit.inspector.loop.request_handler import RequestHandler
from fsmkit.inspector.loop.requests import Answer, Request, RequestError
from fsmkit.inspector.past.one_run import OneRun
from fsmkit.inspector.past.playhead import Playhead
from fsmkit.inspector.past.playing import Playing
from fsmkit.inspector.past.two_runs import TwoRuns
from fsmkit.inspector.reading.log import Entry

MOST_REQUESTS: Final = 256
"""Requests that may wait."""

PATIENCE: Final = 0.04
"""Seconds of replaying between two looks at the requests."""

SHORTEST: Final = 0.005
"""Seconds between two looks at pages that have yet to take the last frame."""

BUNCH: Final = 1_000
"""Log entries in a frame."""

NOT_HERE: Final = "A recording cannot be changed: it can be played, and looked at."

_logger: Final = getLogger("fsmkit")


class PastSession:
    """Plays a run that is over, builds frames for pages and answers their requests.

    It has a thread of its own, to which `run` and its machines belong. A long way is gone in small
    parts, between which requests are answered: `seeking` in the status says how far it has got.
    """

    def __init__(self, make_run: Callable[[], OneRun | TwoRuns], *, rate: float) -> None:
        self.rate = rate
        self._requests: deque[Request] = deque()
        self._pages: tuple[Mailbox, ...] = ()
        self._wake = Event()
        self._is_closed = False
        self._is_begun = Event()
        self._failure: BaseException | None = None
        self._thread = Thread(
            target=self._work, args=(make_run,), name="fsmkit recording", daemon=True
        )
        self._thread.start()
        self._is_begun.wait()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """End the thread; whoever waits for an answer gets one."""
        self._is_closed = True
        self._wake.set()
        self._thread.join(timeout=5.0)
        while self._requests:
            self._requests.popleft().answer({"error": "The inspector is being closed."})

    # The server's

    @property
    def title(self) -> str:
        """The name of the file."""
        return self.run.title

    @property
    def recording(self) -> Path | None:
        """None: it is not the page's to hand out."""
        return None

    def greeting(self) -> dict[str, Any]:
        """Return what a page is told first."""
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
        """Return the part of a frame that is the same for every page."""
        return self._status

    def join(self, page: Mailbox) -> None:
        """Send frames to this page from now on."""
        page.select(self._first)
        self._pages = (*self._pages, page)
        self._wake.set()

    def leave(self, page: Mailbox) -> None:
        """Send it no more."""
        self._pages = tuple(other for other in self._pages if other is not page)

    def ask(self, request: Request) -> None:
        """Pass `request` to the thread. Raises RequestError if too many are waiting."""
        if len(self._requests) >= MOST_REQUESTS:
            raise RequestError("Too many requests are waiting.")
        self._requests.append(request)
        self._wake.set()

    # The thread

    def _work(self, make_run: Callable[[], OneRun | TwoRuns]) -> None:
        try:
            self._begin(make_run())
        except BaseException as error:  # raised in the thread that waits for it
            self._failure = error
            return
        finally:
            self._is_begun.set()
        while not self._is_closed:
            try:
                self._go_on()
            except Exception:  # a page must not be left without a word for ever
                _logger.exception("The inspector could not show the recording.")
                self._wake.wait(1.0)

    def _begin(self, run: OneRun | TwoRuns) -> None:
        self.run = run
        self.playhead = Playhead(run.start, run.end, run.opening.time)
        self._request_handler = RequestHandler(Playing(run, self.playhead))
        self._states = list(run.states())
        self._first = run.opening.machine
        self._checked = 0.0 if run.is_replayed else None
        """Seconds up to which it has been compared with the recording; None: no longer."""
        self._opening = self.playhead.time
        self._has_news = True
        self._last_look = monotonic()
        self._next_frame = 0.0
        self._sent_states_at = run.time
        self._status = self._current_status()

    def _go_on(self) -> None:
        self._answer_requests()
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
            self.playhead.let_pass(min(passed, 0.25))
            self._has_news = True

    def _advance(self) -> bool:
        """Go on; return True once the moment is reached, and there is nothing left to do."""
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
        """Go through it once before it is shown, to see if it does what was recorded."""
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
        return self._has_news or not is_there or self._has_backlog()

    def _has_backlog(self) -> bool:
        """Return True if a page could be sent more of its log."""
        return any(not page.is_waiting and self._lacks(page) for page in self._pages)

    def _lacks(self, page: Mailbox) -> bool:
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
        frame = Frame(self._status, changed, [], [], [])
        details: dict[str, Any] = {}
        for page in self._pages:
            if page.follows_all:
                page.collect(self.run.news(), {}, ())
            name = page.selected
            if name is None:
                page.put(frame, None, ())
                continue
            if name not in details and self._checked is None:
                details[name] = self.run.detail(name)
            page.put(frame, details.get(name), self._news_for(page, name))

    def _news_for(self, page: Mailbox, name: str) -> list[Entry]:
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
        }

    def _seeking(self) -> dict[str, Any] | None:
        """Return how far it has got, from 0 to 1, while it is on its way."""
        length = self.run.end - self.run.start
        if self._checked is not None:
            done = (self._checked - self.run.start) / length if length else 0.0
            return {"what": "comparing", "done": max(0.0, done)}
        goal = self.playhead.time - self.run.start
        if goal <= 0.0 or self.run.time >= self.run.step_before(self.playhead.time):
            return None
        return {"what": "replaying", "done": (self.run.time - self.run.start) / goal}

    # Requests

    def _answer_requests(self) -> None:
        while self._requests:
            request = self._requests.popleft()
            if not request.is_given_up:
                request.answer(self._answer(request))
                self._has_news, self._next_frame = True, 0.0

    def _answer(self, request: Request) -> Answer:
        try:
            if not hasattr(Playing, request.do):
                raise RequestError(NOT_HERE)
            return {"ok": True, **self._request_handler.answer(request)}
        except RequestError as error:
            return {"error": str(error)}
        except Exception as error:  # from the machine or a user's callback
            return {"error": shown_error(error)}
