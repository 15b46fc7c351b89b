"""Mailbox: the messages waiting for one page: answers, and at most one frame."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from threading import Lock
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.inspector.loop.all_news import AllNews, Rings
from fsmkit.inspector.loop.send_news import SendNews
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.ring import Ring

BreakpointList: TypeAlias = list[dict[str, Any]]
"""Each breakpoint, as data for the page."""

ROOM: Final = 5_000
"""Log entries that may wait."""

MOST_ANSWERS: Final = 256
"""Answers that may wait before no more requests are taken from the page."""


@define(eq=False)
class Frame:
    """The news of the loop after an update."""

    status: dict[str, Any]
    """The part that is the same for every page: time, paused or not, ..."""
    states: Mapping[str, str | None]
    """Machine -> state, for the machines that have changed."""
    joined: list[tuple[str, str | None]]
    left: list[str]
    breakpoints: BreakpointList
    marks: Mapping[str, tuple[int, int]] = field(factory=dict)
    """Machine -> its errors and unhandled events, for those that have had more of them."""


@define(eq=False)
class Mailbox:
    """Takes frames and answers from the loop's thread and hands them to the server's.

    A slow page gets the frames it has missed merged into one message: nothing piles up, and no
    change of state is lost.
    """

    wake: Callable[[], object]
    """Wakes the server, since there is something to take."""
    selected: str | None = None
    """The machine that is sent in full."""
    log_position: int = 0
    """The number of its next log entry."""
    dropped: int = 0
    log_dropped: int = 0
    _answers: deque[dict[str, Any]] = field(factory=deque, init=False)
    _status: dict[str, Any] = field(factory=dict, init=False)
    _states: dict[str, str | None] = field(factory=dict, init=False)
    _joined: dict[str, str | None] = field(factory=dict, init=False)
    _left: dict[str, None] = field(factory=dict, init=False)
    _marks: dict[str, tuple[int, int]] = field(factory=dict, init=False)
    _all: AllNews = field(factory=AllNews, init=False)
    _sends: SendNews = field(factory=SendNews, init=False)
    _breakpoints: BreakpointList = field(factory=list, init=False)
    _sent_breakpoints: BreakpointList = field(factory=list, init=False)
    """The breakpoints that the page has been sent."""
    _detail: dict[str, Any] | None = field(default=None, init=False)
    _log: deque[Entry] = field(factory=lambda: deque(maxlen=ROOM), init=False)
    _reset: bool = field(default=False, init=False)
    _waiting: bool = field(default=False, init=False)
    _has_begun: bool = field(default=False, init=False)
    """True once the page has been sent a frame; earlier ones do not count as dropped."""
    _lock: Lock = field(factory=Lock, init=False)

    @property
    def is_waiting(self) -> bool:
        """True if the page has yet to take the last frame."""
        return self._waiting

    def select(self, machine: str | None) -> None:
        """Report this machine from now on, beginning with its whole log."""
        with self._lock:
            self.selected = machine
            self.log_position = 0
            self.log_dropped = 0
            self._log.clear()
            self._detail = None
            self._reset = True

    @property
    def follows_all(self) -> bool:
        """True if the page is sent what all machines do."""
        return self._all.is_wanted

    def follow_all(self, on: bool) -> None:
        """Report what all machines do from now on, beginning with what is still known; or stop."""
        with self._lock:
            self._all.want(on)

    @property
    def follows_sends(self) -> bool:
        """True if the page is sent what machines send each other."""
        return self._sends.is_wanted

    def follow_sends(self, on: bool) -> None:
        """Report what machines send each other, beginning with what is still known; or stop."""
        with self._lock:
            self._sends.want(on)

    def collect_sends(self, ring: Ring[Entry]) -> None:
        """Take what machines have sent each other, if that is reported to this page."""
        with self._lock:
            self._sends.collect(ring, ROOM)

    def collect(
        self, machines: Rings, repeats: Mapping[int, tuple[int, float]], left: Collection[str]
    ) -> None:
        """Take the news of all machines, if they are reported to this page."""
        with self._lock:
            self._all.collect(machines, repeats, left)

    def put(self, frame: Frame, detail: dict[str, Any] | None, log: Iterable[Entry]) -> None:
        """Merge a frame into the one that is waiting."""
        with self._lock:
            self.dropped += self._waiting and self._has_begun
            self._waiting = True
            self._status = frame.status
            for machine in frame.left:  # one that joins may reuse the name
                self._states.pop(machine, None)
                self._marks.pop(machine, None)
                if machine in self._joined:
                    del self._joined[machine]
                else:
                    self._left[machine] = None
            self._joined.update(frame.joined)
            self._states.update(frame.states)
            self._marks.update(frame.marks)
            self._breakpoints = frame.breakpoints
            self._detail = detail
            self._add_to_log(log)
        self.wake()

    def answer(self, number: object, answer: Mapping[str, Any]) -> None:
        """Add the answer to a request. It is sent before the frames that come after it."""
        with self._lock:
            self._answers.append({"type": "answer", "id": number, **answer})
        self.wake()

    @property
    def has_answers(self) -> bool:
        """True if an answer is waiting."""
        return bool(self._answers)

    @property
    def is_full(self) -> bool:
        """True if so many answers are waiting that the page has to take some before it asks on."""
        return len(self._answers) >= MOST_ANSWERS

    def take(self) -> dict[str, Any] | None:
        """Return the message to send; None if there is nothing new."""
        with self._lock:
            if self._answers:
                return self._answers.popleft()
            if not self._waiting:
                return None
            self._has_begun = True
            message = {
                "type": "frame",
                "reset": self._reset,
                **self._status,
                "dropped": self.dropped,
                "states": self._states,
                "joined": list(self._joined.items()),
                "left": list(self._left),
                "marks": self._marks,
                "detail": self._detail,
                "log": list(self._log),
                "log_dropped": self.log_dropped,
            }
            if self._reset:
                message["selected"] = self.selected
            if self._reset or self._breakpoints != self._sent_breakpoints:
                message["breakpoints"] = self._sent_breakpoints = self._breakpoints
            if (news := self._all.take()) is not None:
                message["all"] = news
            if (sends := self._sends.take()) is not None:
                message["sends"] = sends
            self._states, self._joined, self._left, self._marks = {}, {}, {}, {}
            self._reset, self._waiting = False, False
            self._log.clear()
            return message

    def _add_to_log(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if "times" in entry:  # what has been repeated may still wait as it was before
                self._remove_from_log(entry["seq"])
            self.log_dropped += len(self._log) == ROOM
            self._log.append(entry)
            self.log_position = (entry["change"] if "change" in entry else entry["seq"]) + 1

    def _remove_from_log(self, seq: int) -> None:
        for index in range(len(self._log) - 1, -1, -1):
            if self._log[index]["seq"] == seq:
                del self._log[index]
                return
