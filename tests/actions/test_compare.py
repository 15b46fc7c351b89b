"""Compare: an event depending on which of two values is greater."""

from math import nan

import pytest

from actions.compare import Compare
from actions.parts.parameters import Param
from fsmkit import FINISHED, Fsm
from fsmkit.testing import drive

EVENTS = {"equal": "EQUAL", "less": "LESS", "greater": "GREATER"}


def sent(action: Compare, *, updates: int = 0) -> list[str]:
    fsm = Fsm("M", on_unhandled="ignore")
    fsm.add_state("A").add_action(action)
    journal = drive(fsm, [fsm.start, *[0.1] * updates])
    return [line.split()[1][:-1] for line in journal if line.startswith("event")]


@pytest.mark.parametrize(
    ("value", "other", "event"),
    [
        (1, 2, "LESS"),
        (2.0, 2, "EQUAL"),
        (3, 2.5, "GREATER"),
        ("a", "b", "LESS"),
        ((1, 2), (1, 1), "GREATER"),
        (lambda: 1, lambda: 2, "LESS"),
    ],
)
def test_it_sends_the_event_that_fits(value: Param[object], other: object, event: str) -> None:
    assert sent(Compare(value, other, **EVENTS)) == [event]


def test_an_event_that_is_not_given_is_not_sent() -> None:
    assert sent(Compare(1, 2, equal="EQUAL", greater="GREATER")) == []
    assert sent(Compare(2, 2, less="LESS", greater="GREATER")) == []
    assert sent(Compare(3, 2, equal="EQUAL", less="LESS")) == []


def test_what_is_not_a_number_is_neither() -> None:
    assert sent(Compare(nan, 1.0, **EVENTS, tolerance=0.1)) == []


@pytest.mark.parametrize(
    ("value", "event"), [(0.75, "EQUAL"), (1.25, "EQUAL"), (0.5, "LESS"), (1.5, "GREATER")]
)
def test_numbers_within_the_tolerance_are_equal(value: float, event: str) -> None:
    assert sent(Compare(value, 1.0, **EVENTS, tolerance=0.25)) == [event]


def test_it_finishes_once_it_has_compared() -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Compare(1, 2, greater="GREATER"))
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    assert fsm.current_state is fsm.states["B"]
    assert sent(Compare(1, 2, less="LESS"), updates=3) == ["LESS"]


def test_each_enter_compares_what_the_functions_give_then() -> None:
    values = [1, 3]
    action = Compare(lambda: values.pop(0), 2, **EVENTS)
    fsm = Fsm("M", on_unhandled="ignore")
    fsm.add_state("A").add_action(action)
    journal = drive(fsm, [fsm.start, fsm.start])
    assert [line for line in journal if "event" in line] == [
        "event LESS: ignored",
        "event GREATER: ignored",
    ]


def test_every_update_compares_and_sends_and_it_never_finishes() -> None:
    values = [1, 2, 3, 3]
    action = Compare(lambda: values.pop(0), 2, **EVENTS, every_update=True)
    assert sent(action, updates=3) == ["LESS", "EQUAL", "GREATER", "GREATER"]
    assert not action.finished


def test_it_declares_what_it_may_send() -> None:
    assert Compare(1, 2, less="LESS", equal="EQUAL").sends == ("EQUAL", "LESS")


def test_one_that_sends_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="Compare must have an event to send. Give equal="):
        Compare(1, 2)


@pytest.mark.parametrize("wrong", [-0.1, nan])
def test_the_tolerance_is_not_negative(wrong: float) -> None:
    with pytest.raises(ValueError, match="Compare: tolerance must be a number >= 0, got"):
        Compare(1, 2, equal="EQUAL", tolerance=wrong)
