"""Errors whose class refuses notes and attributes, or fails when it is asked anything.

They take the ways of any other error: to the caller, to ERROR, to Retry and to a Coroutine, and
the tools that watch do not change that (rules 5 and 12).
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import pytest
from every import every

from actions import (
    Await,
    Coroutine,
    DelegateAction,
    InThread,
    Parallel,
    Race,
    Repeat,
    Retry,
    RunFsm,
    Sequence,
    Timeout,
)
from actions.parts.composite import attempts
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.exploring import explore
from fsmkit.inspector.local import LocalInspector
from fsmkit.introspection.blocks import block
from fsmkit.recording import History, Recording
from fsmkit.sound import PlayingTogether
from fsmkit.testing import Recorder
from fsmkit.timing import run, run_async


@dataclass(frozen=True)
class Frozen(Exception):
    code: int = 3


class Refused(Exception):
    """What the classes below raise when they are asked."""


def refuse(*_arguments: object) -> Any:
    raise Refused


class WithoutNotes(Exception):
    add_note = refuse


class WithoutAttributes(Exception):
    __setattr__ = refuse


class UnreadableNotes(Exception):
    __notes__ = property(refuse)


class StrangeNotes(Exception):
    __notes__: Any = 7


class WithoutText(Exception):
    __str__ = __repr__ = refuse


class Incomparable(Exception):
    __eq__ = __ne__ = refuse
    __hash__ = None  # type: ignore[assignment]


class WithoutTruth(Exception):
    __bool__ = refuse


class WithoutTraceback(Exception):
    __traceback__ = property(refuse)
    with_traceback = refuse


class WithoutContext(Exception):
    __context__ = property(refuse)
    __cause__ = property(refuse)


class WithoutClass(Exception):
    __class__ = property(refuse)


class WithoutAnything(Exception):
    __getattribute__ = __setattr__ = __str__ = __repr__ = __eq__ = refuse
    __hash__ = None  # type: ignore[assignment]


class FrozenGroup(ExceptionGroup[Exception]):
    add_note = __setattr__ = split = derive = refuse


KINDS: list[type[Exception]] = [
    Frozen, WithoutNotes, WithoutAttributes, UnreadableNotes, StrangeNotes, WithoutText,
    Incomparable, WithoutTruth, WithoutTraceback, WithoutContext, WithoutClass, WithoutAnything,
]  # fmt: skip

kinds = every("kind", KINDS)


class Child(FsmAction):
    """Raises `error` in the callback `phase`, as often as it is told; notes all its callbacks."""

    def __init__(
        self, journal: list[str], name: str, error: Exception | None = None, phase: str = "update",
        *, times: int = 1000, lasts: bool = False,
    ) -> None:  # fmt: skip
        self.journal, self.name, self.error, self.phase = journal, name, error, phase
        self.times, self.lasts = times, lasts

    def on_enter(self) -> None:
        self.work("enter")

    def on_update(self) -> None:
        self.work("update")
        if not self.lasts:
            self.finish()

    def on_exit(self) -> None:
        self.work("exit")

    def work(self, phase: str) -> None:
        self.journal.append(f"{self.name} {phase}")
        if self.error is not None and phase == self.phase and self.times > 0:
            self.times -= 1
            raise self.error


def machine(*actions: FsmAction, error_state: bool = False) -> Fsm:
    fsm = Fsm("Robot", on_unhandled="ignore")
    work, done, halt = map(fsm.add_state, ("Work", "Done", "Halt"))
    for action in actions:
        work.add_action(action)
    work.add_transition("GO", done)
    work.add_transition(FINISHED, done)
    if error_state:
        fsm.add_global_transition(ERROR, halt)
    return fsm


def raised(call: Callable[..., object], *arguments: object) -> BaseException | None:
    """What a call raises. (pytest.raises asks the error more than it answers.)"""
    try:
        call(*arguments)
    except BaseException as error:
        return error
    return None


COMPOSITES: dict[str, Callable[[FsmAction, FsmAction], FsmAction]] = {
    "sequence": Sequence,
    "parallel": lambda bad, good: Parallel(good, bad),
    "race": lambda bad, good: Race(good, bad),
    "repeat": lambda bad, good: Parallel(good, Repeat(bad, 2)),
    "retry": lambda bad, good: Parallel(good, Retry(bad, 1)),
    "timeout": lambda bad, good: Parallel(good, Timeout(bad, 5.0)),
}

composites = every("compose", COMPOSITES.values())


@kinds
@composites
def test_an_error_of_a_child_reaches_the_caller_and_each_child_is_exited_once(
    kind: type[Exception], compose: Callable[[FsmAction, FsmAction], FsmAction]
) -> None:
    journal: list[str] = []
    error = kind()
    bad = Child(journal, "bad", error)
    good = Child(journal, "good", lasts=True)
    fsm = machine(compose(bad, good))
    fsm.start()
    assert raised(fsm.update, 1.0) is error
    assert fsm.current_state is fsm.states["Work"]
    assert fsm.send_event("GO")
    entered = [name for name in ("good", "bad") if f"{name} enter" in journal]
    assert sorted(entry for entry in journal if "exit" in entry) == sorted(
        f"{name} exit" for name in entered
    )
    assert fsm.current_state is fsm.states["Done"]


@kinds
@composites
def test_an_error_of_a_child_on_enter_leaves_nothing_entered(
    kind: type[Exception], compose: Callable[[FsmAction, FsmAction], FsmAction]
) -> None:
    journal: list[str] = []
    error = kind()
    bad, good = Child(journal, "bad", error, "enter"), Child(journal, "good")
    fsm = machine(compose(bad, good))
    assert raised(fsm.start) is error
    before = [*journal]
    assert before in (["bad enter"], ["good enter", "bad enter", "good exit"])
    fsm.stop()
    assert journal == before


@kinds
@composites
def test_an_error_of_a_child_on_exit_lets_the_other_exits_run(
    kind: type[Exception], compose: Callable[[FsmAction, FsmAction], FsmAction]
) -> None:
    journal: list[str] = []
    error = kind()
    bad = Child(journal, "bad", error, "exit", lasts=True)
    good = Child(journal, "good", lasts=True)
    after = Child(journal, "after", lasts=True)
    fsm = machine(compose(bad, good), after)
    fsm.start()
    assert raised(fsm.send_event, "GO") is error
    assert [e for e in journal if "exit" in e][-2:] == ["bad exit", "after exit"]
    assert fsm.current_state is fsm.states["Done"]


@kinds
def test_a_sequence_goes_on_after_a_failing_exit_and_raises_its_error(
    kind: type[Exception],
) -> None:
    journal: list[str] = []
    error = kind()
    first, second = Child(journal, "first", error, "exit"), Child(journal, "second")
    fsm = machine(Sequence(first, second))
    fsm.start()
    assert raised(fsm.update, 1.0) is error
    fsm.update(1.0)
    assert journal == [
        "first enter", "first update", "first exit", "second enter", "second update", "second exit",
    ]  # fmt: skip
    assert fsm.current_state is fsm.states["Done"]


@kinds
def test_a_repeat_begins_the_next_round_after_a_failing_exit(
    kind: type[Exception],
) -> None:
    journal: list[str] = []
    error = kind()
    fsm = machine(Repeat(Child(journal, "child", error, "exit", times=1), 2))
    fsm.start()
    assert raised(fsm.update, 1.0) is error
    fsm.update(1.0)
    assert journal == ["child enter", "child update", "child exit"] * 2
    assert fsm.current_state is fsm.states["Done"]


@kinds
def test_a_retry_tries_again_and_the_last_error_becomes_the_event_error(
    kind: type[Exception],
) -> None:
    journal: list[str] = []
    error = kind()
    fsm = machine(Retry(Child(journal, "child", error), 2), error_state=True)
    fsm.start()
    for _ in range(4):
        fsm.update(1.0)
    assert journal == ["child enter", "child update", "child exit"] * 2
    assert fsm.current_state is fsm.states["Halt"]
    assert fsm.event_data is error


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_try_is_logged_whatever_its_error_says(
    kind: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    fsm = machine(Retry(Child([], "child", kind(), times=1), 2))
    with caplog.at_level(logging.INFO, "fsmkit.actions"):
        fsm.start()
        fsm.update(1.0)
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith("Fsm 'Robot', state 'Work', Retry: try 1 of 2 failed, ")
    assert f"({kind.__name__}" in message


@pytest.mark.parametrize(
    ("errors", "tries"), [((Frozen, WithoutText), 2), (ExceptionGroup, 2), (Frozen, 1)]
)
def test_a_retry_looks_into_a_group_that_cannot_be_split(
    errors: type[Exception] | tuple[type[Exception], ...], tries: int
) -> None:
    journal: list[str] = []
    error = FrozenGroup("both", [Frozen(), WithoutText()])
    fsm = machine(Retry(Child(journal, "child", error), 2, errors=errors))
    fsm.start()
    answers = [raised(fsm.update, 1.0) for _ in range(tries)]
    assert answers == [None] * (tries - 1) + [error]
    assert journal == ["child enter", "child update", "child exit"] * tries


@kinds
def test_an_error_of_an_action_is_raised_at_the_yield_that_waits_for_it(
    kind: type[Exception],
) -> None:
    journal: list[str] = []
    error = kind()

    def routine() -> Any:
        try:
            yield Child(journal, "child", error)
        except Exception as caught:
            journal.append("caught it" if caught is error else "caught another")
        yield Child(journal, "next")

    fsm = machine(Coroutine(routine))
    fsm.start()
    fsm.update(1.0)
    fsm.update(1.0)
    assert journal == [
        "child enter", "child update", "child exit", "caught it",
        "next enter", "next update", "next exit",
    ]  # fmt: skip
    assert fsm.current_state is fsm.states["Done"]


@kinds
def test_an_error_of_a_routine_reaches_the_caller(kind: type[Exception]) -> None:
    journal: list[str] = []
    error = kind()

    def routine() -> Any:
        try:
            yield
            raise error
        finally:
            journal.append("finally")

    fsm = machine(Coroutine(routine))
    fsm.start()
    assert raised(fsm.update, 1.0) is error
    fsm.stop()
    assert journal == ["finally"]


@kinds
def test_an_error_of_a_routine_that_is_closed_lets_the_action_be_exited(
    kind: type[Exception],
) -> None:
    journal: list[str] = []
    error = kind()

    def routine() -> Any:
        try:
            yield Child(journal, "child")
        finally:
            raise error

    fsm = machine(Coroutine(routine))
    fsm.start()
    assert raised(fsm.send_event, "GO") is error
    assert journal == ["child enter", "child exit"]
    assert fsm.current_state is fsm.states["Done"]


@kinds
def test_an_error_of_a_nested_machine_becomes_the_event_of_the_outer_one(
    kind: type[Exception],
) -> None:
    journal: list[str] = []
    error = kind()
    inner = Fsm("Arm")
    inner.add_state("Grip").add_action(Child(journal, "grip", error))
    fsm = machine(RunFsm(inner), error_state=True)
    fsm.start()
    fsm.update(1.0)
    assert fsm.current_state is fsm.states["Halt"]
    assert fsm.event_data is error
    assert journal == ["grip enter", "grip update", "grip exit"]


@kinds
def test_an_error_of_one_machine_of_a_group_keeps_no_other_from_its_update(
    kind: type[Exception],
) -> None:
    journal: list[str] = []
    error = kind()
    machines = [
        machine(Child(journal, name, error if name == "bad" else None)) for name in ("bad", "good")
    ]
    group = FsmGroup(machines)
    for each in machines:
        each.start()
    assert raised(group.update, 1.0) is error
    assert journal == ["bad enter", "good enter", "bad update", "good update", "good exit"]


@kinds
def test_steps_are_all_taken_and_the_error_goes_on(kind: type[Exception]) -> None:
    journal: list[str] = []
    error = kind()

    def fail() -> None:
        raise error

    def of_a_step() -> None:
        with attempts("Cook") as attempt:
            attempt(fail)
            attempt(journal.append, "next")

    def of_the_block() -> None:
        with attempts("Cook") as attempt:
            attempt(journal.append, "before")
            fail()

    assert raised(of_a_step) is error
    assert raised(of_the_block) is error
    assert journal == ["next", "before"]


@kinds
def test_run_stops_the_machine_and_raises_the_error(kind: type[Exception]) -> None:
    journal: list[str] = []
    error = kind()
    fsm = machine(Child(journal, "child", error))
    assert raised(run, fsm, 1000.0) is error
    assert journal == ["child enter", "child update", "child exit"]
    assert not fsm.is_running


@kinds
def test_run_async_stops_the_machine_and_raises_the_error(kind: type[Exception]) -> None:
    journal: list[str] = []
    error = kind()
    fsm = machine(Child(journal, "child", error))

    async def play() -> bool:
        try:
            await run_async(fsm, 1000.0)
        except Exception as caught:
            return caught is error
        return False

    assert asyncio.run(play())
    assert journal == ["child enter", "child update", "child exit"]


class Pool:
    """Runs what it was given when it is told, as one of its threads."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def submit(self, function: Callable[..., object], *arguments: object) -> Future[object]:
        future: Future[object] = Future()
        future.set_running_or_notify_cancel()

        def work() -> None:
            try:
                future.set_result(function(*arguments))
            except Exception as error:
                future.set_exception(error)

        self.waiting.append(work)
        return future


@kinds
def test_an_error_of_a_thread_is_raised_in_the_update(kind: type[Exception]) -> None:
    error, pool = kind(), Pool()

    def fail() -> None:
        raise error

    fsm = machine(InThread(fail, pool=pool), error_state=True)  # type: ignore[arg-type]
    fsm.start()
    pool.waiting[0]()
    fsm.update(1.0)
    assert fsm.current_state is fsm.states["Halt"]
    assert fsm.event_data is error


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_of_dropped_work_is_logged(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    error, pool = kind(), Pool()

    def fail() -> None:
        raise error

    records: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.getLogger("fsmkit.actions"), "handle", records.append)
    fsm = machine(InThread(fail, pool=pool))  # type: ignore[arg-type]
    fsm.start()
    work = pool.waiting[0]
    fsm.stop()
    work()
    assert [record.exc_info[1] is error for record in records if record.exc_info] == [True]


@kinds
def test_an_error_of_a_task_is_raised_in_the_update(kind: type[Exception]) -> None:
    error = kind()

    async def fail() -> None:
        raise error

    fsm = machine(Await(fail), error_state=True)

    async def play() -> None:
        fsm.start()
        for _ in range(3):
            await asyncio.sleep(0)
            fsm.update(1.0)

    asyncio.run(play())
    assert fsm.current_state is fsm.states["Halt"]
    assert fsm.event_data is error


@kinds
@every("error_state", [False, True])
def test_tools_that_watch_leave_the_error_as_it_is(
    kind: type[Exception], error_state: bool
) -> None:
    error = kind()
    fsm = machine(Child([], "child", error), error_state=error_state)
    recorder, history, recording = Recorder(fsm), History(fsm), Recording(fsm)
    with LocalInspector(fsm) as inspector:
        page = inspector.open()
        fsm.start()
        assert raised(fsm.update, 1.0) is (None if error_state else error)
        page.take()
    recording.detach()
    heard = [entry for entry in recorder.journal if entry.startswith("error")]
    assert heard == [f"error {kind.__name__}"]
    (kept,) = history.errors
    assert kind.__name__ in kept.error
    assert (fsm.event_data is error) is error_state


@kinds
def test_a_walk_through_all_moments_reports_the_error(kind: type[Exception]) -> None:
    def fail() -> None:
        raise kind

    found = explore(lambda: machine(DelegateAction(on_update=fail))).findings
    assert [finding.code for finding in found if finding.code == "raises"] == ["raises"]


@kinds
def test_a_block_of_a_tool_lets_the_error_go_on(kind: type[Exception]) -> None:
    journal: list[str] = []
    error = kind()

    @block
    def noted() -> Iterator[None]:
        try:
            yield
        finally:
            journal.append("end")

    def fail() -> None:
        with noted():
            raise error

    assert raised(fail) is error
    assert journal == ["end"]


@kinds
def test_a_sound_that_fails_keeps_no_other_from_being_stopped(kind: type[Exception]) -> None:
    journal: list[str] = []
    error = kind()

    class Sound:
        def __init__(self, name: str) -> None:
            self.name = name

        def stop(self) -> None:
            journal.append(self.name)
            if self.name != "last":
                raise error

    parts: Any = tuple(map(Sound, ("first", "second", "last")))
    assert raised(PlayingTogether(parts).stop) is error
    assert journal == ["first", "second", "last"]
