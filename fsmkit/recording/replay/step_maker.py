"""StepMaker: turns each external call to a machine, from any thread, into a step, in one order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial
from threading import Lock, RLock, get_ident
from typing import Any, Final
from weakref import WeakKeyDictionary, ref

from fsmkit import Fsm, FsmAction, FsmError, FsmGroup, FsmState
from fsmkit.core.words.notes import shown_error
from fsmkit.introspection.nesting import MachineNames, all_inside
from fsmkit.recording.action_paths import path_of
from fsmkit.recording.replay import warn
from fsmkit.recording.replay.digest import MemoryReader
from fsmkit.recording.replay.journal import Journal, whereabouts
from fsmkit.recording.replay.pending_events import POSTS, Cancellable, Post, Scheduled
from fsmkit.recording.replay.steps import KeyFrame, NotedStep, Reported, copied_arguments


class CallOrder:
    """Keeps one order of external calls and of the posts between them.

    A call is in progress from `begin` to `end`; posts that other threads make meanwhile are queued.
    `report` is called with each step, in order, by one thread at a time, and with no lock held: it
    may take long, and call anything.
    """

    def __init__(self, report: Callable[[Reported], None]) -> None:
        self.caller: int | None = None
        """The thread in which a call is in progress."""
        self._report = report
        self._waiting: deque[Callable[[], None]] = deque()
        self._steps: deque[Reported] = deque()
        self._reporting = Lock()
        self._reporter: int | None = None

    def begin(self, thread: int) -> None:
        with TURN.lock:
            self.caller = thread

    def end(self, step: NotedStep | None) -> None:
        """End the call, report it as `step` if given, and release the posts queued behind it."""
        with TURN.lock:
            self.caller = None
            if step is not None:
                self._steps.append(step)
            if self._waiting:
                self.let_go()
        if TURN.owner is None:
            self.report()
        else:
            TURN.call_when_free(self.report)

    def wait(self, act: Callable[[], None]) -> None:
        """Have `act` called once the call in progress is over."""
        self._waiting.append(act)

    def note(self, step: Reported) -> None:
        """Have a step or a key frame reported, after the call in progress if there is one."""
        with TURN:
            if self.caller is None:
                self._steps.append(step)
            else:
                self.wait(partial(self.note, step))
        TURN.call_when_free(self.report)

    def let_go(self) -> None:
        with TURN:
            while self._waiting:
                self._waiting.popleft()()

    def report(self) -> None:
        """Report the steps, unless another thread is doing it."""
        while self._steps and self._reporting.acquire(False):
            self._reporter = get_ident()
            try:
                while self._steps:
                    self._report(self._steps.popleft())
            finally:
                self._reporter = None
                self._reporting.release()

    def finish(self) -> None:
        """Report all steps, and wait for another thread that is doing it."""
        self.report()
        if self._reporter != get_ident():
            with self._reporting:
                pass


class Turn:
    """A lock that is held while a post goes to its machine, and while a call begins or ends.

    There is one for all recordings, as several may watch one machine. It is reentrant, for signal
    handlers for instance. Functions to be called without the lock wait until it is released.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.owner: int | None = None
        """The thread that has entered it."""
        self._depth = 0
        self._at_end: list[Callable[[], None]] = []

    def call_when_free(self, act: Callable[[], None]) -> None:
        """Call `act` as soon as this thread no longer has the lock."""
        if self.owner == get_ident():
            self._at_end.append(act)
        else:
            act()

    def __enter__(self) -> None:
        self.lock.acquire()
        self.owner = get_ident()
        self._depth += 1

    def __exit__(self, *_error: object) -> None:
        self._depth -= 1
        acts: list[Callable[[], None]] = []
        if not self._depth:
            self.owner = None
            acts, self._at_end = self._at_end, acts
        self.lock.release()
        for act in acts:
            act()


TURN: Final = Turn()


class Clocks:
    """The time of a recording: seconds since the first machine began; it never goes back.

    A machine's own time stands still while the machine is stopped, and machines begin at different
    moments. So each outermost one has an offset to add to its time.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.offsets: dict[Fsm[Any], float] = {}
        """Outermost machine -> the seconds to add to its time."""
        self._outermost: dict[Fsm[Any], Fsm[Any]] = {}
        self._departed: WeakKeyDictionary[Fsm[Any], tuple[ref[Fsm[Any]], float]] = (
            WeakKeyDictionary()
        )
        """Machine that was let go -> the outermost one, and the seconds to add to its time."""

    def add(self, machine: Fsm[Any], outermost: Fsm[Any]) -> None:
        self._outermost[machine] = outermost
        if machine is outermost:
            self.offsets[machine] = self.time - machine.time if self.time else 0.0

    def remove(self, machine: Fsm[Any]) -> None:
        del self._outermost[machine]
        self.offsets.pop(machine, None)

    def let_go(self, machines: Sequence[Fsm[Any]]) -> None:
        """Hold an outermost machine and those nested in it only weakly."""
        offset = self.offsets[machines[0]]
        for machine in machines:
            self.remove(machine)
            self._departed[machine] = ref(machines[0]), offset

    def forget(self, machine: Fsm[Any]) -> float:
        """Forget a machine that was let go; return the seconds to add to its time."""
        return self._departed.pop(machine)[1]

    def adjust(self, machine: Fsm[Any]) -> None:
        """Adjust the offset of an outermost machine: its own time begins now."""
        if machine in self.offsets:
            self.offsets[machine] = self.time - machine.time
        elif (entry := self._departed.get(machine)) is not None and entry[0]() is machine:
            self._departed[machine] = entry[0], self.time - machine.time

    def shift(self, machine: Fsm[Any], before: float) -> None:
        """Keep the time of a restored outermost machine, whose own time was `before`."""
        if machine in self.offsets:
            self.offsets[machine] += before - machine.time

    def advance(self, machine: Fsm[Any]) -> float:
        clock = self._outermost.get(machine)
        if clock is not None:
            self.time = max(self.time, clock.time + self.offsets[clock])
        elif (outermost := self._departed[machine][0]()) is not None:
            self.time = max(self.time, outermost.time + self._departed[outermost][1])
        return self.time


class Tie:
    """Holds the recorder to a machine, by which it is held: it ends with the machine."""

    def __init__(self, maker: StepMaker, machine: Fsm[Any], journal: Journal) -> None:
        self._maker = maker
        self._undo = [machine.observe(each) for each in (maker, journal, self)]

    def replaced(self, fsm: Fsm[Any], successor: Fsm[Any]) -> None:
        self._maker.replace(fsm, successor)

    def detach(self) -> None:
        for undo in self._undo:
            undo()


class StepMaker:
    """Watches machines and their nested machines, and reports each external call at its end.

    A call during another call is part of it. A post goes to its machine at once and is reported as
    a step between two calls; one that comes from another thread during a call is held until that is
    over, which fixes its place among the calls. A result is never part of a call, not even of work
    that was done at once: a replay begins no work.

    A machine that has left a group is held no longer, but its calls are recorded as long as others
    hold it. One that a hot reload has replaced hands on its name; that is a step like restoring.

    The `cancel()` of a delayed event is a call too, which names the event by its number among those
    of its machine. Restoring machines from a snapshot is a step with the arguments that `saved`
    returns. `replaced` is called with a machine and its successor.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        report: Callable[[Reported], None],
        *,
        has_results: bool = False,
        saved: Callable[[], dict[str, Any]] = dict,
        replaced: Callable[[Fsm[Any], Fsm[Any]], None] = lambda _old, _new: None,
    ) -> None:
        self.machines: Collection[Fsm[Any]] = (machines,) if isinstance(machines, Fsm) else machines
        self._may_grow = not isinstance(machines, Fsm)
        self.has_results = has_results
        """Whether the results of external work are known, so that none needs to begin."""
        self._saved = saved
        self.settled: Callable[[], None] | None = None
        """Called after each call, by the thread that made it."""
        self._replaced = replaced
        self._machine_names = MachineNames()
        self.names = self._machine_names.names
        """The machines and those nested in them, each with its name in the recording."""
        self._journal = Journal(self.names)
        self._clocks = Clocks()
        self._reader = MemoryReader()
        self._scheduled = Scheduled()
        self._order = CallOrder(report)
        self._thread: int | None = None
        """The thread that made the last call."""
        self._present: list[Fsm[Any]] = []
        """The machines at the last check."""
        self._places: dict[Fsm[Any], int] = {}
        self._last_place = 0
        self._ties: dict[Fsm[Any], Tie] = {}
        self._departed: WeakKeyDictionary[Fsm[Any], ref[Tie]] = WeakKeyDictionary()
        self._is_detached = False
        self._finishing: FsmAction[Any] | None = None
        self._ending: tuple[str, dict[str, Any]] = ("", {})
        """The call by which it was finished, and its arguments."""
        self._restored: Fsm[Any] | None = None
        self._has_reloaded = False
        """Whether they are restored because a hot reload has exchanged machines."""
        self._has_pending_results = False
        self._watch_all()
        self._clocks.time = max((fsm.time for fsm in self.names), default=0.0)

    @property
    def time(self) -> float:
        return self._clocks.time

    @property
    def states(self) -> dict[str, str]:
        return {name: f.current_state.name for f, name in self.names.items() if f.current_state}

    def machine(self, name: str) -> Fsm[Any] | None:
        return next((fsm for fsm, other in self.names.items() if other == name), None)

    def moment(self) -> dict[str, Any]:
        """Return, as JSON, the state from which `go_on_from` lets another StepMaker go on."""
        names = self.names
        return {
            "states": self.states,
            "offsets": {names[fsm]: offset for fsm, offset in self._clocks.offsets.items()},
            "delayed": {names[fsm]: n for fsm in names if (n := self._scheduled.numbers(fsm))},
        }

    def go_on_from(self, frame: KeyFrame) -> None:
        """Go on from the moment of a key frame. Raises LookupError if it is damaged."""
        known = {name: fsm for fsm, name in self.names.items()}
        offsets = frame.moment.get("offsets", {}).items()
        self._clocks.time = frame.time
        self._clocks.offsets.update((known[name], offset) for name, offset in offsets)
        for name, numbers in frame.moment.get("delayed", {}).items():
            self._scheduled.renumber(known[name], numbers)

    def note_frame(self, take: Callable[[], KeyFrame]) -> None:
        """Report a key frame, between two calls. Raises the errors of `take`."""
        with TURN:
            self.settle()
            if self._has_pending_results:
                raise FsmError("the result of external work is pending")
            self._order.note(take())

    def settle(self) -> None:
        """Report calls that ended unnoticed."""
        if self._finishing is not None:
            self.end_finish(only_if_over=True)
        if self._restored is not None:
            self.end_restore()

    def detach(self) -> None:
        """Stop watching; a call in progress is not reported, and posts that it holds are sent."""
        with TURN:
            self.settle()
            self._is_detached = True
            self._order.let_go()
        self._order.finish()
        for tie in (*self._ties.values(), *(each() for each in self._departed.values())):
            if tie is not None:
                tie.detach()
        self._ties = {}
        self._departed.clear()

    # External calls

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        if call in SPECIAL:
            if call == "begin_work":
                return carry_out(**arguments) if not self.has_results else None
            if call == "send_event_after":
                carry_out = partial(self._schedule, fsm, carry_out)
            elif call == "start" and not fsm.is_running:
                self._clocks.adjust(fsm)  # its time stood still while it was stopped
            elif call in POSTS and not self._is_detached:
                return self._post(fsm, call, arguments, carry_out)
        if self._is_detached or self._is_inside():
            return carry_out(**arguments)
        return self._record(fsm, call, arguments, carry_out)

    def _is_inside(self) -> bool:
        if self._finishing is not None or self._restored is not None:
            self.settle()
        return self._order.caller == get_ident()

    def _schedule(
        self, fsm: Fsm[Any], carry_out: Callable[..., Any], **arguments: Any
    ) -> Cancellable:
        delayed = carry_out(**arguments)
        number = self._scheduled.add(fsm, delayed)
        return Cancellable(delayed, partial(self._cancel, delayed, fsm, arguments["event"], number))

    def _cancel(self, delayed: Any, fsm: Fsm[Any], event: str, number: int) -> None:
        if fsm in self.names or fsm in self._departed:
            self.cancel(fsm, event, number)
        else:  # it left
            delayed.cancel()

    def cancel(self, fsm: Fsm[Any], event: str, delayed: int) -> None:
        """Cancel the delayed event of that number. Raises LookupError if it is another one."""
        handle = self._scheduled.find(fsm, event, delayed)

        def carry_out(**_: Any) -> None:
            if handle is not None:
                handle.cancel()

        self.intercept(fsm, "cancel", {"event": event, "delayed": delayed}, carry_out)

    def _record(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        if self._may_grow:
            self._watch_joining(fsm, call)
        recorded = copied_arguments(arguments)
        self._journal.data = arguments.get("data")
        self._thread = get_ident()
        self._order.begin(self._thread)
        raised = ""
        try:
            return carry_out(**arguments)
        except BaseException as error:
            raised = shown_error(error)
            raise
        finally:
            self._order.end(None if self._is_detached else self._noted(fsm, call, recorded, raised))
            if self._may_grow and len(self.machines) != len(self._present):
                self._watch_all()  # the next call may be to one that joined
            if self.settled is not None and not self._is_detached:
                self.settled()

    def _noted(self, fsm: Fsm[Any], call: str, recorded: dict[str, Any], raised: str) -> NotedStep:
        if call == "update":
            self._has_pending_results = False
        elif isinstance(state := recorded.get("state"), FsmState):
            recorded["state"] = state.name
        time = self._clocks.advance(fsm)
        journal = self._journal
        memory = self._reader.read(fsm, journal.visited)
        if fsm in self._departed:
            self._reader.forget(present=self.names)
        entries = journal.take() if journal.entries else ()
        return (self.names[fsm], call, recorded, time, entries, raised, memory)

    # The machines

    def _watch_joining(self, fsm: Fsm[Any], call: str) -> None:
        """Watch machines that joined; while a group updates them one after another, only once."""
        place = self._places.get(fsm, 0)
        if call != "update" or place <= self._last_place:
            self._watch_all()
        self._last_place = place

    def _watch_all(self) -> None:
        present = list(self.machines)
        if present == self._present or self._is_detached:
            return
        self._present = present
        self._places = {fsm: place for place, fsm in enumerate(present)}
        for machine in [fsm for fsm in self._departed if fsm in self._places]:
            self._take_back(machine)
        for _, machine, outermost in self._machine_names.add(present):
            self._watch(machine, outermost)
        if not self.has_results:  # a replay keeps them: a step of theirs may come
            self._let_departed_go()

    def _watch(self, machine: Fsm[Any], outermost: Fsm[Any]) -> None:
        self._clocks.add(machine, outermost)
        self._ties[machine] = Tie(self, machine, self._journal)

    def _let_departed_go(self) -> None:
        departed = [fsm for fsm in self._clocks.offsets if fsm not in self._places]
        for outermost in departed:
            gone = self._machine_names.let_go(outermost)
            self._clocks.let_go(gone)
            for fsm in gone:
                self._departed[fsm] = ref(self._ties.pop(fsm))
        if departed:
            self._reader.forget(present=self.names)

    def _take_back(self, machine: Fsm[Any]) -> None:
        """Watch a machine that has come back as before."""
        offset = self._clocks.forget(machine)
        for fsm in (machine, *all_inside(machine)):
            if (tie := self._departed.pop(fsm, None)) is not None and (known := tie()) is not None:
                known.detach()
                self._machine_names.forget(fsm)
        for _, fsm, outermost in self._machine_names.add([machine]):
            self._watch(fsm, outermost)
        self._clocks.offsets[machine] = offset

    def replace(self, machine: Fsm[Any], successor: Fsm[Any]) -> None:
        """Go on with the machine that a hot reload has put in the place of another one."""
        with TURN:
            if self._is_detached or machine not in self._clocks.offsets:
                return
            self.end_finish(only_if_over=True)
            self._has_reloaded = True
            if isinstance(self.machines, tuple):
                self.machines = (successor,)
            offset = self._clocks.offsets[machine] + machine.time - successor.time
            for fsm in (machine, *all_inside(machine)):
                if (tie := self._ties.pop(fsm, None)) is not None:
                    tie.detach()
                    self._clocks.remove(fsm)
                    self._scheduled.remove(fsm)
            for _, fsm, outermost in self._machine_names.replace(machine, successor):
                self._watch(fsm, outermost)
            self._clocks.offsets[successor] = offset
            self._present = []
            self._reader.forget(present=self.names)
            self._restored = self._restored or successor
            self._replaced(machine, successor)

    def drop_departed(self) -> None:
        """Drop machines that left, between two calls; their names are free again.

        A recording does it at each key frame, and its replay at the same places.
        """
        with TURN:
            if self._order.caller is not None or self._is_detached:
                return
            self._watch_all()
            present = set(self._present)
            for departed in [fsm for fsm in self._clocks.offsets if fsm not in present]:
                for fsm in self._machine_names.remove(departed):
                    self._ties.pop(fsm).detach()
                    self._clocks.remove(fsm)
                    self._scheduled.remove(fsm)
            for fsm, tie in [*self._departed.items()]:
                if (known := tie()) is not None:
                    known.detach()
                self._clocks.forget(fsm)
                self._scheduled.remove(fsm)
            self._departed.clear()
            self._machine_names.forget_departed()
            self._reader.forget(present=self.names)

    # Posts

    def _post(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Post now, or after the call that another thread is in the middle of; never block."""
        with TURN:
            is_inside = self._is_inside()
            if is_inside and call == "post_event":
                return carry_out(**arguments)
            post = Post(fsm, call, copied_arguments(arguments), partial(carry_out, **arguments))
            if self._order.caller is None or self._finishing is not None or not post.is_valid:
                self._send(post)  # also during a finish(), which takes no posts
            else:
                self._order.wait(partial(self._send_late, post))
        is_over = self._order.caller is None and self._thread == get_ident()
        if is_over and self.settled is not None:
            self.settled()
        return None

    def _send(self, post: Post) -> None:
        raised = ""
        try:
            post.send()
        except BaseException as error:
            raised = shown_error(error)
            raise
        finally:
            name, time = self.names[post.fsm], self._clocks.advance(post.fsm)
            step = post.step(name, time, raised)
            if step is not None and not self._is_detached:
                self._order.note(step)
                self._has_pending_results |= post.call == "post_result"

    def _send_late(self, post: Post) -> None:
        try:
            self._send(post)
        except Exception as error:  # of another tool; the caller of the post has long returned
            warn(f"{post.fsm!r}: a post made during a call was lost: {shown_error(error)}")

    # The finish() or fail() of an action, whose end no observer is notified of

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Begin a step if the action was finished, or failed, by an external call."""
        if action.fsm.acting is None:  # then an earlier finish() is over
            self.end_finish()
        if not self._is_inside():
            self._finishing, self._ending = action, ending_of(action)
            self._journal.data = self._ending[1].get("data")
            self._clocks.advance(action.fsm)  # now: a restore may come before its end is known
            self._order.begin(get_ident())

    def end_finish(self, *, only_if_over: bool = False) -> None:
        with TURN:
            action = self._finishing
            if action is None or (only_if_over and _is_in_a_call(action.fsm)):
                return
            self._finishing = None
            name, time = self.names[action.fsm], self._clocks.time
            journal = self._journal.take()
            is_raised = bool(journal) and journal[-1][0] == "error"  # nothing follows it
            raised = journal[-1][-1] if is_raised else ""
            self._order.end((name, *self._ending, time, journal, raised, None))

    # Restored machines: observers are notified of each by itself

    def restored(self, fsm: Fsm[Any], time: float) -> None:
        """Begin a step, unless it is part of a call."""
        with TURN:
            self.end_finish(only_if_over=True)
            self._clocks.shift(fsm, time)
            if self._order.caller != get_ident():
                self._restored = self._restored or fsm

    def end_restore(self) -> None:
        with TURN:
            fsm, self._restored = self._restored, None
            if fsm is not None:
                name, time = self.names[fsm], self._clocks.advance(fsm)
                journal, arguments = whereabouts(self.names), self._saved()
                if self._has_reloaded:
                    arguments, self._has_reloaded = {**arguments, "reloaded": True}, False
                self._order.note((name, "restore", arguments, time, journal, "", None))


SPECIAL: Final = frozenset({"start", "send_event_after", "begin_work", *POSTS})
"""The calls that take more than being recorded."""


def ending_of(action: FsmAction[Any]) -> tuple[str, dict[str, Any]]:
    """Return the call that has just ended an action, with its arguments as they are recorded."""
    place = {"action": path_of(action)}
    if not action.failed:
        return "finish", place
    return "fail", copied_arguments({**place, "data": action._reason_})


def _is_in_a_call(fsm: Fsm[Any]) -> bool:
    return fsm.phase is not None or (fsm.host is not None and _is_in_a_call(fsm.host.fsm))
