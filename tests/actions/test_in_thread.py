"""InThread: the work of a thread."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from actions import InThread, Retry
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState


class Pool(Executor):
    """A pool that runs its work when it is told to."""

    def __init__(self) -> None:
        self.work: list[tuple[Future[object], Callable[[], object]]] = []

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[object] = Future()
        self.work.append((future, lambda: function(*arguments, **options)))
        return future

    def run(self) -> None:
        work, self.work = self.work, []
        for future, function in work:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except Exception as error:
                    future.set_exception(error)


def thinker(action: FsmAction, context: Any = None) -> Fsm[Any]:
    """Think (with the action) -> Act on FINISHED, -> Fail on ERROR, -> Rest on REST and back."""
    fsm: Fsm[Any] = Fsm("Thinker", context, on_unhandled="raise")
    think, act, fail, rest = map(fsm.add_state, ("Think", "Act", "Fail", "Rest"))
    for event, state in ((FINISHED, act), (ERROR, fail), ("REST", rest)):
        think.add_transition(event, state)
    rest.add_transition("AGAIN", think)
    think.add_action(action)
    return fsm


def test_the_result_comes_with_an_update() -> None:
    pool = Pool()
    work = InThread(lambda: 42, pool=pool)
    fsm = thinker(work)
    fsm.start()
    fsm.update(0.1)
    pool.run()
    assert fsm.current_state.name == "Think"
    fsm.update(0.1)
    assert (fsm.current_state.name, fsm.event_data, work.result) == ("Act", 42, 42)


def test_it_really_is_another_thread() -> None:
    threads: list[int] = []

    def think(state: FsmState[Any]) -> str:
        threads.append(threading.get_ident())
        return str(state.context)

    fsm = thinker(InThread(think), context="Ann")
    fsm.start()
    while fsm.current_state.name == "Think":
        fsm.update(0.1)
        time.sleep(0.001)
    assert (fsm.event_data, threads != [threading.get_ident()]) == ("Ann", True)


def test_what_it_raises_becomes_the_event_error() -> None:
    pool = Pool()
    fsm = thinker(InThread(lambda: 1 / 0, pool=pool))
    fsm.start()
    pool.run()
    fsm.update(0.1)
    assert fsm.current_state.name == "Fail"
    assert isinstance(fsm.event_data, ZeroDivisionError)


def test_leaving_the_state_before_it_was_begun_cancels_it() -> None:
    pool = Pool()
    done: list[int] = []
    fsm = thinker(InThread(lambda: done.append(len(done)), pool=pool))
    fsm.start()
    fsm.send_event("REST")
    pool.run()
    assert done == []
    fsm.send_event("AGAIN")
    pool.run()
    fsm.update(0.1)
    assert (done, fsm.current_state.name) == ([0], "Act")


def test_the_result_of_a_visit_that_is_over_is_dropped() -> None:
    pool = Pool()
    numbers = iter(range(9))
    fsm = thinker(InThread(lambda: next(numbers), pool=pool))
    fsm.start()
    (first, function) = pool.work.pop()
    first.set_running_or_notify_cancel()
    fsm.send_event("REST")
    fsm.send_event("AGAIN")
    first.set_result(function())
    fsm.update(0.1)
    assert fsm.current_state.name == "Think"
    pool.run()
    fsm.update(0.1)
    assert fsm.event_data == 1


def test_retry_begins_it_anew() -> None:
    pool = Pool()
    tries: list[int] = []

    def connect() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise OSError("no")
        return len(tries)

    fsm = thinker(Retry(InThread(connect, pool=pool), 3))
    fsm.start()
    for _ in range(6):
        pool.run()
        fsm.update(0.1)
    assert (fsm.current_state.name, len(tries)) == ("Act", 3)


@pytest.mark.parametrize("pool", [3, "pool", object()])
def test_what_is_no_pool_is_refused(pool: Any) -> None:
    with pytest.raises(TypeError, match="InThread: pool must be a ThreadPoolExecutor of"):
        InThread(print, pool=pool)


def test_an_async_function_is_refused() -> None:
    async def think() -> None: ...

    with pytest.raises(TypeError, match="InThread: function must be a plain function. .* Await"):
        InThread(think)
