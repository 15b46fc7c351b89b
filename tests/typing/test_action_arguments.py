"""The arguments of actions, as type checkers know them: mypy and pyright read it, pytest runs it.

Both report an ignore that is not needed, so each one here says that both refuse its line.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from random import Random
from typing import Any, assert_type

import pytest
from attrs import define, field

from actions import (
    Compare,
    DelegateAction,
    Flee,
    InRange,
    Move,
    Parallel,
    Play,
    Sees,
    SendEvent,
    SendEventWhen,
    SetValue,
    Shake,
    SmoothFollow,
    TimedAction,
    TimedWait,
    Tween,
    WaitUntil,
    Wander,
)
from actions.definition import define_action
from actions.parts.parameters import Param
from fsmkit import Fsm
from fsmkit.polled import not_
from fsmkit.space import Space, Transform

THING = Transform((0.0, 0.0))


@define_action
class Pour(TimedAction):
    """An action of a user, made as the documentation shows it."""

    glass: Any
    duration: Param[float]
    before: float = field(default=0.0, init=False)


@define(eq=False, repr=False, slots=False)
class Fill(TimedAction):
    """An action of a user, made with attrs itself."""

    glass: Any
    duration: Param[float]
    before: float = field(default=0.0, init=False)


def test_right_arguments_are_accepted() -> None:
    Move(THING, None, lambda: (1.0, 0.0), 2.0, space=Space.SELF, finish_event="THERE")
    Compare(lambda: 1, 2, less="LESS", every_update=True)
    SendEvent("BOOM", delay=lambda: 3.0)
    DelegateAction(on_exit=lambda state: state.name)
    Pour(THING, duration=2.0, easing=lambda share: share, finish_event="FULL")
    Fill(THING, duration=2.0, easing=lambda share: share, finish_event="FULL")
    Flee(THING, lambda: (1.0, 0.0), 2.0, distance=lambda: 3.0)
    Wander(THING, 2.0, Random(1), radius=3.0, around=THING)
    Shake(THING, (0.0, 8.0), 0.5, Random(1), easing=None)
    SmoothFollow(THING, lambda: THING, 2.0, offset=(0.0, 1.0))
    Tween({"x": 1.0}, "x", None, 0.0, 1.0, repeat=True, yoyo=True)
    SetValue({"x": 1.0}, "x", lambda: 2.0, every_update=True)
    Play(None, loop=True, volume=lambda: 0.5)


def test_conditions_are_functions_with_and_without_the_state() -> None:
    near = InRange(THING, THING, 3.0, until=4.0)
    sees = Sees(lambda: THING, lambda: None, 3.0, close=1.0, clear=lambda start, end: start != end)
    fsm = Fsm("Guard")
    state = fsm.add_state("Walk")
    assert_type(near(), bool)
    assert_type(sees(state), bool)
    state.add_action(SendEventWhen(sees, "SEEN"))
    state.add_action(WaitUntil(not_(near)))
    state.add_transition("SEEN", state, when=sees)
    with pytest.raises(TypeError):
        InRange(THING, THING)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Sees(THING, THING, "far")  # type: ignore[arg-type]


def test_a_missing_argument_is_refused() -> None:
    with pytest.raises(TypeError):
        Move(THING, None, (1.0, 0.0))  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Fill(THING)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Pour(THING)  # type: ignore[call-arg]


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(TypeError):
        Move(THING, None, 1.0, 2.0, speed=3.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Fill(THING, 2.0, before=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Pour(THING, 2.0, before=1.0)  # type: ignore[call-arg]


def test_an_argument_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError):
        TimedWait("long")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Move(THING, None, 1.0, "long")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        SendEvent(3)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        Fill(THING, "long")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Pour(THING, "long")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Parallel([TimedWait(1.0)])  # type: ignore[arg-type]


def test_a_keyword_cannot_be_given_by_position() -> None:
    with pytest.raises(TypeError):
        Move(THING, None, 1.0, 2.0, "THERE")  # type: ignore[call-arg, arg-type]
    with pytest.raises(TypeError):
        SendEvent("BOOM", None, 3.0)  # type: ignore[call-overload]


def test_the_fields_are_typed() -> None:
    assert_type(TimedWait(1.0).elapsed, float)
    assert_type(Move(THING, None, 1.0, 2.0).space, Space)
    assert_type(Fill(THING, 2.0).finish_event, str | None)
