"""What a command says on stderr while the user's code keeps it waiting: its line, and a remedy."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from every import every

from fsmkit.cli.targets import find
from fsmkit.terminal import progress

HEAD = """\
import sys, time
from fsmkit import Fsm

def loop():
    while "Waiting" not in sys.stderr.getvalue():
        time.sleep(0.001)

"""
"""The loop ends when the command has said that it waits, as a test cannot do for ever."""

GAME = f"""{HEAD}
def build():
    fsm = Fsm("Lamp")
    fsm.add_state("Off")
    return fsm
"""
BUILDS = f"""{HEAD}
def build():
    fsm = Fsm("Lamp")
    fsm.add_state("Off")
    loop()
    return fsm
"""
LOOPS = f'{GAME}while "Waiting" not in sys.stderr.getvalue():\n    time.sleep(0.001)\n'
CALLS = f"{GAME}loop()\n"
IMPORTS = "from game import build\n"

PUT_IT_BELOW = 'If it is the loop of your program, put it below `if __name__ == "__main__":`.'
LEAVE_IT_OUT = (
    "If that is a loop, leave it out: the function returns the machine, and the command updates it."
)

Command = Callable[..., tuple[int, list[str], list[str]]]

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.01)


VERBS = (
    ("run", "lamp.py", "--seconds=1"), ("check", "lamp.py"), ("draw", "lamp.py"),
    ("record", "lamp.py", "--seconds=1", "-o", "lamp.jsonl"), ("timeline", "lamp.jsonl", "lamp.py"),
    ("edit", "lamp.py", "add-state", "On"), ("inspect", "lamp.py", "--start=On"),
)  # fmt: skip


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)


@pytest.mark.slow
@every("arguments", VERBS)
def test_every_verb_names_the_line_of_a_loop_at_top_level(
    arguments: tuple[str, ...], folder: Path, command: Command
) -> None:
    write(folder, lamp=LOOPS)
    _, _, errors = command(*arguments)
    last = LOOPS.count("\n")
    waits = [f"fsmkit: Waiting for lamp.py:{line}" for line in (last - 1, last)]
    assert errors[0].partition(", ")[0] in waits, arguments
    assert errors[0].endswith(f", which runs when the file is imported. {PUT_IT_BELOW}")


def test_a_loop_in_a_function_is_named_by_both_lines(folder: Path, command: Command) -> None:
    write(folder, game=CALLS, lamp=IMPORTS)
    for target in ("game.py", "game", "lamp.py"):
        code, output, errors = command("run", target, "--seconds=1")
        assert (code, bool(output)) == (0, True)  # the program goes on once its loop ends
        (line,) = errors
        called = CALLS.count("\n")
        place, imported, inside = line.split(", ", 2)
        assert place == f"fsmkit: Waiting for game.py:{called}"
        assert imported == "which runs when the file is imported"
        assert inside.startswith("now at game.py:")
        assert inside.endswith(f" in loop(). {PUT_IT_BELOW}")


def test_a_loop_in_build_is_named(folder: Path, command: Command) -> None:
    write(folder, lamp=BUILDS)
    code, output, (line,) = command("run", "lamp.py", "--seconds=1")
    assert (code, bool(output)) == (0, True)
    assert line.startswith("fsmkit: Waiting for 'lamp.py:build', now at lamp.py:")
    assert line.endswith(f" in loop(). {LEAVE_IT_OUT}")


def test_a_package_that_takes_long_is_no_loop(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = "import time\ntime.sleep(0.1)\n"
    package = folder / "site-packages"
    package.mkdir()
    (package / "slow_package.py").write_text(slow)
    monkeypatch.syspath_prepend(str(package))
    write(folder, lamp=f"import slow_package\n{CALLS}")
    _, _, (line,) = command("run", "lamp.py", "--seconds=1")
    assert line.startswith(f"fsmkit: Waiting for lamp.py:{1 + CALLS.count(chr(10))}, ")


def test_what_ends_soon_is_not_named(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "DELAY", 60.0)
    write(folder, lamp=GAME)
    assert command("run", "lamp.py", "--seconds=1")[2] == []


def test_a_build_that_has_returned_is_not_waited_for_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "lamp.py").write_text(GAME)
    build = find("lamp.py")
    started: list[Thread] = []
    start = Thread.start
    monkeypatch.setattr(Thread, "start", lambda each: started.append(each) or start(each))
    counts = []
    for _ in range(3):
        build()
        counts.append(len(started))
    assert counts == [1, 1, 1]
