"""Programs frozen by PyInstaller: what players get has all that it uses."""

import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from fsmkit.core import CORE_KIND
from fsmkit.diagram.layout import installed_program
from fsmkit.freezing import hook_folders

ROOT = Path(__file__).parents[2]
GAME = ROOT / "examples" / "night_guard"
STORY = (ROOT / "examples" / "recorded" / "night_guard.txt").read_text("utf-8").splitlines()[1:]

TOOLS = """
import sys
import urllib.request

import actions
from fsmkit import Fsm
from fsmkit.cli import main as command
from fsmkit.core import CORE_KIND
from fsmkit.diagram import to_svg
from fsmkit.inspector import inspect

print("core:", CORE_KIND, flush=True)
print("actions:", all(getattr(actions, name) for name in actions.__all__), flush=True)
door = Fsm("Door")
shut, ajar = door.add_state("Shut"), door.add_state("Ajar")
shut.add_transition("PUSHED", ajar)
door.start()
try:
    print("picture:", to_svg(door)[:5], flush=True)
except ImportError as error:
    print("picture:", error, flush=True)
with inspect(door, announce=None) as inspector:
    for name in ("", "page/live.js"):
        with urllib.request.urlopen(inspector.url + name) as page:
            print("page:", page.status, page.headers.get_content_type(), flush=True)
print("templates:", command(["new", "guard.py"]), flush=True)
print("demo:", command(["demo", "--headless"]), flush=True)
"""

LEFT_OUT = "picture: SVG and PNG pictures need Graphviz, which is not in this program."


def test_pyinstaller_is_led_to_the_hooks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pyinstaller40"] == {"hook-dirs": "fsmkit.freezing:hook_folders"}


def test_there_is_a_hook_for_each_room_that_needs_one() -> None:
    [folder] = hook_folders()
    assert sorted(path.name for path in Path(folder).glob("*.py")) == [
        "hook-actions.py",
        "hook-fsmkit.cli.py",
        "hook-fsmkit.crowd.py",
        "hook-fsmkit.diagram.py",
        "hook-fsmkit.inspector.py",
        "hook-fsmkit.py",
    ]


slow = pytest.mark.slow
long = pytest.mark.long
with_pyinstaller = pytest.mark.skipif(
    find_spec("PyInstaller") is None, reason="PyInstaller is not installed"
)


def frozen(program: Path, folder: Path) -> Path:
    """Freeze a program in a folder as a player gets it; return the file to run."""
    built = subprocess.run(
        [
            sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN",
            "--paths", str(ROOT), "--additional-hooks-dir", *hook_folders(),
            "--exclude-module", "numba", "--exclude-module", "tkinter", str(program),
        ],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return folder / "dist" / program.stem / program.stem


def run(game: Path, *arguments: str, folder: Path) -> list[str]:
    """Run a frozen program in an empty environment, where nothing that is installed is found."""
    environment = {name: os.environ[name] for name in ("HOME", "SYSTEMROOT") if name in os.environ}
    done = subprocess.run(
        [str(game), *arguments],
        cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@slow
@long
@with_pyinstaller
def test_night_guard_is_frozen_and_played(tmp_path: Path) -> None:
    assert run(frozen(GAME / "main.py", tmp_path), "--headless", folder=tmp_path) == STORY


@slow
@long
@with_pyinstaller
def test_a_frozen_program_has_the_kernel_and_the_tools(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="Starlette is not installed (the extra inspector)")
    program = tmp_path / "tools.py"
    program.write_text(TOOLS, "utf-8")
    lines = run(frozen(program, tmp_path), folder=tmp_path)
    written = lines.index("templates: 0")
    assert [line[: len(LEFT_OUT)] for line in lines[:5]] == [
        f"core: {CORE_KIND}",
        "actions: True",
        "picture: <svg " if installed_program() else LEFT_OUT,
        "page: 200 text/html",
        "page: 200 text/javascript",
    ]
    assert "  guard.py" in lines[5:written]
    assert lines[written + 1 :] == [*STORY, "demo: 0"]
