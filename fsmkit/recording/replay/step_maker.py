"""StepMaker: turns each call from outside into a step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from threading import get_ident
from typing import Any

from fsmkit import Fsm, FsmAction, FsmError, FsmGroup, FsmState
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.action_paths import path_of
from fsmkit.recording.replay.arguments import copied_arguments
from fsmkit.recording.replay.clocks import Clocks
from fsmkit.recording.replay.digest import MemoryReader
from fsmkit.recording.replay.frames import KeyFrame
from fsmkit.recording.replay.journal import Journal, whereabouts
from fsmkit.recording.replay.order import TURN, CallOrder
from fsmkit.recording.replay.posts import POSTS, Post
from fsmkit.recording.replay.scheduled import Cancellable, Scheduled
from fsmkit.recording.replay.steps import Step
from fsmkit.recording.replay.warnings import warn
from fsmkit.tooling.nesting import MachineNames


class StepMaker:
    """Watches machines and their nested machines, and reports each call from outside at its end.

    A call during another call is part of it. A post goes to its machine at once and is reported as
    a step between two calls; one that comes from another thread during a call is held until this is
    over, which fixes its place among the calls. A result is never part of a call, not even of work
    that was done at once: a replay begins no work.

    The `cancel()` of a delayed event is a call too, which names the event by its number among those
    of its machine. That machines were restored from a snapshot is a step with what `saved` returns.
    `settled` is called after each call, by the thread that made it.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        report: Callable[[Step | KeyFrame], None],
        *,
        has_results: bool = False,
        saved: Callable[[], dict[str, Any]] = dict,
        settled: Callable[[], None] = lambda: None,
    ) -> None:
        self.machines: Collection[Fsm[Any]] = (machines,) if isinstance(machines, Fsm) else machines
        self.has_results = has_results
        """Whether the results of work elsewhere are known, so that none need be begun."""
        self._saved = saved
        self._settled = settled
        self._machine_names = MachineNames()
        self._journal = Journal(self._machine_names)
        self._clocks = Clocks()
        self._reader = MemoryReader()
        self._scheduled = Scheduled()
        self._order = CallOrder(report)
        self._thread: int | None = None
        """The thread that made the last call."""
        self._present: list[Fsm[Any]] = []
        """The machines as of the last look."""
        self._places: dict[Fsm[Any], int] = {}
        self._last_place = 0
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}
        self._is_detached = False
        self._finishing: FsmAction[Any] | None = None
        self._restored: Fsm[Any] | None = None
        self._has_results_on_their_way = False
        self._watch_all()
        self._clocks.time = max((fsm.time for fsm in self._machine_names.names), default=0.0)

    @property
    def time(self) -> float:
        """Seconds since the first machine began."""
        return self._clocks.time

    def names_and_states(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the names of the machines, and machine -> state of those that are running."""
        named = self._machine_names.names.items()
        states = {name: fsm.current_state.name for fsm, name in named if fsm.current_state}
        return tuple(self._machine_names.names.values()), states

    @property
    def everybody(self) -> Collection[Fsm[Any]]:
        """The machines, and those nested in them."""
        return self._machine_names.names.keys()

    def machine(self, name: str) -> Fsm[Any] | None:
        """Return the machine that is called `name` here, or None."""
        return next(
            (fsm for fsm, other in self._machine_names.names.items() if other == name), None
        )

    def moment(self) -> dict[str, Any]:
        """Return, as JSON, what a StepMaker has to know to go on from now with `go_on_from`."""
        names = self._machine_names.names
        return {
            "states": self.names_and_states()[1],
            "offsets": {names[fsm]: offset for fsm, offset in self._clocks.offsets.items()},
            "delayed": {names[fsm]: n for fsm in names if (n := self._scheduled.numbers(fsm))},
        }

    def go_on_from(self, frame: KeyFrame) -> None:
        """Be where the one was that this frame is of. Raises LookupError if it is damaged."""
        known = {name: fsm for fsm, name in self._machine_names.names.items()}
        offsets = frame.moment.get("offsets", {}).items()
        self._clocks.go_to(frame.time, {known[name]: offset for name, offset in offsets})
        for name, numbers in frame.moment.get("delayed", {}).items():
            self._scheduled.renumber(known[name], numbers)

    def note_frame(self, take: Callable[[], KeyFrame]) -> None:
        """Report a key frame, between two calls. Raises what `take` raises."""
        with TURN:
            self.settle()
            if self._has_results_on_their_way:
                raise FsmError("the result of work that was done elsewhere is on its way")
            self._order.note(take())

    def settle(self) -> None:
        """Report what is over without anybody being told."""
        if self._finishing is not None:
            self.end_finish(only_if_over=True)
        if self._restored is not None:
            self.end_restore()

    def detach(self) -> None:
        """Stop watching. A call in progress is not reported; what it holds goes to the machines."""
        with TURN:
            self.settle()
            self._is_detached = True
            self._order.let_go()
        self._order.finish()
        for undo in self._undo.values():
            undo()
        self._undo = {}

    # Calls from outside

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Record a call from outside."""
        if call == "start" and not fsm.is_running:
            self._clocks.adjust(fsm)  # its time stood still while it was stopped
        elif call == "send_event_after":
            carry_out = partial(self._schedule, fsm, carry_out)
        elif call == "begin_work":
            return carry_out(**arguments) if not self.has_results else None
        if self._is_detached:
            return carry_out(**arguments)
        if call in POSTS:
            return self._post(fsm, call, arguments, carry_out)
        if self._is_inside():
            return carry_out(**arguments)
        return self._record(fsm, call, arguments, carry_out)

    def _is_inside(self) -> bool:
        """Return True if a call from outside is in progress that this one is part of."""
        self.settle()
        return self._order.caller == get_ident()

    def _schedule(
        self, fsm: Fsm[Any], carry_out: Callable[..., Any], **arguments: Any
    ) -> Cancellable:
        delayed = carry_out(**arguments)
        number = self._scheduled.add(fsm, delayed)
        return Cancellable(delayed, partial(self._cancel, delayed, fsm, arguments["event"], number))

    def _cancel(self, delayed: Any, fsm: Fsm[Any], event: str, number: int) -> None:
        if fsm in self._machine_names.names:
            self.cancel(fsm, event, number)
        else:  # it has left
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
            self._end(fsm, call, recorded, raised)

    def _end(self, fsm: Fsm[Any], call: str, recorded: dict[str, Any], raised: str) -> None:
        """The call is over."""
        step = None
        if not self._is_detached:
            if isinstance(state := recorded.get("state"), FsmState):
                recorded["state"] = state.name
            name, time = self._machine_names.names[fsm], self._clocks.advance(fsm)
            memory = self._reader.read(fsm, self._journal.visited)
            step = Step(name, call, recorded, time, self._journal.take(), raised, memory)
            if call == "update":
                self._has_results_on_their_way = False
        self._order.end(step)
        if len(self.machines) != len(self._present):  # the next call may be to one that has joined
            self._watch_all()
        if not self._is_detached:
            self._settled()

    # The machines

    def _watch_joining(self, fsm: Fsm[Any], call: str) -> None:
        """Watch machines that have joined; while a group updates one after another, only once."""
        place = self._places.get(fsm, 0)
        if call != "update" or place <= self._last_place:
            self._watch_all()
        self._last_place = place

    def _watch_all(self) -> None:
        """Also watch the machines that have joined since the last time."""
        present = list(self.machines)
        if present == self._present or self._is_detached:
            return
        self._present = present
        self._places = {fsm: place for place, fsm in enumerate(present)}
        for _, machine, outermost in self._machine_names.add(present):
            self._clocks.add(machine, outermost)
            undo = machine.observe(self), machine.observe(self._journal)
            self._undo[machine] = partial(_call_all, undo)

    def forget_departed(self) -> None:
        """Forget the machines that have left, between two calls; their names are free again.

        A recording does it at each key frame, and its replay at the same places.
        """
        with TURN:
            if self._order.caller is not None or self._is_detached:
                return
            self._watch_all()
            present = set(self._present)
            for departed in [fsm for fsm in self._clocks.offsets if fsm not in present]:
                for fsm in self._machine_names.remove(departed):
                    self._undo.pop(fsm)()
                    self._clocks.remove(fsm)
                    self._scheduled.remove(fsm)
            self._reader.forget(present=self._machine_names.names)

    # Posts

    def _post(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Post now, unless another thread is in the middle of a call: nobody waits for that."""
        with TURN:
            is_inside = self._is_inside()
            if is_inside and call == "post_event":
                return carry_out(**arguments)
            post = Post(fsm, call, copied_arguments(arguments), partial(carry_out, **arguments))
            if self._order.caller is None or self._finishing is not None or not post.is_valid:
                self._send(post)  # in a finish() as well, which takes no posts
            else:
                self._order.wait(partial(self._send_late, post))
        if self._order.caller is None and self._thread == get_ident():
            self._settled()
        return None

    def _send(self, post: Post) -> None:
        raised = ""
        try:
            post.send()
        except BaseException as error:
            raised = shown_error(error)
            raise
        finally:
            name, time = self._machine_names.names[post.fsm], self._clocks.advance(post.fsm)
            step = post.step(name, time, raised)
            if step is not None and not self._is_detached:
                self._order.note(step)
                self._has_results_on_their_way |= post.call == "post_result"

    def _send_late(self, post: Post) -> None:
        try:
            self._send(post)
        except Exception as error:  # of another tool; whoever posted has long gone on
            warn(f"{post.fsm!r}: what was posted during a call was lost: {shown_error(error)}")

    # The finish() of an action, which has no event for its end

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Begin a step if the action was finished from outside."""
        if action.fsm.acting is None:  # then an earlier finish() is over
            self.end_finish()
        if not self._is_inside():
            self._finishing = action
            self._clocks.advance(action.fsm)  # now: a restore may come before its end is known
            self._order.begin(get_ident())

    def end_finish(self, *, only_if_over: bool = False) -> None:
        """Report the `finish()` of an action."""
        with TURN:
            action = self._finishing
            if action is None or (only_if_over and _is_in_a_call(action.fsm)):
                return
            self._finishing = None
            name, time = self._machine_names.names[action.fsm], self._clocks.time
            journal = self._journal.take()
            is_raised = bool(journal) and journal[-1][0] == "error"  # nothing is told after it
            raised = journal[-1][-1] if is_raised else ""
            self._order.end(
                Step(name, "finish", {"action": path_of(action)}, time, journal, raised)
            )

    # Machines that are restored from a snapshot: each is told of by itself

    def restored(self, fsm: Fsm[Any], time: float) -> None:
        """Begin a step, unless it is part of a call."""
        with TURN:
            self.end_finish(only_if_over=True)
            self._clocks.shift(fsm, time)
            if self._order.caller != get_ident():
                self._restored = self._restored or fsm

    def end_restore(self) -> None:
        """Report that machines were restored."""
        with TURN:
            fsm, self._restored = self._restored, None
            if fsm is not None:
                name, time = self._machine_names.names[fsm], self._clocks.advance(fsm)
                journal = whereabouts(self._machine_names.names)
                self._order.note(Step(name, "restore", self._saved(), time, journal))


def _call_all(functions: Iterable[Callable[[], None]]) -> None:
    for each in functions:
        each()


def _is_in_a_call(fsm: Fsm[Any]) -> bool:
    """Return True in the middle of a call to `fsm`, or to a machine around it."""
    return fsm.phase is not None or (fsm.host is not None and _is_in_a_call(fsm.host.fsm))
