"""What the recipes of examples/cookbook promise: devices, services, tables and tests."""

import asyncio
import re
import runpy
import socket
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from recipe_runs import COOKBOOK, path_of, recipe

from fsmkit import FsmAction, UnknownStateError
from fsmkit.recording import Recording, Usage, replay
from fsmkit.testing import Recorder, drive, explore, paths
from fsmkit.timing import run_async

RECIPES = (
    "asyncio_service",
    "check_and_replay_in_ci",
    "connection_with_backoff",
    "crash_report",
    "elevator",
    "emergency_stop",
    "hot_reload",
    "machine_from_a_table",
    "orders_in_a_database",
    "retry_with_backoff",
    "robot_docking",
    "socket_thread",
    "state_per_enum",
    "task_while_a_state_lasts",
    "testing_chance",
    "traffic_light",
    "vending_machine",
)


def printed(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", sys.path.copy())
        patch.delitem(sys.modules, "guard", raising=False)  # that of the recipe hot_reload
        runpy.run_path(str(COOKBOOK / f"{name}.py"), run_name="__main__")
        sys.modules.pop("guard", None)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_prints_the_same_twice_and_at_most_twelve_lines(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(name, capsys)
    assert 0 < len(lines) <= 12
    assert max(map(len, lines)) <= 80
    assert printed(name, capsys) == lines


TESTS = ("emergency_stop", "testing_chance", "traffic_light")
"""Recipes whose docstring shows a test."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_a_test_that_a_recipe_shows_passes(name: str) -> None:
    module = recipe(name)
    (code,) = re.findall(r"```py\n(.*?)```", module.__doc__, re.DOTALL)
    names = vars(module)
    exec(code, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    test()


@pytest.mark.parametrize("name", ["connection_with_backoff", "elevator", "robot_docking"])
def test_a_copy_continues_independently(name: str) -> None:
    script = [1.0, ("CALL", 3), *[0.5] * 60]

    def state_of(fsm: Any) -> object:
        return fsm.path, fsm.time_in_state, vars(fsm.context).get("floor")

    original, alone = recipe(name).build(), recipe(name).build()
    for fsm in (original, alone):
        fsm.on_unhandled = "ignore"
        fsm.start()
    copy = deepcopy(original)
    before = state_of(original)
    drive(copy, script)
    drive(alone, script)
    assert state_of(copy) == state_of(alone)
    assert state_of(original) == before


# Devices


def test_a_push_that_comes_too_early_waits_until_green_has_lasted_five_seconds() -> None:
    light = recipe("traffic_light").build()
    assert path_of(light, 2.0, "BUTTON", 2.9) == ["Green"]
    assert path_of(light, 0.2) == ["Amber"]


def test_a_late_push_leads_to_amber_at_once_and_night_may_fall_in_any_state() -> None:
    light = recipe("traffic_light").build()
    assert path_of(light, 60.0, "BUTTON") == ["Green", "Amber"]
    assert path_of(light, "NIGHT", 60.0, "DAY") == ["Flashing", "Red"]


@pytest.mark.parametrize("dt", [1 / 60, 0.7])
def test_the_light_is_exact_at_any_frame_rate(dt: float) -> None:
    light = recipe("traffic_light").build()
    drive(light, [5.0, "BUTTON"])
    while light.path != ("Green",):
        light.update(dt)
    assert light.time - light.time_in_state == pytest.approx(11.0)


def test_a_drink_that_is_not_paid_is_refused_and_the_rest_is_given_back() -> None:
    machine = recipe("vending_machine").build()
    machine.start()
    machine.send_event("COIN", 2)
    assert not machine.send_event("BUY", 3)
    machine.send_event("COIN", 2)
    assert machine.send_event("BUY", 3)
    assert machine.context.credit == 1
    assert path_of(machine, 3.0) == ["Ready"]
    assert machine.context.credit == 0


def test_each_coin_gives_twenty_more_seconds() -> None:
    machine = recipe("vending_machine").build()
    assert path_of(machine, ("COIN", 1), 19.0, ("COIN", 1), 19.0) == ["Ready", "Choose", "Choose"]
    assert path_of(machine, 1.0) == ["Ready"]


def stops_of_lift(*script: Any) -> list[int]:
    lift = recipe("elevator").build()
    stops = []

    class Watching:
        def state_entered(self, fsm: Any, state: Any, event: object) -> None:
            if event is not None and state.name == "Open":
                stops.append(fsm.context.floor)

    lift.observe(Watching())
    drive(lift, [*script, *[0.5] * 100])
    assert lift.path == ("Open",)
    assert not lift.context.calls
    return stops


def test_the_lift_continues_in_its_direction_while_there_is_a_call_ahead() -> None:
    assert stops_of_lift(("CALL", 2), 1.0, ("CALL", -1), ("CALL", 4)) == [2, 4, -1]


def test_the_lift_serves_every_call_once() -> None:
    rng = Random(3)
    floors = [rng.randrange(8) for _ in range(12)]
    stops = stops_of_lift(*(("CALL", floor) for floor in floors))
    assert sorted(stops) == sorted(set(floors))


def test_the_robot_gives_up_after_three_tries() -> None:
    robot = recipe("robot_docking").build()
    path = path_of(robot, *[0.5] * 40)
    assert path == ["Come", "Creep"] * 3 + ["Lost"]
    assert robot.context.position == (5.0, 0.0)


def test_contact_counts_while_it_creeps_only() -> None:
    robot = recipe("robot_docking").build()
    robot.on_unhandled = "ignore"
    assert path_of(robot, 1.0, "CONTACT", 1.5, "CONTACT") == ["Come", "Creep", "Docked"]


class Broken(FsmAction):
    """Raises in its first update."""

    def on_update(self) -> None:
        raise OSError("no power")


class Journal(set[str]):
    """The motors of a simulated robot that move, and what each of them did, in order."""

    def __init__(self, robot: Any) -> None:
        super().__init__()
        self.robot = robot
        self.said: dict[str, list[str]] = {"wheels": [], "brush": []}

    def add(self, motor: str) -> None:
        super().add(motor)
        self.said[motor].append(f"on while the motors are {self.robot.motors}")

    def remove(self, motor: str) -> None:
        super().remove(motor)
        self.said[motor].append(f"off while the motors are {self.robot.motors}")


async def until(robot: Any, *moving: str) -> None:
    for _ in range(2000):
        if robot.context.moving == {*moving}:
            return
        await asyncio.sleep(0.001)
        robot.update(0.001)
    raise AssertionError(f"{robot.context.moving} did not become {moving}")


def sweeper() -> Any:
    robot = recipe("emergency_stop").build()
    robot.context.moving = Journal(robot.context)
    return robot


def test_an_emergency_stop_stops_drivers_of_both_sorts() -> None:
    async def play() -> None:
        with robot.running():
            for _ in range(2):
                await until(robot, "wheels", "brush")
                robot.send_event("STOP")
                await until(robot)
                for _ in range(20):  # a robot that is stopped stays where it is
                    await asyncio.sleep(0.001)
                    robot.update(1.0)
                robot.send_event("RELEASE")
            await until(robot, "wheels", "brush")
        await until(robot)

    robot = sweeper()
    asyncio.run(play())
    on, off = "on while the motors are on", "off while the motors are off"
    assert robot.context.moving.said == {"wheels": [on, off] * 3, "brush": [on, off] * 3}


ENDS: dict[str, Callable[[Any], object]] = {
    "it arrives": lambda robot: robot.context.arrive.set(),
    "it is stopped": lambda robot: robot.send_event("STOP"),
    "it is stopped twice": lambda robot: drive(robot, ["STOP", "STOP"]),
    "the machine is stopped": lambda robot: robot.stop(),
    "both": lambda robot: drive(robot, ["STOP", robot.stop]),
    "it is sent elsewhere": lambda robot: robot.start("Arrived"),
}


@pytest.mark.parametrize("end", ENDS)
def test_the_motors_are_off_whatever_ends_the_drive(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        arrive = robot.context.arrive = asyncio.Event()
        way = {60.0: arrive.wait}
        monkeypatch.setattr(asyncio, "sleep", lambda s: way[s]() if s in way else sleep(s))
        with robot.running():
            await until(robot, "wheels", "brush")
            assert robot.context.motors == "on"
            ENDS[end](robot)
            await until(robot)
            assert robot.context.motors == "off"

    sleep = asyncio.sleep
    robot = sweeper()
    asyncio.run(play())


def test_the_motors_are_off_after_an_error() -> None:
    async def play() -> None:
        with pytest.raises(OSError, match="no power"), robot.running():
            robot.update(0.1)
        await until(robot)

    robot = sweeper()
    robot.states["Drive"].add_action(Broken())
    asyncio.run(play())
    assert robot.context.motors == "off"


def test_the_motors_run_only_in_drive() -> None:
    def is_safe(robot: Any) -> bool:
        return (robot.context.motors == "on") == (robot.path == ("Drive",))

    assert explore(recipe("emergency_stop").build, always=is_safe)


# Services


def test_the_delays_double_and_the_fourth_try_succeeds() -> None:
    upload = recipe("retry_with_backoff").build(answers_at=4)
    times: list[float] = []
    call = upload.context.upload

    def noted() -> None:
        times.append(upload.time)
        call()

    upload.states["Upload"].actions[0].action._on_enter = lambda _state: noted()
    drive(upload, [0.5] * 20)
    assert times == [0.0, 0.5, 1.5, 3.5]
    assert upload.path == ("Done",)


def test_the_error_of_the_last_try_is_the_data_of_the_failure() -> None:
    upload = recipe("retry_with_backoff").build(answers_at=9)
    drive(upload, [0.5] * 20)
    assert upload.path == ("Failed",)
    assert str(upload.event_data) == "no answer to call 5"


def test_a_connection_that_is_lost_is_made_again() -> None:
    fsm = recipe("connection_with_backoff").build()
    assert path_of(fsm, *[0.5] * 14)[-2:] == ["Call", "Online"]
    assert fsm.context.lamp
    fsm.send_event("LOST")
    assert (fsm.path, fsm.context.lamp) == (("Wait",), False)
    drive(fsm, [0.5] * 14)
    assert (fsm.path, fsm.context.lamp) == (("Online",), True)


def test_the_line_is_closed_when_the_program_stops() -> None:
    fsm = recipe("connection_with_backoff").build()
    drive(fsm, [*[0.5] * 14, fsm.stop])
    assert not fsm.context.lamp


def test_the_task_is_cancelled_when_its_state_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    async def leave() -> Any:
        fsm = recipe("task_while_a_state_lasts").build()
        run = asyncio.create_task(run_async(fsm, seconds=0.3))
        await asyncio.sleep(0)
        fsm.send_event("OPEN", "Rome")
        await asyncio.sleep(0)
        fsm.send_event("CLOSE")
        with Recorder(fsm) as recorder:
            await run
        return recorder.path

    assert asyncio.run(leave()) == []
    assert "Rome" not in capsys.readouterr().out


def test_the_result_is_the_data_of_the_next_state() -> None:
    async def wait() -> Any:
        fsm = recipe("task_while_a_state_lasts").build()
        fsm.start()
        fsm.send_event("OPEN", "Rome")
        while fsm.path == ("Loading",):
            await asyncio.sleep(0.01)
            fsm.update(0.01)
        return fsm.path, fsm.event_data

    assert asyncio.run(wait()) == (("Shown",), "the map of Rome")


def service_path(*lines: str) -> list[str]:
    async def serve() -> list[str]:
        fsm = recipe("asyncio_service").build(*lines)
        with Recorder(fsm) as recorder:
            await asyncio.wait_for(run_async(fsm, fps=500.0), timeout=30.0)
        return recorder.path

    return asyncio.run(serve())


def test_a_service_connects_again_and_ends_on_stop() -> None:
    path = service_path("busy", "hi", "20 C", "lost", "hi", "21 C", "...")
    assert path == ["Call", "Read", "Call", "Read", "Stopped"]


def test_a_service_stops_in_the_middle_of_a_call() -> None:
    assert service_path("...") == ["Call", "Stopped"]


def test_a_service_gives_up_after_three_tries(capsys: pytest.CaptureFixture[str]) -> None:
    path = service_path("hi", "lost", "busy", "busy", "busy", "hi")
    assert path == ["Call", "Read", "Call", "Failed"]
    assert capsys.readouterr().out.splitlines()[-1] == "Failed: busy"


def test_a_mistake_in_the_service_is_not_a_lost_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert service_path("hi") == ["Call", "Read", "Failed"]  # where nothing is left to pop
    assert capsys.readouterr().out.splitlines()[-1] == "Failed: pop from empty list"


def test_what_the_thread_reads_comes_in_order_in_the_next_update() -> None:
    module = recipe("socket_thread")
    pump = module.build()
    near, far = socket.socketpair()
    pump.start()
    reader = Thread(target=module.listen, args=(near, pump))
    reader.start()
    far.sendall(b"START 1\nSTO")
    far.sendall(b"P\nHELLO\nSTART 2\n")
    far.close()
    reader.join()
    assert pump.path == ("Off",)
    assert path_of(pump, 0.1) == ["On", "Off", "On", "Alone"]


# Ways to write a machine


def test_the_table_says_it_all() -> None:
    door = recipe("machine_from_a_table").build()
    assert path_of(door, "OPEN", 1.5, "CLOSE", 1.5) == [
        "Closed", "Opening", "Open", "Closing", "Closed"
    ]  # fmt: skip
    assert explore(recipe("machine_from_a_table").build)


def test_a_misspelt_state_in_the_table_says_which_is_meant() -> None:
    module = recipe("machine_from_a_table")
    with pytest.raises(UnknownStateError, match="Opening"):
        module.build(module.TABLE.replace("OPEN,Opening", "OPEN,Openign"))


def test_the_states_are_the_members_of_the_enum() -> None:
    module = recipe("state_per_enum")
    washer = module.build()
    assert list(washer.states) == list(module.Mode)
    washer.start(module.Mode.SPIN)
    assert washer.send_event(module.Key.NEXT)
    assert module.Mode(washer.path[0]) is module.Mode.IDLE


def test_new_code_continues_in_the_same_state(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed("hot_reload", capsys)
    assert "guard.py has changed: Guard goes on in 'Patrol', at 3.50 s." in lines
    assert lines[-3:] == ["4.0 Sleep", "4.5 Sleep", "5.0 Patrol"]


# Tests and faults


def test_a_seed_repeats_a_minute_and_another_one_does_not() -> None:
    minute = recipe("testing_chance").minute
    assert minute(7) == minute(7) != minute(8)


@pytest.mark.slow
def test_she_looks_about_three_times_as_often_as_she_yawns() -> None:
    module = recipe("testing_chance")
    entered = sum(map(module.minute, range(60)), Usage()).entered
    assert 2.5 < entered["Cat", "Look"] / entered["Cat", "Yawn"] < 3.5
    assert not paths(module.build).missing


def test_a_changed_door_does_not_replay(tmp_path: Path) -> None:
    build = recipe("check_and_replay_in_ci").build
    door = build()
    with Recording(door, tmp_path / "door.jsonl"):
        drive(door, ["OPEN", 1.0, 1.0])
    assert replay(build, tmp_path / "door.jsonl")
    assert not replay(lambda: build(open_for=1.0), tmp_path / "door.jsonl")


def test_the_report_has_the_last_seconds_with_the_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call, error, comparison = printed("crash_report", capsys)
    assert call.startswith("250.00 s")
    assert "error TypeError" in error
    assert comparison.startswith("216.0 s")
    assert comparison.endswith("all equal")
