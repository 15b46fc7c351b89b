"""A wrong value is refused when an action is made, with the name of the parameter."""

import logging
from collections.abc import Callable
from math import inf, nan
from random import Random
from typing import Any

import pytest
from every import every

from actions import (
    DelegateAction,
    Log,
    Move,
    MoveConstantly,
    RandomWait,
    Repeat,
    RotateConstantly,
    RunFsm,
    SendEvent,
    SendEventWhen,
    Sequence,
    TimedWait,
    Tween,
    WaitUntil,
    When,
)
from fsmkit import Fsm
from fsmkit.space import Transform

THING = Transform((0.0, 0.0))


@every(
    ("make", "message"),
    [
        (lambda: Move(THING, None, (1.0, 0.0), 1.0, space="WORLD"),
         "Move: space must be Space.WORLD or Space.SELF, got 'WORLD'."),
        (lambda: Move(THING, None, (1.0, 0.0), 1.0, time=3),
         "Move: time must be a TimeReference, got 3."),
        (lambda: TimedWait(1.0, time=3), "TimedWait: time must be a TimeReference, got 3."),
        (lambda: Tween(THING, "alpha", 0.0, 1.0, 1.0, easing="linear"),
         "Tween: easing must be a function, got 'linear'."),
        (lambda: DelegateAction(5), "DelegateAction: on_enter must be a function, got 5."),
        (lambda: DelegateAction(on_exit="x"),
         "DelegateAction: on_exit must be a function, got 'x'."),
        (lambda: WaitUntil(True), "WaitUntil: predicate must be a function, got True."),
        (lambda: When(None, TimedWait(1.0)), "When: predicate must be a function, got None."),
        (lambda: SendEventWhen("GO", "GO"),
         "SendEventWhen: predicate must be a function, got 'GO'."),
        (lambda: SendEvent(3), "SendEvent: event must be the name of an event, got 3."),
        (lambda: RandomWait(1.0, 2.0, rng=Random(1), finish_event=7),
         "RandomWait: finish_event must be the name of an event, got 7."),
        (lambda: Log("hello", level="INFO"),
         "Log: level must be a number such as logging.INFO, got 'INFO'."),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        make()
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SendEvent(""), "SendEvent: event must be the name of an event, got ''."),
        (lambda: TimedWait(1.0, ""),
         "TimedWait: finish_event must be the name of an event, got ''."),
        (lambda: Sequence(TimedWait(1.0), finish_event=""),
         "Sequence: finish_event must be the name of an event, got ''."),
        (lambda: RunFsm(Fsm("Inner"), finish_event=""),
         "RunFsm: finish_event must be the name of an event, got ''."),
        (lambda: Repeat(TimedWait(1.0), 1.5),
         "Repeat: times must be an integer >= 0, or None for no end, got 1.5."),
    ],
)  # fmt: skip
def test_a_value_that_is_not_allowed(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as raised:
        make()
    assert str(raised.value) == message


def test_a_value_of_a_function_is_checked_on_enter() -> None:
    fsm = Fsm("Thing")
    fsm.add_state("Turn").add_action(RotateConstantly(Transform(rotation=0.0), lambda: nan))
    fsm.add_state("Go").add_action(MoveConstantly(THING, lambda: (inf, 0.0)))
    with pytest.raises(ValueError, match="RotateConstantly: speed must be finite, got nan"):
        fsm.start("Turn")
    with pytest.raises(ValueError, match=r"MoveConstantly: velocity must be finite, got \(inf, 0"):
        fsm.start("Go")
    assert THING.position == (0.0, 0.0)


def test_a_level_of_ones_own_will_do() -> None:
    assert Log("hello", level=logging.INFO + 5).level == 25
