"""MoveBy: relative to where a thing is."""

import pytest

from actions.move_by import MoveBy
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive


def started(move: MoveBy) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(move)
    fsm.start()
    return fsm


def test_starts_where_the_thing_is_at_every_enter() -> None:
    thing = Transform((1.0, 1.0))
    fsm = started(MoveBy(thing, (4.0, -2.0), 2.0))
    fsm.update(1)
    half = thing.position
    fsm.update(1)
    whole = thing.position
    fsm.start()
    fsm.update(2)
    assert [half, whole, thing.position] == [(3.0, 0.0), (5.0, -1.0), (9.0, -3.0)]


@pytest.mark.parametrize(("duration", "dts"), [(0.0, []), (1e-9, [1e-12]), (0.3, [0.1, 1e12])])
def test_ends_at_exactly_start_plus_offset(duration: float, dts: list[float]) -> None:
    thing = Transform((0.1, 0.7))
    move = MoveBy(thing, (0.2, 1e9 / 3), duration)
    drive(started(move), dts)
    assert (thing.position, move.finished) == ((0.1 + 0.2, 0.7 + 1e9 / 3), True)


def test_the_offset_may_be_a_function_called_on_enter() -> None:
    offsets = iter([(1.0, 0.0), (0.0, 1.0)])
    thing = Transform()
    fsm = started(MoveBy(thing, lambda: next(offsets), 0.0))
    fsm.start()
    assert thing.position == (1.0, 1.0)


def test_self_space_goes_along_the_parents_axes() -> None:
    ship = Transform((0.0, 0.0), rotation=90.0)
    sailor = Transform((0.0, 0.0), parent=ship)
    drive(started(MoveBy(sailor, (3.0, 0.0), 1.0, space=Space.SELF)), [1])
    assert sailor.position == (0.0, 3.0)


def test_it_uses_its_time_reference_and_sends_its_finish_event() -> None:
    thing = Transform()
    move = MoveBy(thing, (4.0, 0.0), 1.0, finish_event="THERE", time=TimeReference("slow", 0.5))
    fsm = started(move)
    fsm.states["A"].add_transition("THERE", fsm.add_state("B"))
    fsm.update(1)
    half = thing.position
    assert drive(fsm, [1])[1:3] == ["MoveBy finished", "event THERE: changed"]
    assert (half, thing.position) == ((2.0, 0.0), (4.0, 0.0))


def test_an_offset_with_other_axes_is_an_error_on_enter() -> None:
    with pytest.raises(ValueError, match="must have the same number of axes"):
        started(MoveBy(Transform(), (1.0, 2.0, 3.0), 1.0))
