"""Rules 22 and 25: one long step does what short ones do, whatever finishes or fails within it."""

from random import Random
from typing import Any

import pytest

from actions import DelegateAction, Parallel, Race, Repeat, Retry, Sequence, Timeout, When
from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmState

SECONDS = (0.25, 0.5, 0.75, 1.0, 1.25)
SHORT, TOTAL = 0.25, 12.0
LISTS: tuple[Any, ...] = (Sequence, Parallel, Race)


class Ending(FsmAction):
    """Finishes or fails after so many seconds."""

    def __init__(self, name: str, seconds: float, *, fails: bool) -> None:
        self.name = name
        self.seconds = seconds
        self.fails = fails

    def on_enter(self) -> None:
        self.left = self.seconds

    @property
    def next_due(self) -> float:
        return self.left

    def on_update(self) -> None:
        self.left -= self.delta_time
        if self.left <= 0.0 and self.fails:
            self.fail(self.name, -self.left)
        elif self.left <= 0.0:
            self.finish(-self.left)


def yes() -> bool:
    return True


class Maker:
    """Makes up compositions of actions that finish and fail."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.count = 0

    def action(self, depth: int) -> FsmAction[Any]:
        rng = self.rng
        self.count += 1
        if depth == 0 or rng.random() < 0.3:
            seconds, fails = rng.choice(SECONDS), rng.random() < 0.4
            return Ending(f"n{self.count}", seconds, fails=fails)
        kind = rng.choice((*LISTS, Timeout, Retry, Repeat, When))
        if kind in LISTS:
            children = [self.action(depth - 1) for _ in range(rng.choice((1, 2, 3)))]
            needed = rng.choice((None, 1, len(children)))
            return Parallel(*children, needed=needed) if kind is Parallel else kind(*children)
        child = self.action(depth - 1)
        if kind is Timeout:
            return Timeout(child, rng.choice((0.5, 1.0, 2.0)), fails=rng.random() < 0.6)
        if kind is Retry:
            return Retry(child, rng.choice((1, 2, 3)), delay=rng.choice((0.25, 0.5)))
        return Repeat(child, rng.choice((1, 2, 3))) if kind is Repeat else When(yes, child)


def course(seed: int, step: float) -> list[tuple[object, ...]]:
    """When the states of a machine are entered, and by what, in updates of `step` seconds."""
    journal: list[tuple[object, ...]] = []

    def note(state: FsmState) -> None:
        fsm = state.fsm
        journal.append((round(fsm.time, 6), state.name, fsm.last_event, fsm.event_data))

    maker = Maker(seed)
    fsm = Fsm("M", carry_time=True, on_unhandled="ignore")
    states = [fsm.add_state(name) for name in "ABC"]
    for index, state in enumerate(states):
        state.add_action(DelegateAction(note))
        state.add_action(maker.action(2))
        state.add_transition(FINISHED, states[index - 2])
        state.add_transition(FAILED, states[index - 1])
    fsm.start()
    for _ in range(round(TOTAL / step)):
        fsm.update(step)
    return journal


@pytest.mark.parametrize("seed", range(40))
def test_a_long_step_does_what_short_ones_do(seed: int) -> None:
    expected = course(seed, SHORT)
    assert [course(seed, step) for step in (1.0, 3.0, TOTAL)] == [expected] * 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 500, 100))
def test_many_long_steps_do_what_short_ones_do(first: int) -> None:
    for seed in range(first, first + 100):
        test_a_long_step_does_what_short_ones_do(seed)
