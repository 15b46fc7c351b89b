"""Choosing where time is carried over: one long step does what many short ones do."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import Option, Selector, Sequence, TimedWait, Utility
from fsmkit import FAILED, FINISHED, Fsm, FsmAction

QUARTERS = st.integers(1, 8).map(lambda n: n / 4)


class Try(FsmAction):
    """Takes some seconds, and fails or finishes at their end."""

    def __init__(self, name: str, seconds: float, *, fails: bool, journal: list[str]) -> None:
        self.name, self.seconds, self.fails, self.journal = name, seconds, fails, journal

    @property
    def next_due(self) -> float:
        return self.left

    def on_enter(self) -> None:
        self.left = self.seconds
        self.journal.append(f"{self.fsm.time:g} {self.name}")

    def on_update(self) -> None:
        self.left -= self.delta_time
        if self.left <= 0.0:
            end = self.fail if self.fails else self.finish
            end(unused=-self.left)

    def on_exit(self) -> None:
        self.journal.append(f"{self.fsm.time:g} not {self.name}")


def played(action: FsmAction[Any], journal: list[str], steps: list[float]) -> list[str]:
    fsm = Fsm("M", carry_time=True)
    work, done, lost = (fsm.add_state(name) for name in ("Work", "Done", "Lost"))
    work.add_action(action)
    work.add_transition(FINISHED, done)
    work.add_transition(FAILED, lost)
    fsm.start()
    for step in steps:
        fsm.update(step)
    assert fsm.current_state is not None
    return [*journal, fsm.current_state.name, f"{fsm.time_in_state:g}"]


LONG, SHORT = [16.0], [0.25] * 64


@pytest.mark.slow
@given(tries=st.lists(st.tuples(QUARTERS, st.booleans()), min_size=1, max_size=4))
def test_a_selector_that_falls_through_its_options(tries: list[tuple[float, bool]]) -> None:
    def run(steps: list[float]) -> list[str]:
        journal: list[str] = []
        options = (
            Option(Try(str(n), seconds, fails=fails, journal=journal))
            for n, (seconds, fails) in enumerate(tries)
        )
        return played(Sequence(Selector(*options), TimedWait(1.0)), journal, steps)

    assert run(LONG) == run(SHORT)


@pytest.mark.slow
@given(
    tries=st.lists(st.tuples(QUARTERS, st.booleans()), min_size=1, max_size=4),
    every=st.sampled_from((0.75, 1.0, 99.0)),
)
def test_a_utility_that_goes_round(tries: list[tuple[float, bool]], every: float) -> None:
    def run(steps: list[float]) -> list[str]:
        journal: list[str] = []
        options = (
            Option(Try(str(n), seconds, fails=fails, journal=journal), score=worth(n))
            for n, (seconds, fails) in enumerate(tries)
        )
        return played(Utility(*options, every=every), journal, steps)

    assert run(LONG) == run(SHORT)


def worth(n: int) -> Any:
    return lambda state: float(int(state.fsm.time * (n + 1)) % 3)
