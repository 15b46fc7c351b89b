"""run and run_async: loops by the clock, tested mostly with a fake one."""

import asyncio
import sys
from collections.abc import Callable
from math import inf, nan

import pytest

from fsmkit import Fsm, FsmGroup
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
def test_it_ends_at_once_when_nothing_runs(loop: Loop, clock: Clock) -> None:
    loop(Fsm("M"))
    loop(FsmGroup())
    assert clock.slept == []


@both
def test_an_exception_ends_it(loop: Loop, clock: Clock) -> None:
    class OopsError(Exception):
        pass

    def fail(_probe: Probe) -> None:
        raise OopsError

    fsm = Fsm("M")
    fsm.add_state("A").add_action(Probe("a", [], on_update=fail))
    fsm.start()
    with pytest.raises(OopsError):
        loop(fsm)


@both
@pytest.mark.parametrize("fps", [0.0, -1.0, nan, inf])
def test_fps_is_more_than_nothing(loop: Loop, fps: float) -> None:
    with pytest.raises(
        ValueError, match="fps must be a finite number of frames per second > 0, got"
    ):
        loop(Fsm("M"), fps=fps)


@both
@pytest.mark.parametrize("seconds", [0.0, -1.0, nan, inf])
def test_seconds_are_more_than_nothing(loop: Loop, seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds must be a finite number > 0, or None"):
        loop(Fsm("M"), seconds=seconds)


@both
def test_the_clock_of_the_computer_is_the_default(loop: Loop) -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.start()
    loop(fsm, fps=1000.0, seconds=0.004)
    assert fsm.time + TIME_TOLERANCE >= 0.004


def test_other_tasks_go_on_meanwhile() -> None:
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
