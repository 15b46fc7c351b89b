"""StepMaker: turns each call from outside into a step."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection
from functools import partial
from threading import get_ident
from typing import Any

from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.recording.action_paths import path_of
from fsmkit.recording.chronicle import sender_title
from fsmkit.recording.replay.arguments import copied_arguments
from fsmkit.recording.replay.results import recorded_result
from fsmkit.recording.replay.steps import Entry, Step
from fsmkit.terminal.console import described
from fsmkit.tooling.nesting import MachineNames


class StepMaker:
    """Watches machines and their nested machines, and reports each call from outside at its end.

    A call during another call is part of it. A posted event is reported, and actually posted, with
    the next call: this fixes its place among the calls, whichever thread it comes from. `scheduled`
    is called for each delayed event; its `cancel()` is a call too, which names the event by its
    number among those of its machine.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        report: Callable[[Step], None],
        scheduled: Callable[[Fsm[Any], Cancellable], None] = lambda *_: None,
        *,
        has_results: bool = False,
    ) -> None:
        self.machines: Collection[Fsm[Any]] = (machines,) if isinstance(machines, Fsm) else machines
        self.report = report
        self.scheduled = scheduled
        self.has_results = has_results
        """Whether the results of work elsewhere are known, so that none need be begun."""
        self.time = 0.0
        """Seconds since the first machine began."""
        self._machine_names = MachineNames()
        self._present: list[Fsm[Any]] = []
        """The machines as of the last look."""
        self._clocks: dict[Fsm[Any], tuple[Fsm[Any], float]] = {}
        """Machine -> the outermost one around it, and the offset to add to that one's time."""
        self._undo: list[Callable[[], None]] = []
        self._is_detached = False
        self._caller: int | None = None
        """The thread in which a call from outside is in progress."""
        self._finishing: FsmAction[Any] | None = None
        self._posts: deque[tuple[Fsm[Any], str, dict[str, Any], Callable[..., Any]]] = deque()
        self._delayed: Counter[Fsm[Any]] = Counter()
        self._journal: list[Entry] = []
        self._watch_all()

    def names_and_states(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the names of the machines, and machine -> state of those that are running."""
        named = self._machine_names.names.items()
        states = {name: fsm.current_state.name for fsm, name in named if fsm.current_state}
        return tuple(self._machine_names.names.values()), states

    def machine(self, name: str) -> Fsm[Any] | None:
        """Return the machine that is called `name` here, or None."""
        return next(
            (fsm for fsm, other in self._machine_names.names.items() if other == name), None
        )

    def detach(self) -> None:
        """Stop watching. A call in progress is not reported."""
        self.take_posts()
        self.end_finish()
        self._is_detached = True
        for undo in self._undo:
            undo()
        self._undo = []

    # Calls from outside

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Record a call from outside."""
        if call == "start" and not fsm.is_running:
            self._set_clock(fsm)
        elif call == "send_event_after":
            carry_out = partial(self._schedule, fsm, carry_out)
        elif call == "begin_work":
            return carry_out(**arguments) if not self.has_results else None
        if self._is_detached:
            return carry_out(**arguments)
        is_inside = self._is_inside()
        if call == "post_result" or (call == "post_event" and not is_inside):
            # For the next update, perhaps from another thread. A result is never part of a call,
            # not even of work done at once: a replay begins no work.
            return self._posts.append((fsm, call, arguments, carry_out))
        if is_inside:
            return carry_out(**arguments)
        self.take_posts()
        return self._record(fsm, call, arguments, carry_out)

    def _is_inside(self) -> bool:
        """Return True if a call from outside is in progress that this one is part of."""
        if self._finishing is not None and self._finishing.fsm.phase is None:
            self.end_finish()
        return self._caller == get_ident()

    def take_posts(self) -> None:
        """Post the events and results that wait for the next call."""
        while self._posts:
            self._record(*self._posts.popleft())

    def _schedule(
        self, fsm: Fsm[Any], carry_out: Callable[..., Any], **arguments: Any
    ) -> Cancellable:
        delayed = carry_out(**arguments)
        which = {"event": arguments["event"], "delayed": self._delayed[fsm]}
        cancel = partial(self.intercept, fsm, "cancel", which, lambda **_: delayed.cancel())
        self._delayed[fsm] += 1
        self.scheduled(fsm, cancellable := Cancellable(delayed, cancel))
        return cancellable

    def _record(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        self._watch_all()
        recorded = copied_arguments(arguments if call != "post_result" else _result(arguments))
        self._caller = get_ident()
        raised = ""
        try:
            return carry_out(**arguments)
        except BaseException as error:
            raised = _error_text(error)
            raise
        finally:
            self._caller = None
            if not self._is_detached:
                self._end_step(fsm, call, recorded, raised)

    def _end_step(
        self, fsm: Fsm[Any], call: str, recorded: dict[str, Any], raised: str = ""
    ) -> None:
        clock, offset = self._clocks[fsm]
        self.time = max(self.time, clock.time + offset)
        journal, self._journal = tuple(self._journal), []
        if isinstance(state := recorded.get("state"), FsmState):
            recorded["state"] = state.name
        self.report(
            Step(self._machine_names.names[fsm], call, recorded, self.time, journal, raised)
        )
        if len(self.machines) != len(
            self._present
        ):  # the next call may be to a machine that has joined
            self._watch_all()

    def end_finish(self) -> None:
        """Report the `finish()` of an action, which has no event for its end."""
        action, self._finishing = self._finishing, None
        if action is not None:
            self._caller = None
            self._end_step(action.fsm, "finish", {"action": path_of(action)})

    # Their effects

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Add it to the journal."""
        sender = sender_title(fsm.acting)
        name = event if isinstance(event, str) else described(event)  # a journal holds strings only
        self._journal.append(("event", self._machine_names.names[fsm], name, outcome, sender))

    def state_left(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it to the journal."""
        self._journal.append(("leave", self._machine_names.names[fsm], state.name))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Add it to the journal."""
        self._journal.append(("enter", self._machine_names.names[fsm], state.name, event or ""))

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it to the journal."""
        self._journal.append(("suspend", self._machine_names.names[fsm], state.name))

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it to the journal."""
        self._journal.append(("resume", self._machine_names.names[fsm], state.name))

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Add it to the journal."""
        self._journal.append(("error", self._machine_names.names[fsm], _error_text(error)))

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Begin a step if the action was finished from outside."""
        if action.fsm.acting is None:  # then an earlier finish() is over
            self.end_finish()
        if not self._is_inside():
            self.take_posts()
            self._caller = get_ident()
            self._finishing = action

    # The machines

    def _watch_all(self) -> None:
        """Also watch the machines that have joined since the last time."""
        present = list(self.machines)
        if present == self._present:
            return
        self._present = present
        for _, machine, outermost in self._machine_names.add(present):
            self._clocks[machine] = (outermost, self.time - outermost.time if self.time else 0.0)
            self._undo.append(machine.observe(self))

    def _set_clock(self, fsm: Fsm[Any]) -> None:
        """Adjust the offset to a start: the machine's time stood still while it was stopped."""
        clock, _ = self._clocks[fsm]
        if clock is fsm:
            for machine, (other, _) in self._clocks.items():
                if other is clock:
                    self._clocks[machine] = (clock, self.time - clock.time)


def _result(arguments: dict[str, Any]) -> dict[str, Any]:
    error = arguments["error"]
    return recorded_result(arguments, "" if error is None else _error_text(error))


def _error_text(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # a user's class may have a failing __str__
        return type(error).__name__


@frozen(eq=False, repr=False)
class Cancellable:
    """The handle of a delayed event while recording: like `delayed`, but with its own `cancel`."""

    delayed: Any
    cancel: Callable[[], None]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.delayed, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.delayed, "_fsmkit_delayed")  # a copy is not recorded (rule 23)

    def __repr__(self) -> str:
        return repr(self.delayed)
