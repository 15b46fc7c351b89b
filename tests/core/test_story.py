"""The story of an event: whoever follows it opens few files of the core."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from actions import RunFsm, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmState, core

if core.CORE_KIND == "kernel":
    pytest.skip("only the pure core can be followed: FSMKIT_PURE=1", allow_module_level=True)

FOLDER = f"{Path(core.__file__).parent}{os.sep}"
MOST = 7


@contextmanager
def few_files() -> Iterator[None]:
    """Carry out the block; fail unless the functions that it enters stand in few files."""
    opened: set[str] = set()

    def enter(frame: FrameType, kind: str, _: object) -> None:
        file = frame.f_code.co_filename
        if kind == "call" and file.startswith(FOLDER):
            opened.add(file.removeprefix(FOLDER))

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert 0 < len(opened) <= MOST, sorted(opened)


class Guard(FsmAction):
    """Overrides what is called on the way in and out."""

    def on_enter(self) -> None:
        pass

    def on_exit(self) -> None:
        pass


class Sentry(Guard):
    """Sends an event in a callback."""

    def on_update(self) -> None:
        self.fsm.send_event("SEEN")


class Clumsy(Guard):
    def on_exit(self) -> None:
        raise ZeroDivisionError


def two_states(
    first: FsmAction, second: FsmAction | None = None, *, carry_time: bool = False
) -> tuple[Fsm, FsmState, FsmState]:
    fsm = Fsm("Guard", carry_time=carry_time)
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(first)
    chase.add_action(second or Guard())
    return fsm, patrol, chase


def test_an_event_opens_few_files() -> None:
    fsm, patrol, chase = two_states(Guard())
    patrol.add_transition("SEEN", chase)
    fsm.start()
    with few_files():
        fsm.send_event("SEEN")
    assert fsm.current_state is chase


def test_an_event_in_a_callback_opens_few_files() -> None:
    fsm, patrol, chase = two_states(Sentry())
    patrol.add_transition("SEEN", chase)
    fsm.start()
    with few_files():
        fsm.update(0.1)
    assert fsm.current_state is chase


def test_a_wait_that_finishes_opens_few_files() -> None:
    fsm, patrol, chase = two_states(TimedWait(0.5))
    patrol.add_transition(FINISHED, chase)
    fsm.start()
    with few_files():
        fsm.update(0.75)
    assert fsm.current_state is chase


def test_an_error_on_exit_opens_few_files() -> None:
    fsm, patrol, chase = two_states(Clumsy())
    patrol.add_transition("SEEN", chase)
    fsm.start()
    with few_files(), pytest.raises(ZeroDivisionError):
        fsm.send_event("SEEN")
    assert fsm.current_state is chase


def test_a_guard_and_an_effect_opens_few_files() -> None:
    effects: list[str] = []
    fsm, patrol, chase = two_states(Guard())
    patrol.add_transition(
        "SEEN", chase, when=lambda state: True, do=lambda state: effects.append(state.name)
    )
    fsm.start()
    with few_files():
        fsm.send_event("SEEN")
    assert (fsm.current_state, effects) == (chase, ["Patrol"])


def test_a_suspension_and_the_return_opens_few_files() -> None:
    fsm, patrol, chase = two_states(Guard())
    patrol.add_transition("SEEN", chase, suspend=True)
    chase.add_transition("LOST", BACK)
    fsm.start()
    with few_files():
        fsm.send_event("SEEN")
        assert fsm.suspended == (patrol,)
        fsm.send_event("LOST")
    assert fsm.current_state is patrol


def test_the_outcome_of_a_nested_machine_opens_few_files() -> None:
    inner = Fsm("Round")
    gate = inner.add_state("Gate")
    gate.add_transition("NOISE", inner.add_state("Alarmed", final=True))
    fsm, patrol, chase = two_states(RunFsm(inner, {"Alarmed": "SEEN"}))
    patrol.add_transition("SEEN", chase)
    fsm.start()
    with few_files():
        fsm.send_event("NOISE")
    assert fsm.current_state is chase


def test_time_that_is_carried_on_opens_few_files() -> None:
    wait = TimedWait(1.0)
    fsm, patrol, chase = two_states(TimedWait(0.5), wait, carry_time=True)
    patrol.add_transition(FINISHED, chase)
    fsm.start()
    with few_files():
        fsm.update(0.75)
    assert (fsm.current_state, fsm.time_in_state) == (chase, 0.25)
