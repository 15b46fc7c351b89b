"""History: what happened to a machine recently."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Final, Self, TypeAlias

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.recording.chronicle import Chronicle, RaisedError, SentEvent, StateVisit, sender_title
from fsmkit.svg.notebook import notebook_picture
from fsmkit.tooling.described_error import described_error
from fsmkit.tooling.nesting import MachineNames, members


class History:
    """Keeps what happens to a machine and its nested machines, or to those of a group.

    It keeps the last `limit` visits to states and events together, and as many errors. With a
    history attached, an event takes about two microseconds.

    Times are those of the outermost machine; for a group, seconds since the first of its machines
    began. To include machines that join the group later, call `watch_all`.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
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
        if not isinstance(limit, int):
            raise TypeError(f"History: limit must be a whole number >= 1, got {limit!r}.")
        if limit < 1:
            raise ValueError(f"History: limit must be at least 1, got {limit!r}.")
        self.machines = machines
        self.limit = limit
        self._notes: deque[_Note] = deque(maxlen=limit)
        self._errors: deque[RaisedError] = deque(maxlen=limit)
        self._machine_names = MachineNames()
        self._tracks: list[_Track] = []
        self._undo: list[Callable[[], None]] = []
        self.watch_all()

    _repr_mimebundle_ = notebook_picture("fsmkit.recording.timeline.notebook:bundle")

    def watch_all(self) -> None:
        """Also watch the machines that have joined since the last call."""
        for name, machine, outermost in self._machine_names.add(members(self.machines)):
            track = (_Track if machine is outermost else _InnerTrack)(
                name, machine, outermost, self
            )
            self._tracks.append(track)
            self._undo.append(machine.observe(track))

    def detach(self) -> None:
        """Stop watching; what was kept stays."""
        for undo in self._undo:
            undo()
        self._undo = []

    @property
    def now(self) -> float:
        """The current time of the history, in seconds."""
        return max((track.now for track in self._tracks), default=0.0)

    @property
    def visits(self) -> list[StateVisit]:
        """The visits to states, in the order in which they began."""
        waiting = _Waiting()
        return [
            StateVisit(
                track.name, _name(state), start, end, event, sender_title(sender),
                waiting.below(track, state, outcome), outcome in RESUMPTIONS,
            )
            for (track, start, state, event, _, outcome, sender), end in self._visit_notes()
            if outcome not in SILENT or waiting.look_at(track, state, outcome)
        ]  # fmt: skip

    @property
    def events(self) -> list[SentEvent]:
        """The events, in order."""
        return list(self._sent_events())

    @property
    def errors(self) -> list[RaisedError]:
        """The errors, in order."""
        return list(self._errors)

    def chronicle(self) -> Chronicle:
        """Return all of it, for a timeline."""
        visits, events, errors = self.visits, self.events, self.errors
        starts = [
            *(visit.start for visit in visits),
            *(event.time for event in events[:1]),
            *(error.time for error in errors[:1]),
        ]
        names = tuple(self._machine_names.names.values())
        now = self.now
        return Chronicle(names, visits, events, errors, min(starts, default=now), now)

    def _visit_notes(self) -> list[tuple[_Note, float | None]]:
        """Return the notes of visits, each with its end: when its machine's next visit began.

        Those about what is suspended are among them.
        """
        ends: dict[_Track, float | None] = {
            track: None if track.machine.is_running else track.now for track in self._tracks
        }
        visits: list[tuple[_Note, float | None]] = []
        for note in reversed(self._notes):
            track, time, outcome = note[0], note[1], note[5]
            if outcome in BEGINNINGS or outcome in (SUSPENDED, FORGOTTEN):
                visits.append((note, ends[track]))
            if outcome in BEGINNINGS or outcome is ENDED:
                ends[track] = time
        return visits[::-1]

    def _sent_events(self) -> Iterator[SentEvent]:
        states: dict[_Track, FsmState[Any] | None] = {}
        for track, time, state, event, data, outcome, sender in self._notes:
            if outcome in SILENT:
                continue
            if outcome not in BEGINNINGS:
                title = sender_title(sender)
                yield SentEvent(track.name, time, _name(state), event or "", data, outcome, title)
                continue
            if outcome in (ENTERED, RESUMED) and event is not None:
                here, title = _name(states.get(track)), sender_title(sender)
                yield SentEvent(track.name, time, here, event, data, "changed", title)
            states[track] = state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.detach()


class _Track:
    """The observer of one machine. Notes are short, because taking them slows the machine down.

    An event that changes the state and the state it leads to share one note.
    """

    __slots__ = (
        "changed", "clock", "data", "errors", "history", "last", "machine", "name", "notes",
        "offset", "queued", "sender",
    )  # fmt: skip

    def __init__(self, name: str, machine: Fsm[Any], clock: Fsm[Any], history: History) -> None:
        self.name = name
        self.machine = machine
        self.clock = clock
        self.history = history
        self.offset = history.now - clock.time if history._tracks else 0.0
        self.notes = history._notes
        self.errors = history._errors
        self.changed: str | None = None
        """The event that changed the state, until the next state is entered."""
        self.last: str | None = None
        """The last event that changed the state."""
        self.data: object = None
        self.sender: FsmAction[Any] | None = None
        self.queued: deque[tuple[str, FsmAction[Any] | None]] = deque()
        self._note_visit(self.now - machine.time_in_state)

    @property
    def now(self) -> float:
        return self.clock.time + self.offset

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        sender = fsm.acting
        if self.queued and sender is None:
            sender = self._sender_of_queued(event)
        if self.changed is not None:
            self._note_change()  # something happens before the next state is entered
        if outcome == "changed":
            self.changed = self.last = event
            self.data, self.sender = data, sender
            return
        if outcome == "queued":
            self.queued.append((event, sender))
        self.notes.append((self, self.now, fsm.current_state, event, data, outcome, sender))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        if event is None:
            self._begin()
        outcome = ENTERED if self.changed is not None else ENTERED_LATER
        self.changed = None
        time = self.clock.time + self.offset
        self.notes.append((self, time, state, event, self.data, outcome, self.sender))

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.notes.append((self, self.now, state, None, None, SUSPENDED, None))

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        event, self.changed = self.changed, None
        outcome = RESUMED if event is not None else RESUMED_LATER
        if event is None:
            event = self.last
        self.notes.append((self, self.now, state, event, self.data, outcome, self.sender))

    def restored(self, fsm: Fsm[Any], time: float) -> None:
        """End the visit, and begin that in which the machine finds itself; time goes on."""
        if self.clock is fsm:
            for track in self.history._tracks:
                if track.clock is fsm:
                    track.offset += time - fsm.time
        self.changed, self.last, self.data = None, fsm.last_event, fsm.event_data
        self.sender = None
        self.queued.clear()
        self._end()
        self.notes.append((self, self.now, None, None, None, FORGOTTEN, None))
        self._note_visit(self.now)

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        if self.changed is not None:
            self._note_change()
        text = described_error(error)
        self.errors.append(RaisedError(self.name, self.now, _name(fsm.current_state), text))

    def _note_change(self) -> None:
        """Give the event a note of its own, as something else happens before the next state."""
        state, event, self.changed = self.machine.current_state, self.changed, None
        self.notes.append((self, self.now, state, event, self.data, "changed", self.sender))

    def _note_visit(self, begun: float) -> None:
        """Note what the machine is in the middle of: what is suspended, and the current state."""
        machine, state = self.machine, self.machine.current_state
        for suspended in machine.suspended:
            self.state_suspended(machine, suspended)
        if state is not None:
            note = (self, begun, state, machine.last_event, machine.event_data, ENTERED_LATER, None)
            self.notes.append(note)

    def _begin(self) -> None:
        """Adjust the clock to a start: the machine's own time stood still while it was stopped."""
        self.sender = self.data = None
        self._end()
        self.offset = self.history.now - self.clock.time

    def _end(self) -> None:
        self.notes.append((self, self.now, None, None, None, ENDED, None))

    def _sender_of_queued(self, event: str) -> FsmAction[Any] | None:
        """Return the sender of a queued event; skip events that were dropped meanwhile."""
        while self.queued:
            queued, sender = self.queued.popleft()
            if queued == event:
                return sender
        return None


class _InnerTrack(_Track):
    """The observer of a nested machine, whose clock is that of the outermost one."""

    __slots__ = ()

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self._end()

    def _begin(self) -> None:
        self.sender = self.data = None


_Note: TypeAlias = (
    "tuple[_Track, float, FsmState[Any] | None, str | None, object, str, FsmAction[Any] | None]"
)
"""Track, time, state, event, data, outcome, sender."""

ENTERED: Final = "entered"
"""The outcome in a note of a visit and of the event that led there."""

ENTERED_LATER: Final = "entered later"
"""The same without an event, or with an event that has a note of its own."""

RESUMED: Final = "resumed"
"""The outcome in a note of a visit that goes on, and of the event that led there."""

RESUMED_LATER: Final = "resumed later"
"""The same with an event that has a note of its own."""

SUSPENDED: Final = "suspended"
"""The state waits until it goes on."""

ENDED: Final = "ended"
"""The previous visit is over, and no other has begun."""

FORGOTTEN: Final = "forgotten"
"""What was suspended is so no longer: the machine was restored."""

SILENT: Final = (ENDED, SUSPENDED, FORGOTTEN)
"""The outcomes in notes of neither a visit nor an event."""

RESUMPTIONS: Final = (RESUMED, RESUMED_LATER)
BEGINNINGS: Final = (ENTERED, ENTERED_LATER, *RESUMPTIONS)


class _Waiting:
    """The states that are suspended, machine by machine, as the notes go by."""

    def __init__(self) -> None:
        self._names: dict[_Track, tuple[str, ...]] = {}
        self._is_suspending: set[_Track] = set()

    def look_at(self, track: _Track, state: FsmState[Any] | None, outcome: str) -> bool:
        """Have `state` wait, or none any longer; the answer is False, because it is no visit."""
        if outcome is FORGOTTEN:
            self._names.pop(track, None)
            self._is_suspending.discard(track)
        else:
            self._names[track] = (*self._names.get(track, ()), _name(state))
            self._is_suspending.add(track)
        return False

    def below(self, track: _Track, state: FsmState[Any] | None, outcome: str) -> tuple[str, ...]:
        """Return what waits while `state` is visited; any change but a suspension ends it."""
        is_going_on = track in self._is_suspending or outcome in RESUMPTIONS
        self._is_suspending.discard(track)
        names = self._names.get(track, ()) if is_going_on else ()
        self._names[track] = tuple(name for name in names if name != _name(state))
        return self._names[track]


def _name(state: FsmState[Any] | None) -> str:
    return state.name if state is not None else ""
