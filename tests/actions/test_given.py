"""What cannot be meant is refused when an action is made, with the name of the parameter."""

import logging
from collections.abc import Callable
from math import inf, nan
from random import Random
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Move(THING, None, (1.0, 0.0), 1.0, space="WORLD"),
         "Move: space is Space.WORLD or Space.SELF, not 'WORLD'."),
        (lambda: Move(THING, None, (1.0, 0.0), 1.0, time=3),
         "Move: time is a TimeReference, not 3."),
        (lambda: TimedWait(1.0, time=3), "TimedWait: time is a TimeReference, not 3."),
        (lambda: Tween(THING, "alpha", 0.0, 1.0, 1.0, easing="linear"),
         "Tween: easing is a function, not 'linear'."),
        (lambda: DelegateAction(5), "DelegateAction: on_enter is a function, not 5."),
        (lambda: DelegateAction(on_exit="x"), "DelegateAction: on_exit is a function, not 'x'."),
        (lambda: WaitUntil(True), "WaitUntil: predicate is a function, not True."),
        (lambda: When(None, TimedWait(1.0)), "When: predicate is a function, not None."),
        (lambda: SendEventWhen("GO", "GO"), "SendEventWhen: predicate is a function, not 'GO'."),
        (lambda: SendEvent(3), "SendEvent: event is the name of an event, not 3."),
        (lambda: RandomWait(1.0, 2.0, rng=Random(1), finish_event=7),
         "RandomWait: finish_event is the name of an event, not 7."),
        (lambda: Log("hello", level="INFO"),
         "Log: level is a number such as logging.INFO, not 'INFO'."),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        make()
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SendEvent(""), "SendEvent: event is the name of an event, not ''."),
        (lambda: TimedWait(1.0, ""), "TimedWait: finish_event is the name of an event, not ''."),
        (lambda: Sequence(TimedWait(1.0), finish_event=""),
         "Sequence: finish_event is the name of an event, not ''."),
        (lambda: RunFsm(Fsm("Inner"), ""), "RunFsm: finish_event is the name of an event, not ''."),
        (lambda: Repeat(TimedWait(1.0), 1.5),
         "Repeat: times is a whole number >= 0, or None for ever, not 1.5."),
    ],
)  # fmt: skip
def test_a_value_that_is_none(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match="is") as raised:
        make()
    assert str(raised.value) == message


def test_what_is_worked_out_on_enter_is_looked_at_there() -> None:
    fsm = Fsm("Thing")
    fsm.add_state("Turn").add_action(RotateConstantly(Transform(rotation=0.0), lambda: nan))
    fsm.add_state("Go").add_action(MoveConstantly(THING, (inf, 0.0)))
    with pytest.raises(ValueError, match="RotateConstantly: the speed is finite, not nan"):
        fsm.start("Turn")
    with pytest.raises(ValueError, match=r"MoveConstantly: the velocity is finite, not \(inf, 0"):
        fsm.start("Go")
    assert THING.position == (0.0, 0.0)


def test_a_level_of_ones_own_will_do() -> None:
    assert Log("hello", level=logging.INFO + 5).level == 25
