"""The limits of the tools: files below one folder, an end in time, answers that can be read."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from served import has_ended

from fsmkit.cli import limited_commands
from fsmkit.cli.limited_commands import LONGEST_ANSWER, LimitedCommands, short

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and processes of POSIX")

LAMP = """\
from fsmkit import Fsm

def build():
    lamp = Fsm("Lamp")
    off, on = lamp.add_state("Off"), lamp.add_state("On")
    off.add_transition("PRESS", on)
    on.add_transition("PRESS", off)
    return lamp
"""


class Failure(Exception):
    pass


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    for path in (folder / "lamp.py", folder / "sub/lamp.py", folder / "-v.py", tmp_path / "out.py"):
        path.write_text(LAMP)
    (folder / "notes.txt").write_text("")
    (folder / "link.py").symlink_to(tmp_path / "out.py")
    (folder / "door").symlink_to(tmp_path)
    (folder / "inner.py").symlink_to(folder / "lamp.py")
    (folder / "loop.py").symlink_to(folder / "loop.py")
    (folder / "folder.py").mkdir()
    return folder


def commands(folder: Path, seconds: float = 60.0) -> LimitedCommands:
    return LimitedCommands(folder.resolve(), seconds, Failure)


def test_files_below_the_folder_are_targets(project: Path) -> None:
    given = [
        "lamp.py", "lamp.py:build", "./sub/lamp.py", "sub/../lamp.py:a.b", "inner.py", "-v.py",
        str(project / "sub/lamp.py"),
    ]  # fmt: skip
    assert [commands(project).target(each) for each in given] == [
        "lamp.py", "lamp.py:build", "sub/lamp.py", "lamp.py:a.b", "lamp.py", "./-v.py",
        "sub/lamp.py",
    ]  # fmt: skip


OUTSIDE = "is not in the folder."
REFUSED = {
    "../out.py": OUTSIDE,
    "sub/../../out.py": OUTSIDE,
    "link.py": OUTSIDE,
    "link.py:build": OUTSIDE,
    "door/out.py": OUTSIDE,
    "none.py": "There is no file",
    "loop.py": "There is no file",
    "lamp.py\0.py": "There is no file",
    f"{'x' * 300}.py": "There is no file",
    "folder.py": "is not a Python file.",
    "notes.txt": "target must be a Python file",
    "os": "target must be a Python file",
    "os:getcwd": "target must be a Python file",
    "lamp": "target must be a Python file",
    "": "target must be a Python file",
    "lamp.py:build()": "target must be a Python file",
    "lamp.py:build; import os": "target must be a Python file",
    "lamp.py --write": "target must be a Python file",
    "lamp.py\n": "target must be a Python file",
}


@pytest.mark.parametrize("given", REFUSED)
def test_all_else_is_refused(project: Path, given: str) -> None:
    with pytest.raises(Failure, match=REFUSED[given]):
        commands(project).target(given)


def test_an_absolute_path_elsewhere_is_refused(project: Path) -> None:
    with pytest.raises(Failure, match=OUTSIDE):
        commands(project).target(str(project.parent / "out.py"))
    with pytest.raises(Failure, match=OUTSIDE):
        commands(project).target(json.__file__)


# Answers that are too long


def test_a_long_list_is_cut_and_the_rest_is_counted() -> None:
    found = json.loads(short({"events": [{"event": "GO", "names": ["a"] * 120}] * 400}))
    assert found.pop("left_out") == {"events": "350 of 400", "events[].names": "70 of 120"}
    assert found == {"events": [{"event": "GO", "names": ["a"] * 50}] * 50}


def test_a_long_text_is_cut_too() -> None:
    found = json.loads(short({"diff": "x" * 50_000}))
    assert found["left_out"] == {"diff": "32000 of 50000 characters"}
    assert found["diff"] == "x" * 18_000


@pytest.mark.parametrize(
    "answer",
    [
        {"states": {str(number): "y" * 50 for number in range(5_000)}},
        {"deep": [[[["z" * 1_000] * 50] * 50]]},
    ],
)
def test_every_answer_is_short_enough(answer: dict[str, Any]) -> None:
    assert len(short(answer)) <= LONGEST_ANSWER + 100


# Processes that do not do as they should


def ran(folder: Path, code: str, seconds: float = 60.0) -> dict[str, Any]:
    """Return the answer of a check of a file with this code."""
    (folder / "odd.py").write_text(f"{LAMP}\n{code}")
    return asyncio.run(commands(folder, seconds).answer("check", "--", "odd.py"))


@pytest.mark.slow
def test_a_target_that_hangs_is_ended_with_all_that_it_has_started(project: Path) -> None:
    code = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("pid", "w").write(str(child.pid))
while True:
    time.sleep(0.01)
"""
    with pytest.raises(Failure, match="It took longer than 8 s and was ended"):
        ran(project, code, 8.0)
    assert has_ended(int((project / "pid").read_text()))


@pytest.mark.slow
def test_a_target_that_never_yields_is_ended(project: Path) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass\n"
    with pytest.raises(Failure, match="It took longer than 2 s and was ended"):
        ran(project, code, 2.0)


@pytest.mark.slow
def test_a_process_that_is_killed_is_reported(project: Path) -> None:
    with pytest.raises(Failure, match="It ended without an answer, with exit code -9"):
        ran(project, "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(Failure, match=r"(?s)with exit code 3\..*all is lost"):
        ran(project, "import os; os.write(2, b'all is lost'); os._exit(3)")


@pytest.mark.slow
def test_too_much_output_ends_the_process(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_commands, "MOST_BYTES", 100_000)
    with pytest.raises(Failure, match="It printed more than 100,000 bytes and was ended"):
        ran(project, "import os\nwhile True: os.write(1, b'x' * 10_000)\n")


@pytest.mark.slow
def test_what_a_target_prints_does_not_hide_the_answer(project: Path) -> None:
    code = "import os, sys\nprint('hi')\nos.write(1, b'low\\n')\nos.write(2, b'e' * 1_000_000)\n"
    assert ran(project, code)["findings"] == []


@pytest.mark.slow
def test_files_in_the_folder_do_not_stand_for_modules_of_python(project: Path) -> None:
    for name in ("fsmkit.py", "json.py", "asyncio.py"):
        (project / name).write_text("raise SystemExit('hidden')")
    assert asyncio.run(commands(project).answer("draw", "--", "sub/lamp.py"))["written"] is None


@pytest.mark.slow
def test_the_error_of_a_command_is_raised(project: Path) -> None:
    with pytest.raises(Failure, match="has no function 'biuld'"):
        asyncio.run(commands(project).answer("draw", "--", "lamp.py:biuld"))
