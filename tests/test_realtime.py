"""run and run_async: loops by the clock, tested mostly with a fake one."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from math import inf, nan
from typing import Any

import pytest

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.testing import Probe
from fsmkit.timing import TIME_TOLERANCE, run, run_async


class Clock:
    """A stand-in for the module `time`: only sleeping takes time."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0.0
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


class Steps:
    """A journal of the steps it is updated by; the next of `busy` seconds pass in each."""

    def __init__(self, clock: Clock, busy: list[float] | None = None) -> None:
        self.clock = clock
        self.busy = busy or []
        self.steps: list[float] = []

    def update(self, dt: float, /) -> None:
        self.steps.append(dt)
        if self.busy:
            self.clock.now += self.busy.pop(0)


Loop = Callable[..., None]


class OopsError(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise OopsError


def interrupt(_probe: Probe) -> None:
    raise KeyboardInterrupt


def motor(journal: list[str], name: str = "motor", **reactions: Any) -> Fsm:
    """A machine with one state, whose action must be left again."""
    fsm = Fsm(name)
    fsm.add_state("On").add_action(Probe(name, journal, **reactions))
    return fsm


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sys.modules["fsmkit.timing"], "time", clock)
    monkeypatch.setattr(asyncio, "sleep", clock.sleep_async)
    return clock


def run_in_asyncio(*arguments: object, **options: object) -> None:
    asyncio.run(run_async(*arguments, **options))  # type: ignore[arg-type]


both = pytest.mark.parametrize("loop", [run, run_in_asyncio])


@both
def test_there_are_fps_updates_a_second(loop: Loop, clock: Clock) -> None:
    machine = Steps(clock)
    loop(machine, fps=4, seconds=1.0)
    assert machine.steps == [0.25] * 4


@both
def test_an_update_that_takes_time_shortens_the_sleep(loop: Loop, clock: Clock) -> None:
    machine = Steps(clock, busy=[0.125, 0.0625])
    loop(machine, fps=4, seconds=1.0)
    assert machine.steps == [0.25] * 4
    assert clock.slept == [0.25, 0.125, 0.1875, 0.25]


@both
def test_frames_that_were_missed_are_not_made_up_for(loop: Loop, clock: Clock) -> None:
    machine = Steps(clock, busy=[1.0])
    loop(machine, fps=4, seconds=2.0)
    assert machine.steps == [0.25, 1.0, 0.25, 0.25, 0.25]


@both
def test_the_last_frame_is_as_long_as_what_is_left(loop: Loop, clock: Clock) -> None:
    machine = Steps(clock)
    loop(machine, fps=4, seconds=0.625)
    assert machine.steps == [0.25, 0.25, 0.125]


@both
def test_there_is_one_update_when_time_runs_out_before_the_first_sleep(
    loop: Loop, clock: Clock
) -> None:
    moments = iter([100.0, 103.0, 103.0])
    clock.monotonic = lambda: next(moments)  # type: ignore[method-assign]
    machine = Steps(clock)
    loop(machine, fps=4, seconds=1.0)
    assert (clock.slept, machine.steps) == ([0.0], [3.0])


@both
def test_it_ends_when_the_machine_stops(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Probe("a", journal, on_update=lambda probe: probe.fsm.stop()))
    fsm.start()
    loop(fsm)
    assert journal == ["enter a", "update a", "exit a"]


@both
def test_it_ends_when_all_machines_of_a_group_have_stopped(loop: Loop, clock: Clock) -> None:
    group = FsmGroup(Fsm(name) for name in ("Short", "Long"))
    for machine, seconds in zip(group, (0.25, 0.75), strict=True):
        state = machine.add_state("A")
        stop = Probe("stop", [], on_enter=lambda probe: probe.fsm.stop())
        state.add_transition("OVER", machine.add_state("B"))
        machine.states["B"].add_action(stop)
        machine.start()
        machine.send_event_after(seconds, "OVER")
    loop(group, fps=4)
    assert [machine.time for machine in group] == [0.25, 0.75]


@both
def test_it_ends_at_once_when_there_is_nothing_to_run(loop: Loop, clock: Clock) -> None:
    loop(FsmGroup())
    assert clock.slept == []
    with pytest.raises(FsmError, match="'M' has no states to start in"):
        loop(Fsm("M"))
    assert clock.slept == []


@both
def test_an_exception_ends_it(loop: Loop, clock: Clock) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Probe("a", [], on_update=fail))
    fsm.start()
    with pytest.raises(OopsError):
        loop(fsm)


@both
@pytest.mark.parametrize("fps", [0.0, -1.0, nan, inf])
def test_fps_is_more_than_zero(loop: Loop, fps: float) -> None:
    with pytest.raises(
        ValueError, match="fps must be a finite number of frames per second > 0, got"
    ):
        loop(Fsm("M"), fps=fps)


@both
def test_what_is_not_a_number_is_refused_before_anything_is_started(loop: Loop) -> None:
    fsm = motor([])
    with pytest.raises(TypeError, match="fps must be a finite number of frames .* got '60'"):
        loop(fsm, fps="60")
    with pytest.raises(TypeError, match="seconds must be a finite number > 0, or None .* got '2'"):
        loop(fsm, seconds="2")
    with pytest.raises(TypeError, match=r"machine must be an Fsm, or anything with update\(dt\)"):
        loop("robot")
    assert not fsm.is_running


@both
@pytest.mark.parametrize("seconds", [0.0, -1.0, nan, inf])
def test_seconds_are_more_than_zero(loop: Loop, seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds must be a finite number > 0, or None"):
        loop(Fsm("M"), seconds=seconds)


@both
def test_the_clock_of_the_computer_is_the_default(loop: Loop) -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.start()
    loop(fsm, fps=1000.0, seconds=0.004)
    assert fsm.time + TIME_TOLERANCE >= 0.004


def test_other_tasks_continue_meanwhile() -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.start()

    async def stop_soon() -> None:
        await asyncio.sleep(0.002)
        fsm.stop()

    async def main() -> None:
        await asyncio.gather(run_async(fsm, fps=1000.0), stop_soon())

    asyncio.run(main())
    assert not fsm.is_running


@both
def test_what_is_not_running_is_started_and_stopped_again(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []
    fsm = motor(journal)
    loop(fsm, fps=4, seconds=0.5)
    assert journal == ["enter motor", "update motor", "update motor", "exit motor"]
    loop(fsm, fps=4, seconds=0.25)
    assert journal[4:] == ["enter motor", "update motor", "exit motor"]


@both
def test_what_is_running_keeps_running_when_the_time_is_over(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []
    fsm = motor(journal)
    fsm.start()
    loop(fsm, fps=4, seconds=0.25)
    loop(fsm, fps=4, seconds=0.25)
    assert journal == ["enter motor", "update motor", "update motor"]


@both
@pytest.mark.parametrize("was_started", [True, False])
@pytest.mark.parametrize(("reaction", "kind"), [(fail, OopsError), (interrupt, KeyboardInterrupt)])
def test_an_error_or_ctrl_c_stops_it_and_is_raised(
    loop: Loop, clock: Clock, was_started: bool, reaction: Callable[[Probe], None],
    kind: type[BaseException],
) -> None:  # fmt: skip
    journal: list[str] = []
    fsm = motor(journal, on_update=reaction)
    if was_started:
        fsm.start()
    with pytest.raises(kind):
        loop(fsm)
    assert (journal, fsm.is_running) == (["enter motor", "update motor", "exit motor"], False)


def test_ctrl_c_while_it_sleeps_stops_it(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    journal: list[str] = []
    monkeypatch.setattr(clock, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(motor(journal))
    assert journal == ["enter motor", "exit motor"]


def test_cancelling_the_task_stops_it() -> None:
    journal: list[str] = []
    fsm = motor(journal)

    async def main() -> None:
        task = asyncio.create_task(run_async(fsm, fps=1000.0))
        await asyncio.sleep(0)
        assert fsm.is_running
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(main())
    assert (journal, fsm.is_running) == (["enter motor", "exit motor"], False)


@both
def test_a_start_that_fails_is_undone(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []
    group = FsmGroup([motor(journal, "one"), motor(journal, "two", on_enter=fail)])
    with pytest.raises(OopsError):
        loop(group)
    assert (journal, group.is_running) == (["enter one", "enter two", "exit one"], False)


@both
def test_an_error_in_one_machine_of_a_group_stops_them_all(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []
    one, two = motor(journal, "one"), motor(journal, "two", on_update=fail)
    one.start()
    with pytest.raises(OopsError):
        loop(FsmGroup([one, two]))
    assert journal == [
        "enter one", "enter two", "update one", "update two", "exit one", "exit two",
    ]  # fmt: skip


@both
def test_of_a_group_that_runs_only_new_machines_are_started(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []
    running, ended, new = (motor(journal, name) for name in ("running", "ended", "new"))
    running.start()
    ended.start()
    ended.stop()
    group = FsmGroup([running, ended, new])
    journal.clear()
    loop(group, fps=4, seconds=0.25)
    assert journal == ["enter new", "update running", "update new", "exit new"]
    running.stop()
    journal.clear()
    loop(group, fps=4, seconds=0.25)
    assert journal[:3] == ["enter running", "enter ended", "enter new"]


@both
def test_errors_of_stopping_are_raised_with_the_first(loop: Loop, clock: Clock) -> None:
    one = motor([], "one", on_update=fail, on_exit=fail)
    with pytest.raises(ExceptionGroup, match="stopping failed as well") as raised:
        loop(FsmGroup([one, motor([], "two", on_exit=fail)]))
    assert [type(error) for error in raised.value.exceptions] == [OopsError] * 3
    with pytest.raises(OopsError):
        loop(motor([], on_exit=fail), fps=4, seconds=0.25)


@both
def test_ctrl_c_stays_itself_and_keeps_the_errors_of_stopping(loop: Loop, clock: Clock) -> None:
    fsm = motor([], on_update=interrupt, on_exit=fail)
    with pytest.raises(KeyboardInterrupt) as raised:
        loop(fsm)
    assert raised.value.__notes__[-1] == "stopping failed as well: OopsError()"
    assert isinstance(raised.value.__context__, OopsError)
    assert not fsm.is_running


@both
def test_ctrl_c_while_stopping_stays_itself_too(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []
    group = FsmGroup(
        [motor(journal, "one", on_update=fail, on_exit=interrupt), motor(journal, "two")]
    )
    with pytest.raises(KeyboardInterrupt) as raised:
        loop(group)
    assert raised.value.__notes__[-1] == "stopping failed as well: OopsError()"
    assert journal[-2:] == ["exit one", "exit two"]


@both
def test_the_machine_inside_another_object_is_stopped_too(loop: Loop, clock: Clock) -> None:
    journal: list[str] = []

    class Robot:
        machine = motor(journal)

        def update(self, dt: float, /) -> None:
            if self.machine.is_running:
                raise OopsError
            self.machine.start()

    with suppress(OopsError):
        loop(Robot(), fps=4)
    assert journal == ["enter motor", "exit motor"]
