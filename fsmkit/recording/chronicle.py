"""Chronicle: the one record of machines over time, as data, and History, which makes it live.

A `History` makes a chronicle of live machines and a `Recording` of its steps, both from the
`MachineCourse` of each machine; timelines, traces and usages are made from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from sys import maxsize
from typing import Any, Self
from weakref import WeakMethod, WeakSet

from attrs import define, field, frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.core.checks import arguments
from fsmkit.introspection import walk
from fsmkit.introspection.described_error import described_error
from fsmkit.introspection.nesting import Found, MachineNames, all_inside, members
from fsmkit.recording.action_paths import action_place, sender_title
from fsmkit.svg.notebook import notebook_picture


@frozen
class StateVisit:
    """A stay in a state. Times are in seconds.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off")
    >>> history = History(fsm)
    >>> fsm.start()
    >>> fsm.update(2.0)
    >>> fsm.stop()
    >>> [(visit.state, visit.start, visit.end) for visit in history.visits]
    [('Off', 0.0, 2.0)]
    """

    machine: str
    state: str
    start: float
    end: float | None
    """None while it lasts."""
    event: str | None
    """The event that led there; None after a start or where it is unknown."""
    sender: str = ""
    """The action that sent the event, as `Patrol.actions[0] (SendEventWhen)`; empty for an
    external call."""
    suspended: Sequence[str] = ()
    """The states that were suspended meanwhile, the most recent last."""
    resumed: bool = False
    """True if it resumes an earlier visit, which was suspended."""


@frozen
class SentEvent:
    """An event and its outcome. The time is in seconds.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> fsm = Fsm("Lamp", on_unhandled="ignore")
    >>> _ = fsm.add_state("Off")
    >>> history = History(fsm)
    >>> fsm.start()
    >>> _ = fsm.send_event("PRESS")
    >>> [(event.event, event.outcome, event.time) for event in history.events]
    [('PRESS', 'ignored', 0.0)]
    """

    machine: str
    time: float
    state: str
    """The state it was sent in; empty if the machine was not running."""
    event: str
    data: object
    outcome: str
    """`"changed"`, `"queued"`, `"consumed"`, `"refused"`, `"ignored"` or `"unhandled"`."""
    sender: str = ""
    sent_by: str = ""
    """The machine that the sender belongs to, if it is another one, in a history of actions."""


@frozen
class RaisedError:
    r"""An exception that a callback raised. The time is in seconds.

    >>> from fsmkit import Fsm, FsmAction
    >>> from fsmkit.recording import History
    >>> class Fail(FsmAction):
    ...     def on_enter(self):
    ...         raise ValueError("no oil")
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("On").add_action(Fail())
    >>> history = History(fsm)
    >>> try:
    ...     fsm.start()
    ... except ValueError:
    ...     print([str(each.error).partition("\n")[0] for each in history.errors])
    ['ValueError: no oil']
    """

    machine: str
    time: float
    state: str
    error: str
    """Its type and message, and the notes that say where it was raised."""


@frozen
class ActionRun:
    """What an action did in a visit to its state, from entering it. Times are in seconds.

    >>> from fsmkit import Fsm, FsmAction
    >>> from fsmkit.recording import History
    >>> class Wait(FsmAction):
    ...     def on_update(self):
    ...         self.finish()
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("On").add_action(Wait())
    >>> history = History(fsm, actions=True)
    >>> fsm.start()
    >>> fsm.update(0.5)
    >>> [(run.title, run.start, run.end, run.how) for run in history.chronicle().action_runs]
    [('actions[0] (Wait)', 0.0, 0.5, 'finished')]
    """

    machine: str
    state: str
    title: str
    start: float
    end: float | None
    """When it finished, failed or was exited; None while it lasts."""
    how: str
    """How it ended: `"finished"`, `"failed"` or `"exited"`; empty while it lasts."""


@frozen
class Chronicle:
    """The visits, events and errors of some machines from `start` to `end`, in seconds.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> history = History(fsm)
    >>> fsm.start()
    >>> fsm.update(2.0)
    >>> fsm.send_event("PRESS")
    True
    >>> chronicle = history.chronicle()
    >>> [visit.state for visit in chronicle.visits], chronicle.end
    (['Off', 'On'], 2.0)
    >>> chronicle.visit_at("Lamp", 1.5).state
    'Off'
    """

    machines: Sequence[str]
    """Their names; that of a nested machine begins with the outer machine's name and a slash."""
    visits: Sequence[StateVisit]
    """In the order in which they began."""
    events: Sequence[SentEvent]
    """In the order in which they were sent."""
    errors: Sequence[RaisedError]
    """In the order in which they were raised."""
    start: float
    end: float
    action_runs: Sequence[ActionRun] = ()
    """In the order in which they were entered; of a `History` that keeps them."""

    _repr_mimebundle_ = notebook_picture("fsmkit.recording.timeline.svg_timeline:bundle")

    def visit_at(self, machine: str, time: float) -> StateVisit | None:
        """Return the visit of `machine` at `time`, in seconds; None while it was not running.

        Of several that began at that very moment it is the last.
        """
        for visit in reversed(self.visits):
            if visit.machine == machine and visit.start <= time:
                return visit if visit.end is None or time < visit.end else None
        return None

    def outer(self, machine: str) -> str:
        """Return the name of the machine around `machine`; empty if that is an outermost one."""
        outer = machine.rpartition("/")[0]  # names may contain slashes themselves
        while outer and outer not in self.machines:
            outer = outer.rpartition("/")[0]
        return outer


def checked_chronicle(chronicle: object) -> Chronicle:
    """Return `chronicle`; raise TypeError unless it is one."""
    if isinstance(chronicle, Chronicle):
        return chronicle
    advice = "Pass what its chronicle() returns."
    if not hasattr(chronicle, "chronicle"):
        advice = "Attach a History to a machine, and pass what its chronicle() returns."
    raise TypeError(f"chronicle must be a Chronicle, got {chronicle!r}. {advice}")


@define(eq=False, repr=False)
class MachineCourse:
    """Notes what happens to one machine, in order. Times are in seconds.

    A sender is an action, or the text for one; it is put into words when a chronicle is made.
    """

    machine: str
    _builder: ChronicleBuilder
    visit: list[Any] | None = field(default=None, init=False)
    """The fields of the current visit."""
    suspended: tuple[str, ...] = field(default=(), init=False)
    suspending: bool = field(default=False, init=False)
    """True while a state was suspended and the next one is not yet entered."""
    last: tuple[str | None, object] = field(default=(None, None), init=False)
    """The last event that changed the state, and its sender."""
    queued: deque[tuple[str, object]] = field(factory=deque, init=False)
    _visits: deque[list[Any]] = field(init=False)
    _events: deque[tuple[Any, ...]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._visits, self._events = self._builder.visits, self._builder.events

    @property
    def state(self) -> str:
        """The current state; empty while the machine is not running."""
        return self.visit[1] if self.visit is not None else ""

    def sent(
        self,
        time: float,
        state: str,
        event: str,
        data: object,
        outcome: str,
        *,
        sender: object,
        sent_by: str = "",
    ) -> None:
        if self.queued and sender is None:
            sender = self._sender_of_queued(event)
        if outcome == "changed":  # others may be sent before the next state is entered
            self.last = event, sender
        elif outcome == "queued":
            self.queued.append((event, sender))
        self._events.append((self.machine, time, state, event, data, outcome, sender, sent_by))

    def entered(
        self, time: float, state: str, event: str | None = None, *, resumed: bool = False
    ) -> None:
        """Begin a visit, and end the one before.

        Suspended states stay suspended only if the state before was too, or this one is resumed.
        """
        if self.visit is not None:
            self.visit[3] = time
        sender = self.last[1] if event is not None else None
        if self.suspended:
            names = self.suspended if resumed or self.suspending else ()
            self.suspended = tuple(name for name in names if name != state)
        self.suspending = False
        visit = [self.machine, state, time, None, event, sender, self.suspended, resumed]
        self.visit = visit
        self._visits.append(visit)

    def resume(self, time: float, state: str) -> None:
        self.entered(time, state, self.last[0], resumed=True)

    def suspend(self, time: float, state: str) -> None:
        self.exited(time, self.state)
        self.suspended = (*self.suspended, state)
        self.suspending = True

    def exited(self, time: float, state: str) -> None:
        """End the visit to `state`, unless it is another one that is exited, after suspension."""
        if self.visit is not None and self.visit[1] == state:
            self.visit[3] = time
            self.visit = None

    def put_elsewhere(self, time: float, event: str | None = None) -> None:
        """End the visit and drop suspended states: a snapshot taken after `event` was restored."""
        self.exited(time, self.state)
        self.suspended, self.suspending = (), False
        self.last = event, None
        self.queued.clear()

    def _sender_of_queued(self, event: str) -> object:
        """Return the sender of a queued event; skip events that have since been dropped."""
        while self.queued:
            queued, sender = self.queued.popleft()
            if queued == event:
                return sender
        return None


class ChronicleBuilder:
    """Makes a chronicle of the courses of machines: of the last `limit` visits, events, errors."""

    def __init__(self, limit: int | None = None) -> None:
        self.visits: deque[list[Any]] = deque(maxlen=limit)
        self.events: deque[tuple[Any, ...]] = deque(maxlen=limit)
        self.errors: deque[RaisedError] = deque(maxlen=limit)
        self.action_runs: deque[list[Any]] = deque(maxlen=limit)

    def chronicle(self, machines: Iterable[str], start: float, end: float) -> Chronicle:
        visits = self.all_visits()
        names = dict.fromkeys([*machines, *(visit.machine for visit in visits)])
        return Chronicle(
            tuple(names), visits, self.all_events(), [*self.errors], start, end,
            [ActionRun(*fields) for fields in self.action_runs],
        )  # fmt: skip

    def all_visits(self) -> list[StateVisit]:
        return [StateVisit(*_worded(fields, 5)) for fields in self.visits]

    def all_events(self) -> list[SentEvent]:
        return [SentEvent(*_worded(fields, 6)) for fields in self.events]


def _worded(fields: Sequence[Any], place: int) -> list[Any]:
    return [*fields[:place], _title(fields[place]), *fields[place + 1 :]]


def _title(sender: Any) -> str:
    return sender if isinstance(sender, str) else sender_title(sender)


class History:
    """Keeps what happens to a machine and its nested machines, or to those of a group.

    It keeps the last `limit` visits to states, as many events and as many errors. With a history
    attached, an event that changes the state takes one to two microseconds more. With `actions` it
    also keeps what their actions do, for a trace, and which machine sends an event to another one;
    that takes some ten microseconds for each action that is entered.

    Times are those of the outermost machine; for a group, seconds since the first of its machines
    began. To include machines that join the group later, call `watch_all`. One that leaves it is
    held no longer; what it has done stays. After a hot reload the history goes on with the machine
    that has taken the place of another.

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

    def __init__(
        self, machines: Fsm[Any] | FsmGroup, limit: int = 10_000, *, actions: bool = False
    ) -> None:
        self.machines = machines
        self.actions = arguments.flag(actions, "History: actions")
        self.limit = arguments.integer(limit, "History: limit", least=1)
        self._builder = ChronicleBuilder(min(self.limit, maxsize))
        self._machine_names = MachineNames()
        self._observers: WeakSet[_HistoryObserver] = WeakSet()
        """Held by the machines: they end with these."""
        self._latest: float | None = None
        self._stop_asking: Callable[[], None] | None = None
        if isinstance(machines, FsmGroup):
            leave: WeakMethod[Callable[[Fsm[Any]], None]] = WeakMethod(self._let_go)
            self._stop_asking = machines.when_one_leaves(lambda machine: _call(leave, machine))
        self.watch_all()

    _repr_mimebundle_ = notebook_picture("fsmkit.recording.timeline.svg_timeline:bundle")

    def watch_all(self) -> None:
        """Also watch the machines that have joined since the last call."""
        self._watch([*self._machine_names.add(members(self.machines))])

    def detach(self) -> None:
        """Stop watching; the history stays."""
        for observer in [*self._observers]:
            observer.detach()
        if self._stop_asking is not None:
            self._stop_asking()

    @property
    def now(self) -> float:
        """The current time of the history, in seconds."""
        latest = self._latest or 0.0
        return max((observer.now for observer in self._observers), default=latest)

    @property
    def visits(self) -> list[StateVisit]:
        """The visits to states, in the order in which they began."""
        return self._builder.all_visits()

    @property
    def events(self) -> list[SentEvent]:
        """The events, in order."""
        return self._builder.all_events()

    @property
    def errors(self) -> list[RaisedError]:
        """The errors, in order."""
        return list(self._builder.errors)

    def chronicle(self) -> Chronicle:
        """Return all of it, for a timeline."""
        visits, events, errors = self._builder.visits, self._builder.events, self._builder.errors
        starts = [
            *(start for _, _, start, *_ in visits),
            *(time for _, time, *_ in islice(events, 1)),
            *(error.time for error in islice(errors, 1)),
        ]
        now, names = self.now, self._machine_names.names.departed.values()
        return self._builder.chronicle(names, min(starts, default=now), now)

    def replace(self, machine: Fsm[Any], successor: Fsm[Any]) -> None:
        """Go on with the machine that a hot reload has put in the place of another one."""
        if self.machines is machine:
            self.machines = successor
        gone = [each for each in self._observers if each.clock is machine]
        self._keep_time()
        for observer in gone:
            observer.put_elsewhere(observer.now)
            observer.detach()
        for inner in all_inside(machine):
            if inner in self._machine_names.names.departed:
                self._machine_names.forget(inner)
        self._machine_names.take(machine)
        self._watch([*self._machine_names.replace(machine, successor)])

    def _watch(self, found: Sequence[Found]) -> None:
        for name, machine, outermost in found:
            kind = _ActionsObserver if self.actions else _HistoryObserver
            self._observers.add(kind(name, machine, outermost, self))
        for _, machine, outermost in found:
            if machine is outermost:
                self._machine_names.let_go(machine)

    def _let_go(self, machine: Fsm[Any]) -> None:
        """Put into words what holds a machine that has left the group."""
        self._keep_time()
        for observer in self._observers:
            if observer.clock is machine:
                observer.put_into_words()

    def _caller_of(self, fsm: Fsm[Any]) -> tuple[str, FsmAction[Any] | None]:
        """Return the machine in a callback of which `fsm` is called, and the action, if known."""
        names = self._machine_names.names
        acting = {
            machine: name
            for machine, name in (*names.items(), *names.departed.items())
            if machine.acting is not None
        }
        for machine in (fsm, *acting):  # a host only hands on what is inside it
            host = machine.host
            while host is not None:
                acting = {each: name for each, name in acting.items() if each is not host.fsm}
                host = host.fsm.host
        callers = [(name, machine.acting) for machine, name in acting.items() if machine is not fsm]
        return callers[0] if len(callers) == 1 else ("", None)

    def _keep_time(self) -> None:
        self._latest = max(self._latest or 0.0, self.now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.detach()


def _call(method: WeakMethod[Callable[[Fsm[Any]], None]], machine: Fsm[Any]) -> None:
    if (known := method()) is not None:
        known(machine)


class _HistoryObserver(MachineCourse):
    """The observer of one machine. It does little, because it slows the machine down."""

    __slots__ = ("begun", "clock", "detach", "history", "offset")

    def __init__(self, name: str, machine: Fsm[Any], clock: Fsm[Any], history: History) -> None:
        super().__init__(name, history._builder)
        self.clock = clock
        self.history = history
        has_begun = history._observers or history._latest is not None
        self.offset = history.now - clock.time if has_begun else 0.0
        self.begun = self.now - machine.time_in_state
        self._enter_current(machine, self.begun)
        self.detach = machine.observe(self)

    @property
    def now(self) -> float:
        return self.clock.time + self.offset

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        time, visit, sender = self.clock.time + self.offset, self.visit, fsm.acting
        if visit is None or self.queued or outcome == "queued":
            state = fsm.current_state
            name = state.name if state is not None else ""
            self.sent(time, name, event, data, outcome, sender=sender)
            return
        if outcome == "changed":  # as `sent`, with a call less
            self.last = event, sender
        self._events.append((self.machine, time, visit[1], event, data, outcome, sender))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        time = self.clock.time + self.offset
        if event is None or self.visit is not None or self.suspended or self.suspending:
            if event is None and self.clock is fsm:  # its time stood still while it was stopped
                self.offset = self.history.now - fsm.time
                time = self.now
            self.entered(time, state.name, event)
            return
        visit = [self.machine, state.name, time, None, event, self.last[1], (), False]
        self.visit = visit  # as `entered`, with a call less
        self._visits.append(visit)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        visit = self.visit
        if visit is not None and visit[1] == state.name:  # as `exited`, with a call less
            visit[3] = self.clock.time + self.offset
            self.visit = None

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.suspend(self.now, state.name)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.resume(self.now, state.name)

    def restored(self, fsm: Fsm[Any], time: float) -> None:
        """End the visit and begin the one that was restored; time goes on."""
        if self.clock is fsm:
            for observer in self.history._observers:
                if observer.clock is fsm:
                    observer.offset += time - fsm.time
        self.put_elsewhere(self.now, fsm.last_event)
        self._enter_current(fsm, self.now)

    def replaced(self, fsm: Fsm[Any], successor: Fsm[Any]) -> None:
        if self.clock is fsm:
            self.history.replace(fsm, successor)

    def put_into_words(self) -> None:
        """Replace the senders of what this machine did by their titles."""
        builder: Any = self._builder
        for notes, place, time in ((builder.visits, 5, 2), (builder.events, 6, 1)):
            for index in range(len(notes) - 1, -1, -1):
                note = notes[index]
                if note[time] < self.begun:
                    break
                if note[0] != self.machine or isinstance(note[place], str):
                    continue
                if isinstance(note, list):  # the visit may go on
                    note[place] = sender_title(note[place])
                else:
                    notes[index] = tuple(_worded(note, place))
        self.last = self.last[0], _title(self.last[1])
        self.queued = deque((event, _title(sender)) for event, sender in self.queued)

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        state = fsm.current_state.name if fsm.current_state is not None else ""
        raised = RaisedError(self.machine, self.now, state, described_error(error))
        self._builder.errors.append(raised)

    def _enter_current(self, machine: Fsm[Any], begun: float) -> None:
        """Begin the visits in progress: to suspended states, and to the current one."""
        for suspended in machine.suspended:
            self.suspend(self.now, suspended.name)
        if machine.current_state is not None:
            self.entered(begun, machine.current_state.name, machine.last_event)


class _ActionsObserver(_HistoryObserver):
    """Keeps the actions of one machine as well, and which machine sends it an event."""

    __slots__ = ("_runs",)

    def __init__(self, name: str, machine: Fsm[Any], clock: Fsm[Any], history: History) -> None:
        self._runs: dict[int, tuple[FsmAction[Any], list[Any]]] = {}
        """The fields of the runs in this visit, by the id of the action."""
        super().__init__(name, machine, clock, history)

    def action_entered(self, action: FsmAction[Any]) -> None:
        self._run_of(action)

    def action_finished(self, action: FsmAction[Any]) -> None:
        self._end(self._run_of(action), "failed" if action.failed else "finished")

    def action_exited(self, action: FsmAction[Any]) -> None:
        if id(action) in self._runs:
            self._end(self._runs.pop(id(action))[1], "exited")

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        super().state_exited(fsm, state)
        for action, run in [*self._runs.values()]:  # of those whose on_enter has failed
            if action.state is state:
                self._end(run, "exited")
                del self._runs[id(action)]

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        sender: object = fsm.acting
        sent_by, action = self.history._caller_of(fsm) if sender is None else ("", None)
        if action is not None:
            sender = f"{sent_by}: {sender_title(action)}"
        state = fsm.current_state.name if fsm.current_state is not None else ""
        self.sent(self.now, state, event, data, outcome, sender=sender, sent_by=sent_by)

    def put_elsewhere(self, time: float, event: str | None = None) -> None:
        super().put_elsewhere(time, event)
        for _, run in self._runs.values():
            self._end(run, "exited")
        self._runs.clear()

    def _enter_current(self, machine: Fsm[Any], begun: float) -> None:
        super()._enter_current(machine, begun)
        for state in filter(None, (*machine.suspended, machine.current_state)):
            for action in walk.own_actions(state):
                if action.enabled and not action.finished:
                    self._begin_inside(action)

    def _begin_inside(self, action: FsmAction[Any]) -> None:
        """Begin the run of an action that was entered before, and of its children."""
        self._run_of(action)
        for child in action.nested.entered if action.children else ():
            self._begin_inside(child)

    def _run_of(self, action: FsmAction[Any]) -> list[Any]:
        """Return the run that was begun, perhaps right now: it may finish in its `on_enter`."""
        known = self._runs.get(id(action))
        if known is not None:
            return known[1]
        title = action_place(action)
        run = [self.machine, action.state.name, title, self.now, None, ""]
        self._builder.action_runs.append(run)
        self._runs[id(action)] = action, run
        return run

    def _end(self, run: list[Any], how: str) -> None:
        if run[4] is None:
            run[4:] = self.now, how
