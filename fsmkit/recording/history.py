"""History: what happened to a machine lately."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from traceback import format_exception_only
from typing import Any, Self, TypeAlias

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.recording.happenings import Chronicle, RaisedError, SentEvent, StateVisit, sender_title
from fsmkit.roster import Roster, members


class History:
    """Keeps what happens to a machine, the machines inside it, or those of a group.

    The last `limit` of each kind are kept: visits to states, events, errors. With it an event costs
    three to four times what it costs without. Times are those of the machine, for one inside
    another those of the outermost; for a group, seconds since the first of its machines began.
    Machines that join the group later are kept too after a call of `watch_all`.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> history = History(lamp)
    >>> lamp.start()
    >>> lamp.update(1.5)
    >>> lamp.send_event("PRESSED")
    True
    >>> for visit in history.visits:
    ...     print(visit.state, visit.start, visit.end, visit.event)
    Off 0.0 1.5 None
    On 1.5 None PRESSED
    """

    def __init__(self, machines: Fsm[Any] | FsmGroup, limit: int = 10_000) -> None:
        if limit < 1:
            raise ValueError(f"History: limit is at least 1, not {limit!r}.")
        self.machines = machines
        self.limit = limit
        self._visits: deque[_VisitNote] = deque(maxlen=limit)
        self._events: deque[_EventNote] = deque(maxlen=limit)
        self._errors: deque[RaisedError] = deque(maxlen=limit)
        self._roster = Roster()
        self._tracks: list[_Track] = []
        self._undo: list[Callable[[], None]] = []
        self.watch_all()

    def watch_all(self) -> None:
        """Watch the machines that have joined since the last time, too."""
        for name, machine, outermost in self._roster.add(members(self.machines)):
            track = (_Track if machine is outermost else _InnerTrack)(
                name, machine, outermost, self
            )
            self._tracks.append(track)
            self._undo.append(machine.observe(track))

    def detach(self) -> None:
        """Keep nothing more; what was kept stays."""
        for undo in self._undo:
            undo()
        self._undo = []

    @property
    def now(self) -> float:
        """The present time of the history, in seconds."""
        return max((track.now for track in self._tracks), default=0.0)

    @property
    def visits(self) -> list[StateVisit]:
        """The visits to states, in the order in which they began."""
        return list(self._told_visits())

    @property
    def events(self) -> list[SentEvent]:
        """The events, in order."""
        return [
            SentEvent(track.name, time, _name(state), event, data, outcome, sender_title(sender))
            for track, time, state, event, data, outcome, sender in self._events
        ]

    @property
    def errors(self) -> list[RaisedError]:
        """The errors, in order."""
        return list(self._errors)

    def chronicle(self) -> Chronicle:
        """All of it, for a timeline."""
        visits, events, errors = self.visits, self.events, self.errors
        starts = [
            *(visit.start for visit in visits),
            *(event.time for event in events[:1]),
            *(error.time for error in errors[:1]),
        ]
        names = tuple(self._roster.names.values())
        now = self.now
        return Chronicle(names, visits, events, errors, min(starts, default=now), now)

    def _told_visits(self) -> Iterator[StateVisit]:
        ends = self._ends()
        for (track, start, state, event, sender), end in zip(self._visits, ends, strict=True):
            if state is not None:
                yield StateVisit(track.name, state.name, start, end, event, sender_title(sender))

    def _ends(self) -> list[float | None]:
        """When each of the visits that were noted ended: as the next one of its machine began."""
        ends: list[float | None] = []
        nexts: dict[_Track, float | None] = {
            track: None if track.machine.is_running else track.now for track in self._tracks
        }
        for track, start, *_ in reversed(self._visits):
            ends.append(nexts[track])
            nexts[track] = start
        return ends[::-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.detach()


class _Track:
    """The observer of one machine. Notes are short, as they are taken while the machine runs."""

    __slots__ = (
        "clock", "errors", "events", "history", "machine", "name", "offset", "queued", "sender",
        "visits",
    )  # fmt: skip

    def __init__(self, name: str, machine: Fsm[Any], clock: Fsm[Any], history: History) -> None:
        self.name = name
        self.machine = machine
        self.clock = clock
        self.history = history
        self.offset = history.now - clock.time if history._tracks else 0.0
        self.visits = history._visits
        self.events = history._events
        self.errors = history._errors
        self.sender: FsmAction[Any] | None = None
        self.queued: deque[tuple[str, FsmAction[Any] | None]] = deque()
        if machine.current_state is not None:
            begun = self.now - machine.time_in_state
            self.visits.append((self, begun, machine.current_state, machine.last_event, None))

    @property
    def now(self) -> float:
        return self.clock.time + self.offset

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        sender = fsm.acting
        if self.queued and sender is None:
            sender = self._whose_turn_it_is(event)
        if outcome == "queued":
            self.queued.append((event, sender))
        self.sender = sender
        time = self.clock.time + self.offset
        self.events.append((self, time, fsm.current_state, event, data, outcome, sender))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        if event is None:
            self._begin()
        self.visits.append((self, self.clock.time + self.offset, state, event, self.sender))

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        text = "".join(format_exception_only(error)).strip()
        self.errors.append(RaisedError(self.name, self.now, _name(fsm.current_state), text))

    def _begin(self) -> None:
        """The machine was started: while it was not running its own time stood still."""
        self.sender = None
        self._end()
        self.offset = self.history.now - self.clock.time

    def _end(self) -> None:
        self.visits.append((self, self.now, None, None, None))

    def _whose_turn_it_is(self, event: str) -> FsmAction[Any] | None:
        """The sender of a queued event; those that were dropped meanwhile are passed over."""
        while self.queued:
            queued, sender = self.queued.popleft()
            if queued == event:
                return sender
        return None


class _InnerTrack(_Track):
    """The observer of a machine inside another: the clock of that one goes on without it."""

    __slots__ = ()

    def state_left(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self._end()

    def _begin(self) -> None:
        self.sender = None


_VisitNote: TypeAlias = (
    "tuple[_Track, float, FsmState[Any] | None, str | None, FsmAction[Any] | None]"
)
"""Track, time, state, event, sender. Without a state: that is when the visit before ended."""
_EventNote: TypeAlias = (
    "tuple[_Track, float, FsmState[Any] | None, str, object, str, FsmAction[Any] | None]"
)
"""Track, time, state, event, data, outcome, sender."""


def _name(state: FsmState[Any] | None) -> str:
    return state.name if state is not None else ""
