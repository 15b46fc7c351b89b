"""Work of a task or a thread in a suspended state: cancelled and begun again, or going on."""

import asyncio
import copy
import gc
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import pytest

from actions import (
    Await,
    Coroutine,
    InThread,
    Parallel,
    Repeat,
    Retry,
    RunFsm,
    Sequence,
    TimedWait,
    Timeout,
)
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmError
from fsmkit.recording import Recording, replay, restore, snapshot


class Motor:
    """Calls that drive until they get an answer; a journal of how they went."""

    def __init__(self) -> None:
        self.journal: list[str] = []
        self.answers: list[asyncio.Future[object]] = []

    async def drive(self) -> object:
        self.journal.append("on")
        self.answers.append(asyncio.get_running_loop().create_future())
        try:
            return await self.answers[-1]
        finally:
            self.journal.append("off")


@pytest.fixture
def motor() -> Motor:
    return Motor()


def robot(*actions: FsmAction[Any], carry_time: bool = False) -> Fsm[Any]:
    """Go (with the actions) -> There on FINISHED, -> Lost on ERROR; suspended by STOP."""
    fsm: Fsm[Any] = Fsm("Robot", on_unhandled="raise", carry_time=carry_time)
    go, stopped, there, lost = map(fsm.add_state, ("Go", "Stopped", "There", "Lost"))
    for action in actions:
        go.add_action(action)
    go.add_transition(FINISHED, there)
    go.add_transition(ERROR, lost)
    fsm.add_global_transition("STOP", stopped, suspend=True)
    stopped.add_transition("RELEASE", BACK)
    return fsm


async def settle(fsm: Fsm[Any] | None = None, dt: float = 0.0) -> None:
    for _ in range(3):
        await asyncio.sleep(0)
    if fsm is not None:
        fsm.update(dt)


def path_and_data(fsm: Fsm[Any]) -> tuple[tuple[str, ...], object]:
    return fsm.path, fsm.event_data


async def stop_and_release(fsm: Fsm[Any], motor: Motor) -> None:
    """Drive, stop, wait, release, and let the second call answer 42."""
    fsm.start()
    await settle(fsm)
    fsm.send_event("STOP")
    for _ in range(5):
        await settle(fsm, 1.0)
    motor.journal.append("RELEASE")
    fsm.send_event("RELEASE")
    await settle()
    motor.answers[-1].set_result(42)
    await settle(fsm)


# Tasks

AROUND: dict[str, Callable[[FsmAction[Any]], FsmAction[Any]]] = {
    "alone": lambda work: work,
    "Retry": lambda work: Retry(work, 2),
    "Timeout": lambda work: Timeout(work, 3.0),
    "Sequence": lambda work: Sequence(TimedWait(0.0), work),
    "Parallel": lambda work: Parallel(work, TimedWait(0.0)),
    "Repeat": lambda work: Repeat(work, 1),
}


@pytest.mark.parametrize("around", AROUND)
def test_a_task_is_cancelled_and_begun_again(around: str, motor: Motor) -> None:
    fsm = robot(AROUND[around](Await(motor.drive)))
    asyncio.run(stop_and_release(fsm, motor))
    assert motor.journal == ["on", "off", "RELEASE", "on", "off"]
    assert fsm.current_state is fsm.states["There"]


def test_saying_so_changes_nothing(motor: Motor) -> None:
    fsm = robot(Await(motor.drive, suspended="begin again"))
    asyncio.run(stop_and_release(fsm, motor))
    assert motor.journal == ["on", "off", "RELEASE", "on", "off"]
    assert path_and_data(fsm) == (("There",), 42)


def test_one_that_is_to_go_on_goes_on_and_its_result_waits(motor: Motor) -> None:
    async def play() -> None:
        fsm.start()
        await settle(fsm)
        fsm.send_event("STOP")
        await settle(fsm)
        assert motor.journal == ["on"]
        motor.answers[0].set_result(42)
        await settle(fsm)
        assert path_and_data(fsm) == (("Stopped",), None)
        fsm.send_event("RELEASE")
        fsm.update(0.1)

    fsm = robot(Await(motor.drive, suspended="go on"))
    asyncio.run(play())
    assert (motor.journal, path_and_data(fsm)) == (["on", "off"], (("There",), 42))


def test_a_result_that_was_on_its_way_is_kept(motor: Motor) -> None:
    async def play() -> None:
        fsm.start()
        await settle(fsm)
        motor.answers[0].set_result(42)
        await settle()
        fsm.send_event("STOP")
        fsm.send_event("RELEASE")
        await settle(fsm)

    fsm = robot(Await(motor.drive))
    asyncio.run(play())
    assert (motor.journal, path_and_data(fsm)) == (["on", "off"], (("There",), 42))


def test_what_a_cancelled_task_still_says_is_dropped(motor: Motor) -> None:
    async def drive() -> object:
        with suppress(asyncio.CancelledError):
            return await motor.drive()
        return "stopped"

    fsm = robot(Await(drive))
    asyncio.run(stop_and_release(fsm, motor))
    assert path_and_data(fsm) == (("There",), 42)


def test_a_routine_goes_on_at_the_yield_at_which_it_was_stopped(motor: Motor) -> None:
    said: list[object] = []

    def routine() -> Any:
        said.append((yield Await(motor.drive)))

    fsm = robot(Coroutine(routine))
    asyncio.run(stop_and_release(fsm, motor))
    assert (said, motor.journal) == ([42], ["on", "off", "RELEASE", "on", "off"])


def test_a_stop_is_no_failed_try(motor: Motor) -> None:
    async def play() -> None:
        await stop_and_release(fsm, motor)

    retry = Retry(Await(motor.drive), 1)
    fsm = robot(retry)
    asyncio.run(play())
    assert (retry.tries, fsm.path) == (1, ("There",))


def test_a_timeout_stands_still_and_begins_nothing_after_its_end(motor: Motor) -> None:
    async def play() -> None:
        fsm.start()
        await settle(fsm, 2.0)
        fsm.send_event("STOP")
        await settle(fsm, 60.0)
        fsm.send_event("RELEASE")
        await settle(fsm, 0.5)
        assert fsm.path == ("Go",)
        await settle(fsm, 0.5)
        await settle()

    fsm = robot(Timeout(Await(motor.drive), 3.0))
    asyncio.run(play())
    assert (motor.journal, fsm.path) == (["on", "off"] * 2, ("There",))


@pytest.mark.parametrize("end", ["stop", "leave"])
def test_one_that_is_exited_while_it_is_suspended_is_not_begun_again(
    end: str, motor: Motor
) -> None:
    async def play() -> None:
        fsm.start()
        await settle(fsm)
        fsm.send_event("STOP")
        fsm.stop() if end == "stop" else fsm.start("There")
        await settle(fsm)

    fsm = robot(Await(motor.drive))
    asyncio.run(play())
    assert motor.journal == ["on", "off"]


def test_a_nested_machine_is_stopped_with_its_host(motor: Motor) -> None:
    inner: Fsm[Any] = Fsm("Arm", on_unhandled="raise")
    inner.add_state("Lift").add_action(Await(motor.drive))
    inner.states["Lift"].add_transition(FINISHED, inner.add_state("Up", final=True))
    fsm = robot(RunFsm(inner))
    asyncio.run(stop_and_release(fsm, motor))
    assert motor.journal == ["on", "off", "RELEASE", "on", "off"]
    assert (fsm.path, inner.path) == (("There",), ())


@pytest.mark.parametrize("carry_time", [False, True])
def test_two_stops_in_a_row(motor: Motor, carry_time: bool) -> None:
    async def play() -> None:
        fsm.start()
        for _ in range(2):
            await settle(fsm)
            await settle(fsm)
            fsm.send_event("STOP")
            fsm.send_event("RELEASE")
        await settle(fsm)
        await settle(fsm)
        motor.answers[-1].set_result(42)
        await settle(fsm)

    fsm = robot(Await(motor.drive), carry_time=carry_time)
    asyncio.run(play())
    assert motor.journal == ["on", "off"] * 3
    assert path_and_data(fsm) == (("There",), 42)


def test_it_is_not_begun_again_before_it_has_ended() -> None:
    async def drive() -> None:
        journal.append("on")
        try:
            await asyncio.sleep(60.0)
        finally:
            await stopped.wait()  # the motor answers late
            journal.append("off")

    async def play() -> None:
        fsm.start()
        await settle(fsm)
        fsm.send_event("STOP")
        await settle(fsm)
        fsm.send_event("RELEASE")
        for _ in range(3):
            await settle(fsm, 0.1)
        assert (journal, fsm.next_due) == (["on"], 0.0)
        stopped.set()
        await settle(fsm)
        await settle(fsm)
        assert journal == ["on", "off", "on"]
        fsm.stop()
        await settle()

    journal: list[str] = []
    stopped = asyncio.Event()
    fsm = robot(Await(drive))
    asyncio.run(play())
    assert journal == ["on", "off"] * 2


@pytest.mark.parametrize("is_ended", [True, False])
def test_what_beginning_again_raises_is_an_error_of_the_work(motor: Motor, is_ended: bool) -> None:
    calls: list[object] = []

    def dial() -> Any:
        calls.append("dial")
        if len(calls) == 2:
            raise ConnectionError("no line")
        return motor.drive()

    retry = Retry(Await(dial), 2)
    fsm = robot(retry)

    async def play() -> None:
        fsm.start()
        await settle(fsm)
        fsm.send_event("STOP")
        if is_ended:
            await settle(fsm)
        fsm.send_event("RELEASE")
        assert retry.tries == 1
        await settle(fsm)
        await settle(fsm)
        assert retry.tries == 2
        motor.answers[-1].set_result(42)
        await settle(fsm)

    asyncio.run(play())
    assert (calls, path_and_data(fsm)[0]) == (["dial"] * 3, ("There",))


@pytest.mark.parametrize("made", ["deepcopy", "restore"])
def test_a_copy_of_a_stopped_machine_begins_it_after_the_release(made: str, motor: Motor) -> None:
    async def play() -> None:
        fsm.start()
        await settle(fsm)
        fsm.send_event("STOP")
        await settle(fsm)
        copied = robot(Await(motor.drive))
        if made == "deepcopy":
            copied = copy.deepcopy(fsm, {id(motor): motor})
        else:
            restore(copied, snapshot(fsm))
        fsm.stop()
        await settle(copied, 1.0)
        assert motor.journal == ["on", "off"]
        copied.send_event("RELEASE")
        await settle(copied)
        motor.answers[-1].set_result(42)
        await settle(copied)
        assert path_and_data(copied) == (("There",), 42)

    fsm = robot(Await(motor.drive))
    asyncio.run(play())
    assert motor.journal == ["on", "off"] * 2


def test_a_recording_with_stops_is_replayed_without_any_work(motor: Motor) -> None:
    async def refuse() -> None:
        raise AssertionError("a replay begins no work")

    async def play(fsm: Fsm[Any]) -> Recording:
        with Recording(fsm) as recording:
            await stop_and_release(fsm, motor)
            fsm.start()
            await settle(fsm)
            motor.answers[-1].set_result("on its way")
            await settle()
            fsm.send_event("STOP")
            await settle(fsm)
            fsm.send_event("RELEASE")
            fsm.update(0.1)
        return recording

    for around in AROUND.values():
        fsm = robot(around(Await(motor.drive)))
        recording = asyncio.run(play(fsm))
        assert replay(lambda: robot(around(Await(refuse))), recording)  # noqa: B023  # used at once
        assert fsm.path == ("There",)


def test_only_the_two_choices_are_allowed(motor: Motor) -> None:
    with pytest.raises(ValueError, match="suspended must be 'begin again' or 'go on', got 'stop'"):
        Await(motor.drive, suspended="stop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="suspended must be 'go on', got 'begin again'. A thread"):
        InThread(print, suspended="begin again")  # type: ignore[arg-type]


# Threads


@pytest.mark.parametrize("choice", [None, "go on"])
def test_a_thread_goes_on_and_its_result_waits(choice: Any) -> None:
    futures: list[Future[object]] = []

    class Pool:
        def submit(self, *_work: object) -> Future[object]:
            futures.append(Future())
            return futures[-1]

    fsm = robot(InThread(print, pool=Pool(), suspended=choice))  # type: ignore[arg-type]
    fsm.start()
    fsm.send_event("STOP")
    fsm.update(1.0)
    assert not futures[0].cancelled()
    futures[0].set_result(42)
    fsm.update(1.0)
    assert fsm.path == ("Stopped",)
    fsm.send_event("RELEASE")
    fsm.update(1.0)
    assert (path_and_data(fsm), len(futures)) == ((("There",), 42), 1)


# The end of a loop


async def updates(fsm: Fsm[Any]) -> None:
    for _ in range(3):
        await settle(fsm, 0.1)


@pytest.mark.parametrize("around", AROUND)
def test_in_the_next_loop_it_is_begun_again(around: str, motor: Motor) -> None:
    async def first() -> None:
        fsm.start()
        await updates(fsm)

    async def second() -> None:
        await updates(fsm)
        motor.answers[-1].set_result(42)
        await updates(fsm)

    fsm = robot(AROUND[around](Await(motor.drive)))
    asyncio.run(first())
    assert (motor.journal, fsm.path) == (["on", "off"], ("Go",))
    asyncio.run(second())
    assert (motor.journal, fsm.path) == (["on", "off"] * 2, ("There",))


def test_also_if_others_still_begin_something_at_the_end_of_the_loop(motor: Motor) -> None:
    async def tidy_up() -> None:
        try:
            await asyncio.sleep(60.0)
        finally:
            await asyncio.create_task(asyncio.sleep(0))

    async def first() -> None:
        fsm.start()
        tasks.append(asyncio.create_task(tidy_up()))
        await updates(fsm)

    async def second() -> None:
        await updates(fsm)
        motor.answers[-1].set_result(42)
        await updates(fsm)

    tasks: list[object] = []
    fsm = robot(Await(motor.drive))
    asyncio.run(first())
    asyncio.run(second())
    assert path_and_data(fsm) == (("There",), 42)


@pytest.mark.parametrize("how", ["closed", "left"])
def test_also_after_a_loop_that_cancelled_nothing(how: str, motor: Motor) -> None:
    async def first() -> None:
        fsm.start()
        await updates(fsm)

    async def second() -> None:
        await updates(fsm)
        motor.answers[-1].set_result(42)
        await updates(fsm)

    fsm = robot(Await(motor.drive))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(first())
    if how == "closed":
        for answer in motor.answers:
            answer._asyncio_future_blocking = False  # the task is left where it is
        (task,) = asyncio.all_tasks(loop)
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # that is the point
        loop.close()
    asyncio.run(second())
    assert path_and_data(fsm) == (("There",), 42)
    if how == "left":
        loop.run_until_complete(settle())
        loop.close()
        assert motor.journal == ["on", "on", "off", "off"]


def test_one_suspended_in_one_loop_is_begun_again_in_another(motor: Motor) -> None:
    async def first() -> None:
        fsm.start()
        await updates(fsm)
        fsm.send_event("STOP")

    async def second() -> None:
        await updates(fsm)
        motor.answers[-1].set_result(42)
        await updates(fsm)

    fsm = robot(Await(motor.drive))
    asyncio.run(first())
    fsm.send_event("RELEASE")  # where no loop is running
    asyncio.run(second())
    assert (motor.journal, path_and_data(fsm)) == (["on", "off"] * 2, (("There",), 42))


def test_between_two_loops_an_update_says_that_there_is_none(motor: Motor) -> None:
    async def first() -> None:
        fsm.start()
        await updates(fsm)

    fsm = robot(Await(motor.drive))
    fsm.states["Go"].remove_transition(ERROR)
    asyncio.run(first())
    with pytest.raises(FsmError, match="Await must be entered while asyncio is running"):
        fsm.update(0.1)
    asyncio.run(first())
    assert motor.journal == ["on", "off"] * 2


def test_in_one_loop_that_pauses_it_is_the_same_task(motor: Motor) -> None:
    async def first() -> None:
        fsm.start()
        await updates(fsm)

    async def second() -> None:
        motor.answers[0].set_result(42)
        await updates(fsm)

    fsm = robot(Await(motor.drive))
    with asyncio.Runner() as runner:
        runner.run(first())
        fsm.update(0.1)
        runner.run(second())
    assert (motor.journal, path_and_data(fsm)) == (["on", "off"], (("There",), 42))


def test_a_machine_whose_loop_was_closed_can_be_stopped(motor: Motor) -> None:
    async def first() -> None:
        fsm.start()
        await updates(fsm)

    fsm = robot(Await(motor.drive))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(first())
    (task,) = asyncio.all_tasks(loop)
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    loop.close()
    fsm.stop()
    assert not fsm.is_running


def test_a_recording_over_two_loops_is_replayed(motor: Motor) -> None:
    async def refuse() -> None:
        raise AssertionError("a replay begins no work")

    async def first() -> None:
        fsm.start()
        await updates(fsm)

    async def second() -> None:
        await updates(fsm)
        motor.answers[-1].set_result(42)
        await updates(fsm)

    fsm = robot(Await(motor.drive))
    with Recording(fsm) as recording:
        asyncio.run(first())
        asyncio.run(second())
    assert replay(lambda: robot(Await(refuse)), recording)


def test_threads_see_no_loop_end() -> None:
    go = threading.Event()

    async def first() -> None:
        fsm.start()
        await updates(fsm)

    async def second() -> None:
        go.set()
        while fsm.path == ("Go",):
            await settle(fsm, 0.1)

    fsm = robot(InThread(lambda: go.wait(10.0)))
    asyncio.run(first())
    asyncio.run(second())
    assert path_and_data(fsm) == (("There",), True)


# What is kept


@pytest.mark.parametrize("choice", [None, "go on"])
def test_a_suspended_machine_that_is_dropped_is_let_go(choice: Any) -> None:
    async def drive(state: Any) -> None:
        await asyncio.sleep(60.0)

    async def drop() -> None:
        fsm = robot(Await(drive, suspended=choice))
        dropped.append(weakref.ref(fsm))
        fsm.start()
        await settle(fsm)
        fsm.send_event("STOP")
        await settle(fsm)

    async def play() -> None:
        for _ in range(20):
            await drop()

    dropped: list[Any] = []
    asyncio.run(play())
    gc.collect()
    assert [each() for each in dropped] == [None] * 20
