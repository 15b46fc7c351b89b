"""StepMaker: makes a step of every call from outside."""

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
from fsmkit.recording.replay.arguments import kept
from fsmkit.recording.replay.steps import Entry, Step
from fsmkit.terminal.console import described
from fsmkit.tooling.interception import intercept
from fsmkit.tooling.nesting import MachineNames


class StepMaker:
    """Watches machines and those inside them, and reports each call from outside when it is over.

    A call that comes while another one is under way is a part of that one. An event that is posted
    is told of, and posted, with the next call: so its place among the calls is certain, from
    whatever thread it comes. `scheduled` is told of each event that a machine delays; to cancel it
    is a call too, which names it by its number among those of that machine.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        report: Callable[[Step], None],
        scheduled: Callable[[Fsm[Any], Cancellable], None] = lambda *_: None,
    ) -> None:
        self.machines: Collection[Fsm[Any]] = (machines,) if isinstance(machines, Fsm) else machines
        self.report = report
        self.scheduled = scheduled
        self.time = 0.0
        """Seconds that have passed since the first machine began."""
        self._roster = MachineNames()
        self._present: list[Fsm[Any]] = []
        """The machines as they were looked at last."""
        self._clocks: dict[Fsm[Any], tuple[Fsm[Any], float]] = {}
        """Machine -> the outermost one around it, and what to add to the time of that one."""
        self._undo: list[Callable[[], None]] = []
        self._is_detached = False
        self._caller: int | None = None
        """The thread that a call from outside is under way in."""
        self._finishing: FsmAction[Any] | None = None
        self._posts: deque[tuple[Fsm[Any], dict[str, Any], Callable[..., Any]]] = deque()
        self._delayed: Counter[Fsm[Any]] = Counter()
        self._journal: list[Entry] = []
        self._watch_all()

    def beginning(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """The names of the machines, and machine -> state of those that are running."""
        named = self._roster.names.items()
        states = {name: fsm.current_state.name for fsm, name in named if fsm.current_state}
        return tuple(self._roster.names.values()), states

    def machine(self, name: str) -> Fsm[Any] | None:
        """The machine that goes by `name` here."""
        return next((fsm for fsm, other in self._roster.names.items() if other == name), None)

    def detach(self) -> None:
        """Watch no more; of a call that is under way nothing is reported."""
        self.take_posts()
        self.end_finish()
        self._is_detached = True
        for undo in self._undo:
            undo()
        self._undo = []

    # Calls from outside

    def _called(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        if call == "start" and not fsm.is_running:
            self._set_clock(fsm)
        elif call == "send_event_after":
            carry_out = partial(self._schedule, fsm, carry_out)
        if self._is_detached or self._is_inside():
            return carry_out(**arguments)
        if call == "post_event":  # maybe of another thread: it is for the next update anyway
            return self._posts.append((fsm, arguments, carry_out))
        self.take_posts()
        return self._record(fsm, call, arguments, carry_out)

    def _is_inside(self) -> bool:
        """Whether a call from outside is under way, of which this one is a part."""
        if self._finishing is not None and self._finishing.fsm.phase is None:
            self.end_finish()
        return self._caller == get_ident()

    def take_posts(self) -> None:
        """Post what waits for the next call."""
        while self._posts:
            fsm, arguments, carry_out = self._posts.popleft()
            self._record(fsm, "post_event", arguments, carry_out)

    def _schedule(
        self, fsm: Fsm[Any], carry_out: Callable[..., Any], **arguments: Any
    ) -> Cancellable:
        delayed = carry_out(**arguments)
        which = {"event": arguments["event"], "delayed": self._delayed[fsm]}
        cancel = partial(self._called, fsm, "cancel", which, lambda **_: delayed.cancel())
        self._delayed[fsm] += 1
        self.scheduled(fsm, cancellable := Cancellable(delayed, cancel))
        return cancellable

    def _record(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        self._watch_all()
        given = kept(arguments)
        self._caller = get_ident()
        raised = ""
        try:
            return carry_out(**arguments)
        except BaseException as error:
            raised = _in_short(error)
            raise
        finally:
            self._caller = None
            if not self._is_detached:
                self._end_step(fsm, call, given, raised)

    def _end_step(self, fsm: Fsm[Any], call: str, given: dict[str, Any], raised: str = "") -> None:
        clock, offset = self._clocks[fsm]
        self.time = max(self.time, clock.time + offset)
        journal, self._journal = tuple(self._journal), []
        if isinstance(state := given.get("state"), FsmState):
            given["state"] = state.name
        self.report(Step(self._roster.names[fsm], call, given, self.time, journal, raised))
        if len(self.machines) != len(self._present):  # the next call may be to one that has joined
            self._watch_all()

    def end_finish(self) -> None:
        """Report the `finish()` of an action: nobody says when it is over."""
        action, self._finishing = self._finishing, None
        if action is not None:
            self._caller = None
            self._end_step(action.fsm, "finish", {"action": path_of(action)})

    # What came of them

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Note it."""
        sender = sender_title(fsm.acting)
        name = event if isinstance(event, str) else described(event)  # a journal is made of texts
        self._journal.append(("event", self._roster.names[fsm], name, outcome, sender))

    def state_left(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note it."""
        self._journal.append(("leave", self._roster.names[fsm], state.name))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Note it."""
        self._journal.append(("enter", self._roster.names[fsm], state.name, event or ""))

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Note it."""
        self._journal.append(("error", self._roster.names[fsm], _in_short(error)))

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Begin a step if it was finished from outside."""
        if action.fsm.acting is None:  # then a finish() before this one is over
            self.end_finish()
        if not self._is_inside():
            self.take_posts()
            self._caller = get_ident()
            self._finishing = action

    # The machines

    def _watch_all(self) -> None:
        """Watch those that have joined since the last time, too."""
        present = list(self.machines)
        if present == self._present:
            return
        self._present = present
        for _, machine, outermost in self._roster.add(present):
            self._clocks[machine] = (outermost, self.time - outermost.time if self.time else 0.0)
            self._undo += [machine.observe(self), intercept(machine, self._called)]

    def _set_clock(self, fsm: Fsm[Any]) -> None:
        """While the machine was not running its own time stood still."""
        clock, _ = self._clocks[fsm]
        if clock is fsm:
            for machine, (other, _) in self._clocks.items():
                if other is clock:
                    self._clocks[machine] = (clock, self.time - clock.time)


def _in_short(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # a __str__ of the user's that fails
        return type(error).__name__


@frozen(eq=False, repr=False)
class Cancellable:
    """What `send_event_after` returns while it is listened to: `delayed`, but for `cancel`."""

    delayed: Any
    cancel: Callable[[], None]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.delayed, name)

    def __repr__(self) -> str:
        return repr(self.delayed)
