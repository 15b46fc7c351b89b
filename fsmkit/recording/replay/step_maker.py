"""StepMaker: turns each call from outside into a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from threading import get_ident
from typing import Any

from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.recording.action_paths import path_of
from fsmkit.recording.replay.arguments import copied_arguments
from fsmkit.recording.replay.clocks import Clocks
from fsmkit.recording.replay.journal import Journal, error_text
from fsmkit.recording.replay.order import TURN, CallOrder
from fsmkit.recording.replay.posts import POSTS, Post
from fsmkit.recording.replay.steps import Step
from fsmkit.recording.replay.warnings import warn
from fsmkit.tooling.nesting import MachineNames


class StepMaker:
    """Watches machines and their nested machines, and reports each call from outside at its end.

    A call during another call is part of it. A post goes to its machine at once and is reported as
    a step between two calls; one that comes from another thread during a call is held until this is
    over, which fixes its place among the calls. A result is never part of a call, not even of work
    that was done at once: a replay begins no work.

    `scheduled` is called for each delayed event; its `cancel()` is a call too, which names the
    event by its number among those of its machine.
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
        self.scheduled = scheduled
        self.has_results = has_results
        """Whether the results of work elsewhere are known, so that none need be begun."""
        self._machine_names = MachineNames()
        self._journal = Journal(self._machine_names)
        self._clocks = Clocks()
        self._order = CallOrder(report)
        self._present: list[Fsm[Any]] = []
        """The machines as of the last look."""
        self._undo: list[Callable[[], None]] = []
        self._is_detached = False
        self._finishing: FsmAction[Any] | None = None
        self._delayed: Counter[Fsm[Any]] = Counter()
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
        """Stop watching. A call in progress is not reported; what it holds goes to the machines."""
        with TURN:
            self.end_finish(only_if_over=True)
            self._is_detached = True
            self._order.let_go()
        self._order.finish()
        for undo in self._undo:
            undo()
        self._undo = []

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
        if self._finishing is not None:
            self.end_finish(only_if_over=True)
        return self._order.caller == get_ident()

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
        recorded = copied_arguments(arguments)
        self._order.begin()
        raised = ""
        try:
            return carry_out(**arguments)
        except BaseException as error:
            raised = error_text(error)
            raise
        finally:
            self._end(fsm, call, recorded, raised)

    def _end(self, fsm: Fsm[Any], call: str, recorded: dict[str, Any], raised: str) -> None:
        """The call is over."""
        step = None
        if not self._is_detached:
            if isinstance(state := recorded.get("state"), FsmState):
                recorded["state"] = state.name
            step = self._step(fsm, call, recorded, raised)
        self._order.end(step)
        if len(self.machines) != len(self._present):  # the next call may be to one that has joined
            self._watch_all()

    def _step(self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], raised: str = "") -> Step:
        name, time = self._machine_names.names[fsm], self._clocks.advance(fsm)
        journal = self._journal.take()
        if call == "finish" and journal and journal[-1][0] == "error":
            raised = journal[-1][-1]  # nothing is told after an error that goes to the caller
        return Step(name, call, arguments, time, journal, raised)

    # The machines

    def _watch_all(self) -> None:
        """Also watch the machines that have joined since the last time."""
        present = list(self.machines)
        if present == self._present or self._is_detached:
            return
        self._present = present
        for _, machine, outermost in self._machine_names.add(present):
            self._clocks.add(machine, outermost)
            self._undo += [machine.observe(self), machine.observe(self._journal)]

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
        return None

    def _send(self, post: Post) -> None:
        raised = ""
        try:
            post.send()
        except BaseException as error:
            raised = error_text(error)
            raise
        finally:
            name, time = self._machine_names.names[post.fsm], self._clocks.advance(post.fsm)
            step = post.step(name, time, raised)
            if step is not None and not self._is_detached:
                self._order.note(step)

    def _send_late(self, post: Post) -> None:
        try:
            self._send(post)
        except Exception as error:  # of another tool; whoever posted has long gone on
            warn(f"{post.fsm!r}: what was posted during a call was lost: {error_text(error)}")

    # The finish() of an action, which has no event for its end

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Begin a step if the action was finished from outside."""
        if action.fsm.acting is None:  # then an earlier finish() is over
            self.end_finish()
        if not self._is_inside():
            self._finishing = action
            self._order.begin()

    def end_finish(self, *, only_if_over: bool = False) -> None:
        """Report the `finish()` of an action."""
        with TURN:
            action = self._finishing
            if action is None or (only_if_over and _is_in_a_call(action.fsm)):
                return
            self._finishing = None
            step = self._step(action.fsm, "finish", {"action": path_of(action)})
            self._order.end(step)


def _is_in_a_call(fsm: Fsm[Any]) -> bool:
    """Return True in the middle of a call to `fsm`, or to a machine around it."""
    return fsm.phase is not None or (fsm.host is not None and _is_in_a_call(fsm.host.fsm))


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
