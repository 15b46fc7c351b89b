"""The recipes of examples/anywhere_else work in their hosts."""

import asyncio
import importlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import ros

RECIPES = Path(__file__).parents[2] / "examples" / "anywhere_else"


def run_in_host(code: str, **variables: str) -> list[str]:
    """Run code beside the recipes in a process of its own, as hosts do not share one."""
    environment = {**os.environ, "PYTHONPATH": str(RECIPES), **variables}
    command = [sys.executable, "-c", code]
    result = subprocess.run(
        command, check=False, env=environment, capture_output=True, text=True, timeout=120
    )
    if result.returncode and "cannot open shared object file" in result.stderr:
        pytest.skip(f"the host lacks a library of the system: {result.stderr[-200:]}")
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_a_plain_loop(capsys: pytest.CaptureFixture[str]) -> None:
    import plain_loop

    plain_loop.main()
    first, last = capsys.readouterr().out.splitlines()
    assert (first, last[:14]) == ("it heats up", "it boils after")


def test_asyncio(capsys: pytest.CaptureFixture[str]) -> None:
    import with_asyncio

    asyncio.run(with_asyncio.main())
    assert capsys.readouterr().out.splitlines() == ["connected by call 2", "connected by call 4"]


def test_asyncio_gives_up_and_ends_the_other_task(capsys: pytest.CaptureFixture[str]) -> None:
    import with_asyncio

    class Dead(with_asyncio.Line):
        async def connect(self) -> str:
            raise ConnectionError("no answer")

    asyncio.run(asyncio.wait_for(with_asyncio.main(Dead()), timeout=30.0))
    assert capsys.readouterr().out == "given up: no answer\n"


@pytest.mark.slow
def test_textual() -> None:
    pytest.importorskip("textual", reason="Textual is not installed (the group hosts)")
    import with_textual

    async def play() -> list[str]:
        app, words = with_textual.Turnstile(), []
        async with app.run_test() as pilot:
            for key in ("p", "c", "p"):
                words.append(app.words)
                await pilot.press(key)
                app.tick()
            app.machine.send_event("COIN")
            for _ in range(100):
                app.tick()
            words.append(app.words)
        return words

    words = asyncio.run(play())
    assert [line.split(".")[0] for line in words] == [
        "Locked", "Locked", "Go through within three seconds", "Locked",
    ]  # fmt: skip


QT = """
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from with_qt import DeleteButton

app = QApplication([])
button = DeleteButton()
button.show()
for _ in range(2):
    print(button.text())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
print(button.text())
while button.text() != "Delete":
    QTest.qWait(10)
print(button.text())
"""


@pytest.mark.slow
def test_qt() -> None:
    if find_spec("PySide6") is None:
        pytest.skip("PySide6 is not installed (the group hosts)")
    lines = run_in_host(QT, QT_QPA_PLATFORM="offscreen")
    assert lines == ["Delete", "Really?", "Deleted", "Delete"]


KIVY = """
from kivy.clock import Clock
from with_kivy import Sliding

page = Sliding().build()
box = page.children[0]
for _ in range(2):
    box.dispatch("on_press")
    until = Clock.get_time() + 1.0
    while Clock.get_time() < until:
        Clock.tick()
    print([round(x) for x in box.pos])
"""


@pytest.mark.slow
def test_kivy(tmp_path: Path) -> None:
    if find_spec("kivy") is None:  # not imported here: it takes over all logging
        pytest.skip("Kivy is not installed (the group hosts)")
    lines = run_in_host(
        KIVY, KIVY_NO_ARGS="1", KIVY_NO_FILELOG="1", KIVY_HOME=str(tmp_path), KIVY_LOG_MODE="PYTHON"
    )
    assert lines == ["[300, 0]", "[0, 0]"]


def test_simpy(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("simpy", reason="SimPy is not installed (the group hosts)")
    import with_simpy

    with_simpy.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "   4.4 h: the mill breaks down",
        "  10.8 h: the lathe breaks down",
        "  12.4 h: the mill works again",
        "  20.4 h: the lathe works again",
    ]


def test_in_simpy_nothing_is_early_or_late_however_far_the_clock_is() -> None:
    simpy = pytest.importorskip("simpy", reason="SimPy is not installed (the group hosts)")
    from with_simpy import Actor

    from actions import DelegateAction, TimedWait
    from fsmkit import FINISHED, Fsm

    env, fsm, journal = simpy.Environment(initial_time=1e8), Fsm[Any]("Any"), list[Any]()
    wait = fsm.add_state("Wait")
    wait.add_action(DelegateAction(lambda: journal.append(round(env.now - 1e8, 3))))
    wait.add_action(TimedWait(0.1))
    wait.add_transition(FINISHED, wait)
    wait.add_transition("RING", wait)
    actor = Actor(env, fsm)

    def ring() -> Any:
        yield env.timeout(0.25)
        actor.send("RING")

    env.process(ring())
    env.run(until=1e8 + 0.5)
    assert journal == [0.0, 0.1, 0.2, 0.25, 0.35, 0.45]


@pytest.mark.slow
def test_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed (the group)")
    import with_gymnasium

    steps = [with_gymnasium.drive(gymnasium.make("MountainCar-v0"), seed) for seed in range(20)]
    assert max(steps) < 200


def test_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real rclpy where it is installed; its callbacks are called by hand in both."""
    if importlib.util.find_spec("rclpy") is not None:
        pytest.skip("this calls the stand-in; with ROS 2 run the recipe itself")
    for name, module in ros.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    robot: Any = importlib.import_module("with_rclpy").Wanderer()
    monkeypatch.delitem(sys.modules, "with_rclpy")
    ((frame, tick),) = robot.timers
    states = []
    for distance in (2.0, 0.3, 0.3, 0.2, 2.0):
        robot.heard["range"](ros.Float32(distance))
        for _ in range(round(0.3 / frame)):
            tick()
        _, command = robot.sent[-1]
        states.append((robot.machine.current_state.name, command.linear.x, command.angular.z))
    assert states == [
        ("Drive", 0.3, 0.0), ("Stop", 0.0, 0.0), ("Turn", 0.0, 1.0), ("Turn", 0.0, 1.0),
        ("Drive", 0.3, 0.0),
    ]  # fmt: skip
