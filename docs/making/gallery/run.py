"""A run of a machine, and what a picture of it needs to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from attrs import define, field

from actions.parts.work import Work
from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.observer import Observer

FRAME: Final = 1 / 60

Input: TypeAlias = str | tuple[str, object] | Callable[[], object]
"""What comes from outside: an event, one with its data, or a function that changes the world."""


@define
class Span:
    """A visit to a state, or the part that an action takes in one."""

    of: FsmAction[Any] | FsmState[Any]
    start: float
    finish: float | None = None
    end: float | None = None


@define
class Sent:
    """An event, and what it led to."""

    time: float
    event: str
    outcome: str


@define(slots=False)
class Run(Observer):
    """Runs machines for a while, frame by frame, and keeps what happens."""

    fsm: Fsm[Any]
    seconds: float
    at: Mapping[float, Input] = field(factory=dict)
    others: Sequence[Fsm[Any]] = ()
    """Machines that run beside it: they are updated first, and nothing of them is kept."""
    work: Mapping[float, BaseException | None] = field(factory=dict)
    """When work elsewhere is done, in place of the task or the thread that would do it."""
    visits: list[Span] = field(factory=list, init=False)
    spans: list[Span] = field(factory=list, init=False)
    sent: list[Sent] = field(factory=list, init=False)
    parents: dict[FsmAction[Any], FsmAction[Any]] = field(factory=dict, init=False)
    now: float = field(default=0.0, init=False)

    def __attrs_post_init__(self) -> None:
        for machine in machines_in(self.fsm):
            machine.observe(self)

    def frames(self) -> Iterator[float]:
        """Run, and yield the time on starting and after each frame."""
        inputs = {round(time / FRAME): given for time, given in self.at.items()}
        for time, error in self.work.items():
            inputs[round(time / FRAME) - 1] = partial(self._hand_in_work, error)
        for machine in (*self.others, self.fsm):
            machine.start()
        yield 0.0
        for frame in range(1, round(self.seconds / FRAME) + 1):
            self.now = frame * FRAME
            for machine in (*self.others, self.fsm):
                machine.update(FRAME)
            if frame in inputs:
                self._give(inputs[frame])
            yield self.now

    def through(self) -> Run:
        """Run to the end."""
        for _ in self.frames():
            pass
        return self

    def finished_at(self, kind: type) -> float | None:
        """Return when the first action of this class finished."""
        times = [span.finish for span in self.spans if isinstance(span.of, kind)]
        return times[0] if times else None

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:  # noqa: ARG002
        self.visits.append(Span(state, self.now))

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:  # noqa: ARG002
        _last(self.visits, state).end = self.now

    def action_entered(self, action: FsmAction[Any]) -> None:
        finish = self.now if action.finished else None
        self.spans.append(Span(action, self.now, finish))
        for other in every_action(action.state):
            if action in other.children:
                self.parents[action] = other

    def action_finished(self, action: FsmAction[Any]) -> None:
        if any(span.of is action and span.end is None for span in self.spans):
            _last(self.spans, action).finish = self.now  # else it finishes while it is entered

    def action_exited(self, action: FsmAction[Any]) -> None:
        _last(self.spans, action).end = self.now

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:  # noqa: ARG002
        if outcome != "queued":
            self.sent.append(Sent(self.now, event, outcome))

    def intercept(self, fsm: Fsm[Any], call: str, arguments: Any, carry_out: Any) -> Any:  # noqa: ARG002
        """Carry every call out, except that no work is begun where it is handed in."""
        is_held = call == "begin_work" and self.work
        return None if is_held else carry_out(**arguments)

    def _hand_in_work(self, error: BaseException | None) -> None:
        for span in self.spans:
            if span.end is None and isinstance(span.of, Work):
                self.fsm.post_result(span.of, span.of.number, error=error)

    def _give(self, given: Input) -> None:
        if callable(given):
            given()
        elif isinstance(given, tuple):
            self.fsm.send_event(*given)
        else:
            self.fsm.send_event(given)


def machines_in(fsm: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """Yield the machine and those that are nested in it."""
    yield fsm
    for state in fsm.states.values():
        for action in state.actions:
            for machine in action.machines:
                yield from machines_in(machine)


def every_action(state: FsmState[Any]) -> Iterator[FsmAction[Any]]:
    """Yield the actions of a state, and their children at the moment."""
    waiting = list(state.actions)
    while waiting:
        action = waiting.pop(0)
        yield action
        waiting[:0] = action.children


def _last(spans: list[Span], of: object) -> Span:
    return next(span for span in reversed(spans) if span.of is of)
