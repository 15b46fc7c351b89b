"""InThread: the work of a thread."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from actions import InThread, Retry
from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmState


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


@pytest.mark.parametrize(
    "fails_on", [ZeroDivisionError, (OSError, ArithmeticError), (ZeroDivisionError,)]
)
def test_it_fails_with_the_errors_that_are_answers(fails_on: Any) -> None:
    pool = Pool()
    work = InThread(lambda: 1 / 0, pool=pool, fails_on=fails_on)
    fsm = thinker(work)
    fsm.states["Think"].add_transition(FAILED, "Rest")
    fsm.start()
    pool.run()
    fsm.update(0.1)
    assert (fsm.current_state, work.sends) == (fsm.states["Rest"], (FAILED,))
    assert isinstance(fsm.event_data, ZeroDivisionError)


def test_other_errors_are_errors_as_before() -> None:
    pool = Pool()
    fsm = thinker(InThread(lambda: 1 / 0, pool=pool, fails_on=(OSError, KeyError)))
    fsm.start()
    pool.run()
    fsm.update(0.1)
    assert fsm.current_state is fsm.states["Fail"]


def test_retry_tries_again_when_the_work_fails() -> None:
    pool = Pool()
    answers: list[Any] = [TimeoutError("no answer"), TimeoutError("no answer"), 42]

    def ask() -> object:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    fsm = thinker(Retry(InThread(ask, pool=pool, fails_on=TimeoutError), times=3))
    fsm.start()
    for _ in range(3):
        pool.run()
        fsm.update(0.1)
    assert (fsm.current_state, fsm.event_data) == (fsm.states["Act"], 42)


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


CALLER: ContextVar[str] = ContextVar("CALLER", default="nobody")


@pytest.mark.parametrize("pool", [None, ThreadPoolExecutor(1)], ids=["shared", "own"])
def test_it_sees_the_context_variables_of_the_caller(pool: Any) -> None:
    def think() -> str:
        seen = CALLER.get()
        CALLER.set("the thread")
        return seen

    fsm = thinker(InThread(think, pool=pool))
    token = CALLER.set("Ann")
    fsm.start()
    CALLER.reset(token)
    while fsm.current_state.name == "Think":
        fsm.update(0.1)
        time.sleep(0.001)
    assert (fsm.event_data, CALLER.get()) == ("Ann", "nobody")


FORKS = """
import os, sys, time
from concurrent.futures import ThreadPoolExecutor
from actions import InThread
from fsmkit import FINISHED, Fsm, FsmError

def thinker(function, pool=None):
    fsm = Fsm("Thinker")
    think, act = fsm.add_state("Think"), fsm.add_state("Act")
    think.add_action(InThread(function, pool=pool))
    think.add_transition(FINISHED, act)
    fsm.start()
    return fsm

def answer(fsm):
    for _ in range(3000):
        fsm.update(0.1)
        if fsm.path == ("Act",):
            return fsm.event_data
        time.sleep(0.001)
    return "nothing"

pool = ThreadPoolExecutor(1)
before = [answer(thinker(lambda: "warm")), answer(thinker(lambda: "warm", pool))]
slow = thinker(lambda: time.sleep(0.2) or "late")
child = os.fork()
if child:
    os.waitpid(child, 0)
print("parent" if child else "child", answer(thinker(lambda: "new")), answer(slow), end="; ")
if not child:
    try:
        print(answer(thinker(lambda: "own", pool)), end="; ")
    except FsmError as error:
        print(error, end="; ")
    print(answer(thinker(lambda: "made here", ThreadPoolExecutor(1))))
    sys.stdout.flush()
    os._exit(0)
print(answer(thinker(lambda: "own", pool)))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_in_the_child_of_a_fork_the_work_is_done_there() -> None:
    left_behind = (
        "Fsm 'Thinker', state 'Think': the threads of the pool of InThread are in the process that "
        "was forked. Make a pool in this one, or use the shared one."
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKS],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stderr, done.stdout.splitlines()) == (
        "",
        [
            f"child new late; {left_behind}; made here",
            "parent new late; own",
        ],
    )


ENDS = """
from threading import Thread
{pool}
import time
from actions import InThread
from fsmkit import Fsm

fsm = Fsm("Asker")
fsm.add_state("Ask").add_action(InThread(lambda: time.sleep(60.0), pool=Abandoned()))
fsm.start()
fsm.stop()
print("the end")
"""


@pytest.mark.slow
def test_a_program_ends_with_the_pool_of_the_page_on_threads_whatever_hangs() -> None:
    page = Path(__file__).parents[2] / "docs" / "concepts" / "threads.md"
    (pool,) = re.findall(
        r"^(from concurrent.futures.*?^        return future$)",
        page.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    done = subprocess.run(
        [sys.executable, "-c", ENDS.format(pool=pool)],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", "")


def test_an_async_function_is_refused() -> None:
    async def think() -> None: ...

    with pytest.raises(TypeError, match="InThread: function must be a plain function. .* Await"):
        InThread(think)
