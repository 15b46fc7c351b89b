"""Every contestant of the benchmark gets the same characters as the hand-written objects."""

from __future__ import annotations

import numpy as np
import pytest
from contestants import CONTESTANTS, CROWD, DRAWING, FLOOR, NUMBA, OBJECTS
from scenario import STATES, Beginning, Population, beginning, player_at

SIZE = 200
STEPS = 300


def after(population: Population, steps: int) -> Population:
    for player in player_at(0, steps):
        population.update(*player)
    return population


def load(name: str, size: int) -> Population:
    try:
        return CONTESTANTS[name].load()(size)
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CONTESTANTS) - {OBJECTS, FLOOR}))
def test_a_contestant_leaves_its_characters_where_the_objects_are(name: str) -> None:
    contestant, objects = after(load(name, SIZE), STEPS), after(load(OBJECTS, SIZE), STEPS)
    assert np.bincount(contestant.states()).tolist() == np.bincount(objects.states()).tolist()
    assert np.array_equal(contestant.states(), objects.states())
    assert np.array_equal(contestant.places(), objects.places())


@pytest.mark.slow
def test_the_characters_that_draw_are_in_the_same_places() -> None:
    crowd, loop = (after(DRAWING[name].load()(SIZE), STEPS) for name in (CROWD, NUMBA))
    assert np.array_equal(crowd.states(), loop.states())
    assert np.array_equal(crowd.places(), loop.places())


@pytest.mark.slow
def test_the_floor_leaves_everything_as_it_is() -> None:
    floor, start = after(load(FLOOR, SIZE), 3), beginning(SIZE)
    assert np.array_equal(floor.states(), start.states)
    assert np.array_equal(floor.places(), (start.x, start.y))


def test_the_beginning_is_the_same_every_time() -> None:
    first, second = beginning(10), beginning(10)
    assert all(np.array_equal(getattr(first, c), getattr(second, c)) for c in Beginning._fields)


def test_each_state_is_entered_and_left() -> None:
    objects = load(OBJECTS, SIZE)
    changes = set()
    before = objects.states()
    for player in player_at(0, STEPS):
        objects.update(*player)
        now = objects.states()
        changes |= set(
            zip(before[now != before].tolist(), now[now != before].tolist(), strict=True)
        )
        before = now
    patrol, wait, chase = range(len(STATES))
    assert changes == {
        (patrol, wait),
        (wait, patrol),
        (patrol, chase),
        (wait, chase),
        (chase, patrol),
    }


def test_the_player_is_never_lost_by_a_change_of_rounds() -> None:
    assert player_at(0, 5000)[1000:1010] == player_at(1000, 10)
