"""Jump: up and back on a parabola."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.jump import Jump
from actions.move_constantly import MoveConstantly
from fsmkit import Fsm, FsmAction, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive


def started(*actions: FsmAction[Any]) -> Fsm:
    fsm = Fsm("M")
    state = fsm.add_state("A")
    for action in actions:
        state.add_action(action)
    fsm.start()
    return fsm


def test_is_highest_after_half_the_time_and_back_at_the_end() -> None:
    thing = Transform((5.0, 1.0))
    jump = Jump(thing, 2.0, 1.0)
    fsm = started(jump)
    heights = [thing.position]
    for _ in range(4):
        fsm.update(0.25)
        heights.append(thing.position)
    assert heights == [(5.0, 1.0), (5.0, 2.5), (5.0, 3.0), (5.0, 2.5), (5.0, 1.0)]
    assert jump.finished


@pytest.mark.slow
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.lists(st.floats(0.0, 0.4), max_size=20))
def test_ends_at_exactly_the_height_it_started_from(
    ground: float, height: float, dts: list[float]
) -> None:
    thing = Transform((0.0, ground))
    jump = Jump(thing, height, 1.0)
    drive(started(jump), [*dts, 1e12])
    assert (thing.position, jump.finished) == ((0.0, ground), True)


@pytest.mark.parametrize(("duration", "dts"), [(0.0, []), (1e-9, [1e-12])])
def test_short_jumps_end_at_once(duration: float, dts: list[float]) -> None:
    thing = Transform((0.0, 0.1))
    jump = Jump(thing, 3.0, duration)
    drive(started(jump), dts)
    assert (thing.position, jump.finished) == ((0.0, 0.1), True)


def test_goes_together_with_what_moves_along_the_other_axes() -> None:
    thing = Transform((0.0, 0.0))
    fsm = started(Jump(thing, 2.0, 1.0), MoveConstantly(thing, (4.0, 0.0)))
    drive(fsm, [0.5])
    half = thing.position
    drive(fsm, [0.5])
    assert (half, thing.position) == ((2.0, 2.0), (4.0, 0.0))


def test_up_names_the_axis() -> None:
    thing = Transform((1.0, 2.0, 3.0))
    drive(started(Jump(thing, 2.0, 1.0, up=2)), [0.5])
    assert thing.position == (1.0, 2.0, 5.0)


@pytest.mark.parametrize("up", [2, -1, 1.5])
def test_an_axis_that_is_not_there_is_an_error_on_enter(up: Any) -> None:
    with pytest.raises(ValueError, match=r"Jump: up must be the index of an axis .* from 0 to 1"):
        started(Jump(Transform(), 2.0, 1.0, up=up))


def test_every_visit_jumps_from_where_the_thing_is_then() -> None:
    thing = Transform((0.0, 0.0))
    heights = iter([2.0, 4.0])
    fsm = started(Jump(thing, lambda: next(heights), 1.0))
    fsm.update(0.5)
    first = thing.position
    fsm.start()
    fsm.update(0.5)
    assert (first, thing.position) == ((0.0, 2.0), (0.0, 6.0))


def test_self_space_is_the_parents() -> None:
    ship = Transform(rotation=90.0)
    sailor = Transform(parent=ship)
    drive(started(Jump(sailor, 2.0, 1.0, space=Space.SELF)), [0.5])
    assert sailor.position == (-2.0, 0.0)


def test_it_uses_its_time_reference_and_sends_its_finish_event() -> None:
    thing = Transform()
    jump = Jump(thing, 2.0, 1.0, finish_event="LANDED", time=TimeReference("slow", 0.5))
    fsm = started(jump)
    fsm.states["A"].add_transition("LANDED", fsm.add_state("B"))
    fsm.update(1)
    half = thing.position
    assert drive(fsm, [1])[1:3] == ["Jump finished", "event LANDED: changed"]
    assert (half, thing.position) == ((0.0, 2.0), (0.0, 0.0))
