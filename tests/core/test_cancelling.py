"""Cancelling delayed events: any of them, in any order, however many are pending."""

import copy
import random
from time import process_time

import pytest

from actions import OnEvent
from fsmkit import BACK, Fsm
from fsmkit.core.delayed import DelayedEvent


def machine(got: list[object]) -> Fsm:
    fsm = Fsm("Alarm clock")
    ready, pause = fsm.add_state("Ready"), fsm.add_state("Pause")
    ready.add_action(OnEvent("RING", lambda _state, number: got.append(number)))
    fsm.add_global_transition("PAUSE", pause, suspend=True)
    pause.add_transition("GO", BACK)
    fsm.start()
    return fsm


def test_those_due_at_the_same_time_are_cancelled_one_by_one() -> None:
    got: list[object] = []
    fsm = machine(got)
    first, second, third = (fsm.send_event_after(1.0, "RING", number) for number in range(3))
    second.cancel()
    second.cancel()
    fourth = fsm.send_event_after(1.0, "RING", 3)
    assert [each.pending for each in (first, second, third, fourth)] == [True, False, True, True]
    first.cancel()
    fsm.update(1.0)
    assert (got, third.pending) == ([2, 3], False)


def test_what_is_not_cancelled_of_many_comes_in_order() -> None:
    got: list[object] = []
    fsm, dice = machine(got), random.Random(3)
    delays = [float(dice.randrange(20)) for _ in range(300)]
    handles = [fsm.send_event_after(delay, "RING", n) for n, delay in enumerate(delays)]
    cancelled = dice.sample(range(300), 150)
    for number in cancelled:
        handles[number].cancel()
    left = sorted({*range(300)} - {*cancelled}, key=lambda n: (delays[n], n))
    assert [n for n, handle in enumerate(handles) if handle.pending] == sorted(left)
    for _ in range(20):
        fsm.update(1.0)
    assert got == left


def test_one_that_is_suspended_is_cancelled_where_it_waits() -> None:
    got: list[object] = []
    fsm = machine(got)
    first, second = (fsm.send_event_after(1.0, "RING", number) for number in range(2))
    fsm.send_event("PAUSE")
    first.cancel()
    assert (first.pending, second.pending) == (False, True)
    fsm.update(5.0)
    fsm.send_event("GO")
    assert fsm.next_due == 1.0
    fsm.update(1.0)
    assert got == [1]


def test_one_that_a_callback_cancels_is_not_delivered_in_that_update() -> None:
    got: list[object] = []
    fsm = machine(got)
    chosen: list[DelayedEvent] = []
    fsm.states["Ready"].add_action(OnEvent("STOP", lambda: chosen.pop().cancel()))
    fsm.start()
    fsm.send_event_after(1.0, "STOP")
    chosen.append(fsm.send_event_after(1.0, "RING", 1))
    fsm.update(1.0)
    assert (got, fsm.next_due) == ([], float("inf"))


def test_a_copy_cancels_its_own() -> None:
    got: list[object] = []
    fsm = machine(got)
    handle = fsm.send_event_after(1.0, "RING", 1)
    twin, its_handle = copy.deepcopy((fsm, handle))
    its_handle.cancel()
    assert (handle.pending, its_handle.pending, twin.next_due) == (True, False, float("inf"))


def test_those_of_a_state_that_was_exited_are_not_pending() -> None:
    fsm = machine([])
    handles = [fsm.send_event_after(1.0, "RING", n, keep=n == 1) for n in range(3)]
    fsm.start("Pause")
    for handle in (handles[0], handles[2]):
        assert not handle.pending
        handle.cancel()
    assert (handles[1].pending, fsm.next_due) == (True, 1.0)


@pytest.mark.slow
def test_it_takes_no_longer_among_many() -> None:
    def seconds(pending: int) -> float:
        fsm, dice = machine([]), random.Random(1)
        handles = [fsm.send_event_after(float(n % 100), "RING") for n in range(pending)]
        chosen = dice.sample(handles, 100)
        start = process_time()
        for handle in chosen:
            handle.cancel()
        return process_time() - start

    few, many = (min(seconds(pending) for _ in range(3)) for pending in (200, 20_000))
    assert many < 12 * few  # it was 110 times
