"""Coroutine: a generator per visit."""

from collections.abc import Generator

import pytest

from actions import Coroutine
from fsmkit import FINISHED, Fsm, FsmState

Routine = Generator[float | None, None, None]


def machine(routine: object) -> Fsm:
    fsm = Fsm("M", on_unhandled="raise")
    state = fsm.add_state("A")
    state.add_transition(FINISHED, fsm.add_state("B"))
    state.add_transition("GO", "B")
    state.add_action(Coroutine(routine))  # type: ignore[arg-type]
    return fsm


def test_yield_waits_for_the_next_update() -> None:
    steps: list[float] = []

    def routine(state: FsmState) -> Routine:
        for _ in range(3):
            steps.append(state.fsm.time)
            yield

    fsm = machine(routine)
    fsm.start()
    for _ in range(3):
        assert fsm.current_state.name == "A"
        fsm.update(1)
    assert steps == [0, 1, 2]
    assert fsm.current_state.name == "B"


@pytest.mark.parametrize("dt", [0.05, 0.1, 0.25, 0.7, 3.0])
def test_waits_add_up_whatever_the_steps_of_time(dt: float) -> None:
    rounds = 0

    def routine(_state: FsmState) -> Routine:
        nonlocal rounds
        while True:
            yield 0.2
            rounds += 1

    fsm = machine(routine)
    fsm.start()
    while fsm.time < 3 - 1e-9:
        fsm.update(dt)
    assert rounds == int((fsm.time + 1e-9) / 0.2)


def test_it_is_closed_when_the_state_is_exited_and_begins_again_on_the_next_enter() -> None:
    journal: list[str] = []

    def routine(_state: FsmState) -> Routine:
        try:
            journal.append("begin")
            yield 5
        finally:
            journal.append("end")

    fsm = machine(routine)
    for _ in range(2):
        fsm.start()
        fsm.send_event("GO")
    assert journal == ["begin", "end", "begin", "end"]


def test_an_event_it_sends_changes_the_state_when_it_yields() -> None:
    journal: list[str] = []

    def routine(state: FsmState) -> Routine:
        yield
        state.send_event("GO")
        journal.append("still running")
        yield
        journal.append("never")

    fsm = machine(routine)
    fsm.start()
    fsm.update(1)
    assert fsm.current_state.name == "B"
    assert journal == ["still running"]


def test_subroutines_and_zero_seconds() -> None:
    def rest(times: int) -> Routine:
        for _ in range(times):
            yield 0

    def routine(_state: FsmState) -> Routine:
        yield from rest(2)

    fsm = machine(routine)
    fsm.start()
    fsm.update(1)
    assert fsm.current_state.name == "A"
    fsm.update(1)
    assert fsm.current_state.name == "B"


def test_a_routine_that_returns_no_generator_is_refused() -> None:
    with pytest.raises(
        TypeError, match="must return a generator, got None. Give a function that contains `yield`"
    ):
        machine(lambda _state: None).start()


@pytest.mark.parametrize(
    ("pause", "error"),
    [(b"x", TypeError), (True, TypeError), (-1, ValueError), (float("inf"), ValueError)],
)
def test_other_things_to_wait_for_are_refused(pause: object, error: type[Exception]) -> None:
    def routine(_state: FsmState) -> Generator[object, None, None]:
        yield pause

    with pytest.raises(error, match="`yield` must give"):
        machine(routine).start()


@pytest.mark.parametrize("carry_time", [False, True])
def test_an_update_that_was_waited_for_counts_unless_time_is_exact(carry_time: bool) -> None:
    def routine(state: FsmState) -> Routine:
        yield
        yield 1.5

    fsm = machine(routine)
    fsm.carry_time = carry_time
    fsm.start()
    fsm.update(1.0)
    fsm.update(0.5)
    assert fsm.current_state.name == ("A" if carry_time else "B")
    fsm.update(1.0)
    assert fsm.current_state.name == "B"


def test_an_empty_name_is_no_event() -> None:
    def routine(_state: FsmState) -> Generator[str, None, None]:
        yield ""

    with pytest.raises(TypeError, match="`yield` must give"):
        machine(routine).start()
