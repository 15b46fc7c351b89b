"""MoveConstantly: so many units per second, for ever."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.move_constantly import MoveConstantly
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive


def started(move: MoveConstantly) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(move)
    fsm.start()
    return fsm


@given(st.lists(st.floats(0.0, 2.0), max_size=30))
def test_is_the_same_at_every_frame_rate(dts: list[float]) -> None:
    thing = Transform((1.0, 2.0))
    drive(started(MoveConstantly(thing, (3.0, -1.0))), dts)
    assert thing.position == pytest.approx((1.0 + 3.0 * sum(dts), 2.0 - sum(dts)), abs=1e-9)


def test_never_finishes() -> None:
    move = MoveConstantly(Transform(), (0.0, 0.0))
    drive(started(move), [0, 1e12])
    assert not move.finished


def test_the_velocity_may_be_a_function_called_on_enter() -> None:
    velocities = iter([(1.0, 0.0), (0.0, 5.0)])
    thing = Transform()
    fsm = started(MoveConstantly(thing, lambda: next(velocities)))
    drive(fsm, [1, 1, fsm.start, 1])
    assert thing.position == (2.0, 5.0)


def test_moves_nothing_on_enter() -> None:
    thing = Transform((1.0, 1.0))
    started(MoveConstantly(thing, (3.0, 3.0)))
    assert thing.position == (1.0, 1.0)


def test_self_space_is_the_parents() -> None:
    ship = Transform(rotation=90.0)
    sailor = Transform(parent=ship)
    drive(started(MoveConstantly(sailor, (2.0, 0.0), space=Space.SELF)), [1.5])
    assert sailor.position == (0.0, 3.0)


def test_it_uses_its_time_reference() -> None:
    thing = Transform()
    drive(started(MoveConstantly(thing, (2.0, 0.0), time=TimeReference("slow", 0.25))), [2])
    assert thing.position == (1.0, 0.0)


@pytest.mark.parametrize(
    ("velocity", "error", "message"),
    [
        (5.0, TypeError, r"must be a tuple or vector of numbers, got 5\.0"),
        ((1.0, 2.0, 3.0), ValueError, "must have the same number of axes"),
    ],
)
def test_a_velocity_that_does_not_fit_is_an_error_on_enter(
    velocity: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        started(MoveConstantly(Transform(), velocity))
