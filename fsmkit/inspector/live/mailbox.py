"""PageMailbox: the messages pending for one page: answers, and at most one frame with all news."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any, Final, Generic, TypeAlias, TypeVar

from attrs import define, field

from fsmkit.inspector.reading.machine_log import (
    LogEntry,
    NewsRings,
    Ring,
    StateChange,
    TroubleMark,
)

ItemT = TypeVar("ItemT")

BreakpointRows: TypeAlias = list[dict[str, Any]]
"""Each breakpoint, as data for the page."""

ROOM: Final = 5_000
"""Log entries that are pending at most."""

MOST_ANSWERS: Final = 256
"""Pending answers at which no more requests are taken from the page."""

PORTION: Final = 5_000
"""Changes, and entries, that are pending at most; the rest stays in the rings."""


@define(eq=False)
class RingReader(Generic[ItemT]):
    pending: list[Any] = field(factory=list, init=False)
    dropped: int = field(default=0, init=False)
    """Items that left the ring before they were taken."""
    _position: int = field(default=0, init=False)

    def collect(self, ring: Ring[ItemT], most: int) -> None:
        if 0 < self._position < ring.first:
            self.dropped += ring.first - self._position
        self._position = max(self._position, ring.first)
        new = [
            dict(item) if isinstance(item, dict) else item
            for item in ring.since(self._position, most)
        ]
        self._position += len(new)
        self.pending += new

    def take(self) -> list[Any]:
        pending, self.pending = self.pending, []
        return pending


@define(eq=False)
class SendNews:
    """The events that machines send each other, for one page.

    A page that wants them gets first what the ring holds, then what is new. For a slow page, the
    oldest pending ones are dropped.
    """

    is_wanted: bool = False
    _begins: bool = field(default=False, init=False)
    _sends: RingReader[LogEntry] = field(factory=RingReader, init=False)

    def want(self, is_wanted: bool) -> None:
        """Begin with what the ring holds, or end."""
        self.is_wanted = self._begins = is_wanted
        self._sends = RingReader()

    def collect(self, ring: Ring[LogEntry], most: int) -> None:
        if self.is_wanted:
            self._sends.collect(ring, most)
            del self._sends.pending[:-most]

    def take(self) -> dict[str, Any] | None:
        if not self.is_wanted or not (self._begins or self._sends.pending):
            return None
        news = {"reset": self._begins, "entries": self._sends.take()}
        self._begins = False
        return news


@define(eq=False)
class AllNews:
    """The changes and entries of all machines for one page, a portion at a time.

    A page that wants them gets first what the rings hold, then what is new. A slow page gets them
    later; changes that were dropped from their ring meanwhile are counted.
    """

    is_wanted: bool = False
    _begins: bool = field(default=False, init=False)
    _changes: RingReader[StateChange] = field(factory=RingReader, init=False)
    _entries: RingReader[LogEntry] = field(factory=RingReader, init=False)
    _repeats: dict[int, tuple[int, float]] = field(factory=dict, init=False)

    def want(self, is_wanted: bool) -> None:
        self.is_wanted = self._begins = is_wanted
        self._changes, self._entries, self._repeats = RingReader(), RingReader(), {}

    def collect(self, rings: NewsRings, repeats: Mapping[int, tuple[int, float]]) -> None:
        if self.is_wanted:
            self._changes.collect(rings.changes, PORTION - len(self._changes.pending))
            self._entries.collect(rings.entries, PORTION - len(self._entries.pending))
            self._repeats.update(repeats)

    def take(self) -> dict[str, Any] | None:
        """Return what has been collected, without the changes of machines that have left."""
        changes = [
            [each.seq, each.time, each.record.name, each.kind, each.state, each.event]
            for each in self._changes.take()
            if each.record.left_at is None
        ]
        news = {
            "changes": changes,
            "entries": self._entries.take(),
            "repeats": self._repeats,
            "dropped": self._changes.dropped,
        }
        if not self.is_wanted or not (self._begins or any(news.values())):
            return None
        news["reset"] = self._begins
        self._begins, self._repeats, self._changes.dropped = False, {}, 0
        return news


@define(eq=False)
class PageFrame:
    status: dict[str, Any]
    """The part that is the same for every page: time, paused or not, ..."""
    states: Mapping[str, str | None]
    """Machine -> state, for machines that have changed."""
    joined: list[tuple[str, str | None]]
    left: list[str]
    breakpoints: BreakpointRows
    marks: Mapping[str, TroubleMark] = field(factory=dict)
    """Machine -> its errors and unhandled events, for machines where they have increased."""


@define(eq=False)
class PageMailbox:
    """Takes frames and answers in the loop's thread and hands them out in the server's.

    The frames that a slow page has missed are merged into one message: nothing piles up, and no
    change of state is lost.
    """

    wake: Callable[[], object]
    """Wakes the server: there is something to take."""
    selected: str | None = None
    """The machine that is sent in full."""
    log_position: int = 0
    """The number of its next log entry."""
    measures: bool = False
    """True while it asks what a frame costs."""
    dropped: int = 0
    log_dropped: int = 0
    _answers: deque[dict[str, Any]] = field(factory=deque, init=False)
    _status: dict[str, Any] = field(factory=dict, init=False)
    _states: dict[str, str | None] = field(factory=dict, init=False)
    _joined: dict[str, str | None] = field(factory=dict, init=False)
    _left: dict[str, None] = field(factory=dict, init=False)
    _marks: dict[str, TroubleMark] = field(factory=dict, init=False)
    all_news: AllNews = field(factory=AllNews, init=False)
    send_news: SendNews = field(factory=SendNews, init=False)
    _breakpoints: BreakpointRows = field(factory=list, init=False)
    _sent_breakpoints: BreakpointRows = field(factory=list, init=False)
    """The breakpoints that the page has been sent."""
    _detail: dict[str, Any] | None = field(default=None, init=False)
    _log: deque[LogEntry] = field(factory=lambda: deque(maxlen=ROOM), init=False)
    _reset: bool = field(default=False, init=False)
    is_waiting: bool = field(default=False, init=False)
    """True if a frame is pending."""
    _has_begun: bool = field(default=False, init=False)
    """True once the page has been sent a frame; earlier ones do not count as dropped."""
    _lock: Lock = field(factory=Lock, init=False)

    def select(self, machine: str | None) -> None:
        """Report this machine from now on, beginning with its whole log."""
        with self._lock:
            self.selected = machine
            self.log_position = 0
            self.log_dropped = 0
            self._log.clear()
            self._detail = None
            self._reset = True

    def follow_all(self, on: bool) -> None:
        """Report what all machines do, beginning with what is still known; or stop."""
        with self._lock:
            self.all_news.want(on)

    def follow_sends(self, on: bool) -> None:
        with self._lock:
            self.send_news.want(on)

    def collect_sends(self, ring: Ring[LogEntry]) -> None:
        with self._lock:
            self.send_news.collect(ring, ROOM)

    def collect(self, rings: NewsRings, repeats: Mapping[int, tuple[int, float]]) -> None:
        with self._lock:
            self.all_news.collect(rings, repeats)

    def put(self, frame: PageFrame, detail: dict[str, Any] | None, log: Iterable[LogEntry]) -> None:
        with self._lock:
            self.dropped += self.is_waiting and self._has_begun
            self.is_waiting = True
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
        """Add the answer to a request. It is sent before later frames."""
        with self._lock:
            self._answers.append({"type": "answer", "id": number, **answer})
        self.wake()

    @property
    def has_answers(self) -> bool:
        return bool(self._answers)

    @property
    def is_full(self) -> bool:
        """True if the page must take some answers before it makes more requests."""
        return len(self._answers) >= MOST_ANSWERS

    def take(self) -> dict[str, Any] | None:
        with self._lock:
            if self._answers:
                return self._answers.popleft()
            if not self.is_waiting:
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
            if (news := self.all_news.take()) is not None:
                message["all"] = news
            if (sends := self.send_news.take()) is not None:
                message["sends"] = sends
            self._states, self._joined, self._left, self._marks = {}, {}, {}, {}
            self._reset, self.is_waiting = False, False
            self._log.clear()
            return message

    def _add_to_log(self, entries: Iterable[LogEntry]) -> None:
        for entry in entries:
            if "times" in entry:  # its earlier version may still be pending
                same = (each for each in reversed(self._log) if each["seq"] == entry["seq"])
                if (earlier := next(same, None)) is not None:
                    self._log.remove(earlier)
            self.log_dropped += len(self._log) == ROOM
            self._log.append(entry)
            self.log_position = (entry["change"] if "change" in entry else entry["seq"]) + 1
