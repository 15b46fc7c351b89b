"""Small random machines: timers, guards, failures, cooldowns, interruptions, nested machines.

The number says everything: `small_machine(7)` is always the same machine.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from actions import Cooldown, DelegateAction, Repeat, Retry, RunFsm, SendEvent, Sequence, TimedWait
from fsmkit import BACK, FAILED, FINISHED, Fsm, FsmAction, FsmState

EVENTS = ("X", "Y", "Z")
NAMES = ("A", "B", "C", "D")
SECONDS = (0.0, 0.1, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


def small_machine(number: int) -> Fsm[Any]:
    """Build the machine of this number."""
    rng = Random(number)
    return _machine(rng, "Outer", {"count": 0}, depth=1)


def _machine(rng: Random, name: str, context: dict[str, int], depth: int) -> Fsm[Any]:
    fsm = Fsm(name, context=context, on_unhandled="ignore", max_transitions=20)
    states = [fsm.add_state(each) for each in NAMES[: rng.randint(2, 4)]]
    for state in states:
        for _ in range(rng.choice((0, 1, 1, 2))):
            inner = f"{name}.{state.name}{len(state.actions)}"
            state.add_action(_action(rng, inner, context, depth))
        for event in (*EVENTS, FINISHED, FAILED):
            if rng.random() < 0.45:
                _connect(rng, state, event, states, context)
    if rng.random() < 0.3:
        target = rng.choice(states)
        fsm.add_global_transition(rng.choice(EVENTS), target, suspend=rng.random() < 0.6)
    return fsm


def _action(rng: Random, inner: str, context: dict[str, int], depth: int) -> FsmAction[Any]:
    kinds = ("wait", "wait", "wait", "count", "send", "later", "cooldown", "chain", "slip", "inner")
    kind = rng.choice(kinds)
    if kind == "inner" and depth:
        return RunFsm(_machine(rng, inner, context, depth - 1))
    if kind == "count":
        return DelegateAction(_counting(context, rng.choice((2, 3, 4))))
    if kind == "later":
        return DelegateAction(_sending(rng.choice(EVENTS), rng.choice(SECONDS), rng.random() < 0.3))
    if kind == "send":
        return SendEvent(rng.choice(EVENTS), delay=rng.choice(SECONDS))
    if kind == "slip":
        slip = Slip(context, rng.randrange(4))
        return slip if rng.random() < 0.5 else Retry(Sequence(TimedWait(0.5), slip), times=2)
    if kind == "cooldown":
        return Cooldown(rng.choice(EVENTS), rng.choice((0.5, 1.0, 2.0)))
    if kind == "chain":
        first, second = TimedWait(rng.choice(SECONDS)), TimedWait(rng.choice(SECONDS))
        return Sequence(first, second) if rng.random() < 0.5 else Repeat(first, times=2)
    return TimedWait(rng.choice(SECONDS), rng.choice((None, None, *EVENTS)))


class Slip(FsmAction[Any]):
    """Fails while the counter stands at a number."""

    def __init__(self, context: dict[str, int], number: int) -> None:
        self.counter = context
        self.number = number

    def on_update(self) -> None:
        if self.counter["count"] == self.number:
            self.fail(self.number)


def _counting(context: dict[str, int], modulus: int) -> Callable[[], None]:
    def count() -> None:
        context["count"] = (context["count"] + 1) % modulus

    return count


def _sending(event: str, seconds: float, keep: bool) -> Callable[[FsmState[Any]], object]:
    return lambda state: state.fsm.send_event_after(seconds, event, keep=keep)


def _connect(
    rng: Random, state: FsmState[Any], event: str, states: list[FsmState[Any]],
    context: dict[str, int],
) -> None:  # fmt: skip
    for _ in range(rng.choice((0, 0, 1))):
        wanted = rng.randrange(4)
        state.add_transition(
            event, rng.choice(states), when=lambda wanted=wanted: context["count"] == wanted
        )
    if rng.random() < 0.15:
        state.add_transition(event, BACK)
        return
    do = _counting(context, rng.choice((2, 3))) if rng.random() < 0.3 else None
    target = rng.choice(states)
    state.add_transition(event, target, do=do, suspend=target is not state and rng.random() < 0.15)
