"""The flock, the epidemic and the agents that die are the same, whoever computes them."""

from __future__ import annotations

import numpy as np
import pytest
from flock import NEAR, CrowdFlock
from passing import NumpyWalkers, Walkers

SIZE = 500


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PairsFlock", "BallsFlock"])
def test_a_flock_by_a_tree_sees_what_the_crowd_sees_and_flies_the_same_way(name: str) -> None:
    scipy_flock = pytest.importorskip("scipy_flock", exc_type=ImportError)
    crowd, other = CrowdFlock(SIZE, threads=1), getattr(scipy_flock, name)(SIZE)
    for _ in range(10):
        crowd.step()
        other.step()
    for column, values in other.seen().items():
        assert np.allclose(values, crowd.seen()[column], rtol=1e-9, atol=1e-9), column
    for column, values in other.columns.items():
        assert np.allclose(values, crowd.crowd[column], rtol=1e-9, atol=1e-9), column


@pytest.mark.slow
def test_in_a_flock_ten_are_near_each_on_average() -> None:
    flock = CrowdFlock(SIZE, threads=1)
    assert flock.seen()["near"].mean() == pytest.approx(NEAR, rel=0.1)


@pytest.mark.slow
def test_the_agents_that_die_leave_the_same_children() -> None:
    crowd, numpy = Walkers(SIZE, 0.01, is_passing=True), NumpyWalkers(SIZE, 0.01)
    for _ in range(150):
        crowd.step()
        numpy.step()
    ours, theirs = crowd.columns(), numpy.columns()
    assert crowd.crowd.ids.max() >= SIZE
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


@pytest.mark.slow
def test_those_that_turn_back_are_as_many_and_where_their_children_would_be() -> None:
    dying = Walkers(SIZE, 0.01, is_passing=True)
    staying = Walkers(SIZE, 0.01, is_passing=False)
    for _ in range(150):
        dying.step()
        staying.step()
    for name, column in dying.columns().items():
        assert np.array_equal(np.sort(column), np.sort(staying.columns()[name])), name
