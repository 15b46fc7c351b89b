"""Move: from one position to another."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.easing import ease_in_quad
from actions.move import Move
from fsmkit import FINISHED, Fsm, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive


def started(move: Move) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(move)
    fsm.start()
    return fsm


def test_goes_evenly_from_start_to_end() -> None:
    thing = Transform((9.0, 9.0))
    move = Move(thing, (0.0, 0.0), (8.0, 4.0), 2.0)
    fsm = started(move)
    path = [thing.position]
    for _ in range(4):
        fsm.update(0.5)
        path.append(thing.position)
    assert path == [(0.0, 0.0), (2.0, 1.0), (4.0, 2.0), (6.0, 3.0), (8.0, 4.0)]
    assert move.finished


@pytest.mark.parametrize(("duration", "dts"), [(0.0, []), (1e-9, [1e-12]), (0.3, [1e12])])
def test_ends_exactly_at_the_end(duration: float, dts: list[float]) -> None:
    thing = Transform((0.1, 0.2))
    move = Move(thing, None, (0.7, 1e9 / 3), duration)
    drive(started(move), dts)
    assert (thing.position, move.finished) == ((0.7, 1e9 / 3), True)


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 0.4), max_size=30))
def test_is_the_same_at_every_frame_rate(dts: list[float]) -> None:
    thing = Transform((1.0, -1.0))
    drive(started(Move(thing, None, (11.0, 4.0), 10.0)), dts)
    passed = min(10.0, sum(dts))
    assert thing.position == pytest.approx((1.0 + passed, -1.0 + passed / 2))


def test_start_none_is_where_it_is_at_every_enter() -> None:
    thing = Transform((0.0, 0.0))
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Move(thing, None, (8.0, 0.0), 1.0))
    state.add_transition("AGAIN", state)
    fsm.start()
    fsm.update(0.5)
    fsm.send_event("AGAIN")
    fsm.update(0.5)
    assert thing.position == (6.0, 0.0)


def test_start_and_end_may_be_functions_called_on_enter() -> None:
    ends = iter([(0.0, 0.0), (4.0, 0.0), (0.0, 0.0), (0.0, 2.0)])
    thing = Transform()
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Move(thing, lambda: next(ends), lambda: next(ends), lambda: 2.0))
    fsm.start()
    fsm.update(1)
    first = thing.position
    fsm.start()
    fsm.update(1)
    assert (first, thing.position) == ((2.0, 0.0), (0.0, 1.0))


def test_between_equal_ends_it_finishes_on_enter_at_its_end() -> None:
    thing = Transform((5.0, 5.0))
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Move(thing, (1.0, 2.0), (1.0, 2.0), 9.0, finish_event="THERE"))
    fsm.states["A"].add_transition("THERE", fsm.add_state("B"))
    assert drive(fsm, [fsm.start]) == [
        "enter A", "Move finished", "event THERE: changed", "Move entered",
        "Move left", "leave A", "enter B",
    ]  # fmt: skip
    assert thing.position == (1.0, 2.0)


def test_finished_leads_on() -> None:
    thing = Transform()
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Move(thing, None, (1.0, 0.0), 1.0))
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    assert drive(fsm, [0.5, 0.5]) == [
        "update 0.5", "update 0.5", "Move finished", "event FINISHED: changed",
        "Move left", "leave A", "enter B",
    ]  # fmt: skip


def test_easing_bends_the_way_but_not_the_end() -> None:
    thing = Transform()
    fsm = started(Move(thing, None, (8.0, 0.0), 1.0, easing=ease_in_quad))
    fsm.update(0.5)
    half = thing.position
    fsm.update(0.5)
    assert (half, thing.position) == ((2.0, 0.0), (8.0, 0.0))


def test_it_uses_its_time_reference() -> None:
    world = TimeReference("world", scale=0.5)
    thing = Transform()
    fsm = started(Move(thing, None, (8.0, 0.0), 1.0, time=world))
    fsm.update(1)
    world.paused = True
    fsm.update(1)
    assert thing.position == (4.0, 0.0)


def test_self_space_is_the_parents() -> None:
    ship = Transform((100.0, 0.0), rotation=90.0)
    sailor = Transform((100.0, 0.0), parent=ship)
    fsm = started(Move(sailor, None, (4.0, 0.0), 2.0, space=Space.SELF))
    ship.position = (200.0, 0.0)
    fsm.update(1)
    assert (sailor.local_position, sailor.position) == ((2.0, 0.0), (200.0, 2.0))


def test_an_end_that_changes_in_place_does_not_matter() -> None:
    pygame = pytest.importorskip("pygame")
    end = pygame.Vector2(8, 0)
    thing = SimpleNamespace(position=pygame.Vector2(0, 0))
    fsm = started(Move(thing, None, end, 1.0))
    end.x = 100
    fsm.update(0.5)
    thing.position.y = 7
    fsm.update(0.5)
    assert (thing.position, end) == (pygame.Vector2(8, 0), pygame.Vector2(100, 0))


def test_tuples_become_vectors_of_the_things_own_kind() -> None:
    pygame = pytest.importorskip("pygame")
    thing = SimpleNamespace(position=pygame.Vector2(0, 0))
    fsm = started(Move(thing, None, (8, 0), 1.0))
    fsm.update(1)
    assert (type(thing.position), thing.position) == (pygame.Vector2, pygame.Vector2(8, 0))


@pytest.mark.parametrize(
    ("end", "error", "message"),
    [
        ((1.0, 2.0, 3.0), ValueError, r"must have the same number of axes"),
        ("home", TypeError, r"end must be something that has values between. .* got 'home' and"),
        (lambda: 5, ValueError, r"must have the same number of axes"),
    ],
)
def test_an_end_that_does_not_fit_is_an_error_on_enter(
    end: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        started(Move(Transform(), None, end, 1.0))


def test_a_thing_without_a_position_is_refused() -> None:
    with pytest.raises(TypeError, match="Move: transform must be something with a position, got"):
        Move(object(), (0.0, 0.0), (1.0, 0.0), 1.0)
