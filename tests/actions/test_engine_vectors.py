"""Vectors of engines: they calculate themselves, and no two things share one."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pyglm import glm

from actions import Flee, FollowPath, FollowWaypoints, Move, MoveBy, MoveTowards, PathMode
from fsmkit import Fsm, FsmAction
from fsmkit.space import components


def pygame_vector(x: float, y: float) -> Any:
    return pytest.importorskip("pygame").Vector2(x, y)


makers = pytest.mark.parametrize("make", [pygame_vector, glm.vec2, glm.dvec2])

Maker = Callable[[float, float], Any]

GO: dict[str, Callable[[Any, Any], FsmAction]] = {
    "Move": lambda thing, there: Move(thing, None, there, 1.0),
    "MoveTowards": lambda thing, there: MoveTowards(thing, there, 5.0),
    "FollowPath": lambda thing, there: FollowPath(thing, [there], 5.0),
    "FollowWaypoints": lambda thing, there: FollowWaypoints(
        thing, [there], 5.0, mode=PathMode.ONCE
    ),
}
there_by = pytest.mark.parametrize("go", GO.values(), ids=GO)


def run(action: FsmAction, *steps: float) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    fsm.start()
    for dt in steps:
        fsm.update(dt)


@there_by
@makers
def test_it_arrives_at_exactly_the_vector_and_keeps_its_class(make: Maker, go: Any) -> None:
    thing, there = SimpleNamespace(position=make(0, 0)), make(3, 4)
    run(go(thing, there), 0.5)
    assert components(thing.position) == pytest.approx((1.5, 2.0))
    assert type(thing.position) is type(there)
    run(go(thing, there), 0.5, 0.7)
    assert components(thing.position) == (3, 4)
    assert type(thing.position) is type(there)


@there_by
@makers
def test_what_moves_it_in_place_afterwards_does_not_move_the_target(make: Maker, go: Any) -> None:
    thing, there = SimpleNamespace(position=make(0, 0)), make(3, 4)
    run(go(thing, there), 2.0)
    thing.position.x = 99
    assert components(there) == (3, 4)


@there_by
def test_a_vector_of_another_class_is_a_target_as_well(go: Any) -> None:
    thing = SimpleNamespace(position=glm.vec2(0, 0))
    run(go(thing, (3, 4)), 2.0)
    assert thing.position == glm.vec2(3, 4)
    assert type(thing.position) is glm.vec2


@makers
def test_it_flees_straight_away(make: Maker) -> None:
    thing = SimpleNamespace(position=make(0, 3))
    run(Flee(thing, make(0, 0), 2.0, distance=8.0), 1.0)
    assert components(thing.position) == (0, 5)
    assert type(thing.position) is type(make(0, 0))


@makers
def test_an_offset_may_be_a_vector(make: Maker) -> None:
    thing = SimpleNamespace(position=make(1, 1))
    run(MoveBy(thing, make(2, 4), 1.0), 0.5, 0.5)
    assert components(thing.position) == (3, 5)
