"""RandomWait: a wait that is rolled on each enter."""

from math import inf, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.parts.parameters import Param
from actions.random_wait import RandomWait
from fsmkit import FINISHED, Fsm, TimeReference


def run(wait: RandomWait) -> Fsm:
    fsm = Fsm("M", on_unhandled="ignore")
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    work.add_action(wait)
    work.add_transition(FINISHED, done)
    done.add_transition("AGAIN", work)
    fsm.start()
    return fsm


def test_it_finishes_when_the_rolled_time_is_over() -> None:
    wait = RandomWait(1.0, 2.0, rng=Random(7))
    fsm = run(wait)
    rolled = Random(7).uniform(1.0, 2.0)
    assert wait.length == rolled
    fsm.update(rolled - 0.01)
    assert not wait.finished
    fsm.update(0.01)
    assert fsm.current_state is fsm.states["Done"]


def test_each_enter_rolls_again_and_a_seed_makes_it_repeatable() -> None:
    def lengths() -> list[float]:
        wait = RandomWait(1.0, 2.0, rng=Random(7))
        fsm = run(wait)
        rolled = [wait.length]
        for _ in range(3):
            fsm.update(2.0)
            fsm.send_event("AGAIN")
            rolled.append(wait.length)
        return rolled

    assert len(set(lengths())) == 4
    assert lengths() == lengths()


@given(st.floats(0.0, 100.0), st.floats(0.0, 100.0), st.integers())
def test_it_lasts_from_shortest_to_longest(a: float, b: float, seed: int) -> None:
    shortest, longest = sorted((a, b))
    wait = RandomWait(shortest, longest, rng=Random(seed))
    run(wait)
    assert shortest <= wait.length <= longest


def test_equal_ends_are_a_plain_wait_and_zero_finishes_on_enter() -> None:
    wait = RandomWait(0.5, 0.5, rng=Random(1))
    run(wait)
    assert wait.length == 0.5
    fsm = run(RandomWait(0.0, 0.0, rng=Random(1)))
    assert fsm.current_state is fsm.states["Done"]


def test_the_ends_may_be_functions() -> None:
    ends = [1.0, 1.0]
    wait = RandomWait(lambda: ends[0], lambda: ends[1], rng=Random(1))
    fsm = run(wait)
    ends[:] = 3.0, 3.0
    fsm.start()
    assert wait.length == 3.0


def test_it_uses_its_time_reference_and_sends_its_finish_event() -> None:
    world = TimeReference("world", 0.5)
    wait = RandomWait(1.0, 1.0, rng=Random(1), finish_event="RESTED", time=world)
    fsm = run(wait)
    fsm.states["Work"].add_transition("RESTED", fsm.add_state("Rested"))
    fsm.update(1.5)
    assert wait.elapsed == 0.75
    fsm.update(0.5)
    assert fsm.current_state is fsm.states["Rested"]


@pytest.mark.parametrize("wrong", [-1.0, nan, inf])
def test_an_invalid_duration_is_refused_at_once(wrong: float) -> None:
    with pytest.raises(
        ValueError, match="shortest duration of a RandomWait must be a finite number of seconds"
    ):
        RandomWait(wrong, 1.0, rng=Random(1))
    with pytest.raises(
        ValueError, match="longest duration of a RandomWait must be a finite number of seconds"
    ):
        RandomWait(0.0, wrong, rng=Random(1))


def test_the_longest_is_not_less_than_the_shortest() -> None:
    with pytest.raises(ValueError, match=r"longest must be >= shortest, which is 2.0, got 1.0"):
        RandomWait(2.0, 1.0, rng=Random(1))


@pytest.mark.parametrize(("shortest", "longest"), [(2.0, lambda: 1.0), (lambda: -1.0, 1.0)])
def test_functions_are_checked_on_enter(shortest: Param[float], longest: Param[float]) -> None:
    wait = RandomWait(shortest, longest, rng=Random(1))
    with pytest.raises(ValueError, match="RandomWait"):
        run(wait)
