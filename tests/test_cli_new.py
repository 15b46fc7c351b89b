"""`fsmkit new`: what it writes works, is checked, typed and formatted; nothing is overwritten."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from fsmkit.cli.new import ENGINES, MODULES

ROOT = Path(__file__).parents[1]
NO_SCREEN = 77
"""The exit code of a game that cannot draw here."""

Command = Callable[..., tuple[int, list[str], list[str]]]


def python(*arguments: str, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode == NO_SCREEN:
        pytest.skip(done.stdout.splitlines()[-1])
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_a_machine_its_test_and_its_picture_are_written(folder: Path, command: Command) -> None:
    assert command("new", "guard.py") == (
        0,
        [
            "Written:",
            "  guard.py",
            "  test_guard.py",
            "  guard.svg",
            "Next:",
            "  fsmkit run guard.py --reload",
            "  pytest test_guard.py",
            "  fsmkit inspect guard.py --open",
        ],
        [],
    )
    assert sorted(path.name for path in folder.iterdir()) == [
        "guard.py", "guard.svg", "test_guard.py",
    ]  # fmt: skip
    assert "<svg" in (folder / "guard.svg").read_text("utf-8")


def test_nothing_is_found_in_the_machine_and_it_runs(folder: Path, command: Command) -> None:
    command("new", "guard.py")
    assert command("check", "guard.py") == (0, ["Nothing to report: 3 states checked."], [])
    _, lines, _ = command("run", "guard.py", "--seconds", "8")
    assert [line.split()[2:] for line in lines[1:5]] == [
        ["Guard", "(start)", "Patrol"],
        ["Guard", "Patrol", "SEEN", "Chase"],
        ["Guard", "Chase", "FINISHED", "Rest"],
        ["Guard", "Rest", "FINISHED", "Patrol"],
    ]


@pytest.mark.slow
def test_the_character_is_named_after_the_file(folder: Path, command: Command) -> None:
    command("new", "slime.py", "--engine", "pygame")
    for file in ("slime.py", "test_slime.py", "slime_game.py"):
        text = (folder / file).read_text("utf-8")
        assert "Slime" in text
        assert re.findall(r"(?i)\bguard|\b(?:s?he|her|him|his)\b", text) == []
    assert (folder / "slime.py").read_text("utf-8").startswith('"""A slime walks its round, ')
    assert "the slime does" in (folder / "test_slime.py").read_text("utf-8")
    assert python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder).endswith("s\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transform", "fsm_state", "sprite", "a", "_cat"])
def test_no_name_of_the_files_is_hidden_by_the_character(
    name: str, folder: Path, command: Command
) -> None:
    command("new", name, "--engine", "pygame")
    printed = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder)
    assert printed.splitlines()[-1].startswith("4 passed")


@pytest.mark.slow
def test_its_test_passes(folder: Path, command: Command) -> None:
    command("new", "night_guard.py")
    printed = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder)
    assert printed.splitlines()[-1].startswith("4 passed")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_window_of_an_engine_is_written_too(
    engine: str, folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.cli.new.find_spec", lambda name: name)  # none is missing
    exit_code, lines, _ = command("new", "below", "--engine", engine)
    assert exit_code == 0
    assert lines[1:8] == [
        "  below.py",
        "  test_below.py",
        "  below_game.py",
        "  below.svg",
        "Next:",
        "  python below_game.py",
        "  pytest test_below.py",
    ]
    compile((folder / "below_game.py").read_text("utf-8"), "below_game.py", "exec")


FRAMES = {
    "pygame": """
        import os
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        import pygame
        events = iter([[]] * 5 + [[pygame.event.Event(pygame.QUIT)]])
        pygame.event.get = lambda: next(events)
    """,
    "arcade": """
        import os
        os.environ["ARCADE_HEADLESS"] = "True"
        import arcade

        def run():
            window = arcade.get_window()
            for _ in range(5):
                window.dispatch_event("on_update", 0.02)
                window.dispatch_events()
                window.on_draw()

        arcade.run = run
    """,
    "pyglet": """
        import pyglet
        pyglet.options.headless = True
        from itertools import count
        seconds = count()
        pyglet.clock.set_default(pyglet.clock.Clock(lambda: next(seconds)))

        def run():
            (window,) = pyglet.app.windows
            for _ in range(5):
                pyglet.clock.tick()
                window.dispatch_event("on_draw")
                window.dispatch_events()

        pyglet.app.run = run
    """,
    "panda3d": """
        from panda3d.core import loadPrcFileData
        settings = "load-display p3tinydisplay\\nwin-size 64 64\\nwindow-type offscreen\\n"
        loadPrcFileData("", settings + "audio-library-name null")
        from direct.showbase.ShowBase import ShowBase
        ShowBase.run = lambda game: [game.task_mgr.step() for _ in range(5)]
    """,
    "raylib": """
        import atexit, os, shutil, subprocess
        import pyray
        open_window = pyray.init_window

        def init_window(*arguments):
            open_window(*arguments)
            if not pyray.is_window_ready():
                raise RuntimeError("no display")

        if shutil.which("Xvfb"):  # a screen that nobody sees
            read, write = os.pipe()
            number = ["-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
            server = subprocess.Popen(
                ["Xvfb", *number], pass_fds=[write], stderr=subprocess.DEVNULL
            )
            atexit.register(server.terminate)
            os.close(write)
            os.environ["DISPLAY"] = ":" + os.fdopen(read).readline().strip()
            os.environ.pop("WAYLAND_DISPLAY", None)
        pyray.init_window = init_window
        pyray.get_frame_time = lambda: 0.02
        closes = iter([False] * 5 + [True])
        pyray.window_should_close = lambda: next(closes)
    """,
    "ursina": """
        from panda3d.core import loadPrcFileData
        loadPrcFileData("", "load-display p3tinydisplay\\naudio-library-name null")
        import ursina

        def begin(make=ursina.Ursina):
            app = make(window_type="none", development_mode=False)
            ursina.mouse.enabled = False  # it would look for the window
            type(app).run = lambda app: [app.step() for _ in range(5)]
            return app

        ursina.Ursina = begin
    """,
}
"""What has each engine run for five frames, without a screen."""

PLAY = """
try:
    import guard_game
    from guard import build as built
    machines = []
    guard_game.build = lambda guard: machines.append(built(guard)) or machines[-1]
    guard_game.reloaded = lambda *_: None
    guard_game.main()
except Exception as error:
    if "GL" in repr(error) or "display" in repr(error) or "Window" in type(error).__name__:
        print(f"It cannot draw here: {error!r}")
        raise SystemExit(77)
    raise
(machine,) = machines
print("in", *machine.path, machine.time > 0.0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_game_of_each_engine_runs(engine: str, folder: Path, command: Command) -> None:
    if find_spec(MODULES[engine]) is None:
        pytest.skip(f"{engine} is not installed (the extra {engine})")
    command("new", "guard.py", "--engine", engine)
    (folder / "play.py").write_text(dedent(FRAMES[engine]) + PLAY, "utf-8")
    assert python("play.py", cwd=folder).splitlines()[-1] == "in Patrol True"


def written(folder: Path, command: Command) -> list[str]:
    for engine in ENGINES:
        command("new", f"{engine}_guard.py", "--engine", engine)
    return sorted(path.name for path in folder.glob("*.py"))


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed (the group lint)")
def test_what_is_written_is_formatted_and_has_no_lint(folder: Path, command: Command) -> None:
    files = written(folder, command)
    settings = ("--no-cache", "--config", str(ROOT / "pyproject.toml"))
    python("-m", "ruff", "check", *settings, "--ignore", "D103,INP001", *files, cwd=folder)
    python("-m", "ruff", "format", "--check", *settings, *files, cwd=folder)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed (the group lint)")
def test_what_is_written_is_fully_typed(folder: Path, command: Command) -> None:
    files = written(folder, command)
    settings = ("--strict", "--config-file", str(ROOT / "pyproject.toml"))
    python("-m", "mypy", *settings, *files, cwd=folder)


# Nothing is lost


@pytest.mark.parametrize("present", ["guard.py", "test_guard.py", "guard_game.py", "guard.svg"])
def test_a_file_that_exists_is_left_alone_and_nothing_else_is_written(
    present: str, folder: Path, command: Command
) -> None:
    (folder / present).write_text("mine", "utf-8")
    assert command("new", "guard.py", "--engine", "pygame") == (
        2, [], [f"fsmkit: {present!r} exists already. Choose another name, or move it."],
    )  # fmt: skip
    assert [path.name for path in folder.iterdir()] == [present]
    assert (folder / present).read_text("utf-8") == "mine"


def test_an_engine_that_is_missing_is_to_be_installed_first(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.cli.new.find_spec", lambda _name: None)
    _, lines, _ = command("new", "guard.py", "--engine", "arcade")
    following = lines[lines.index("Next:") + 1 :]
    assert following[:2] == ["  pip install 'fsmkit[arcade]'", "  python guard_game.py"]


NO_NAMES = {
    "my guard.py": "must be the name of a Python module, such as night_guard.py, got 'my guard.py'",
    "__init__.py": "must be the name of a Python module, such as night_guard.py, got '__init__.py'",
    "class.py": "must be the name of a Python module, such as night_guard.py, got 'class.py'",
    "guard.txt": "must be the name of a Python module, such as night_guard.py, got 'guard.txt'",
    "2nd.py": "must be the name of a Python module, such as night_guard.py, got '2nd.py'",
    "random.py": (
        "must be a name that no other module has, got 'random.py': `import random` would no longer "
        "find the other one"
    ),
    "pygame": (
        "must be a name that no other module has, got 'pygame': `import pygame` would no longer "
        "find the other one"
    ),
    "no/guard.py": "must be in a folder that exists, got 'no/guard.py'; make the folder first",
}


@pytest.mark.parametrize("name", NO_NAMES)
def test_an_unusable_name_is_refused(name: str, folder: Path, command: Command) -> None:
    exit_code, _, errors = command("new", name)
    message = f"fsmkit new: error: argument FILE.py: {NO_NAMES[name]}"
    assert (exit_code, errors[-1], list(folder.iterdir())) == (2, message, [])


def test_a_folder_that_cannot_be_written_to_is_reported(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if mode == "x":
            raise PermissionError(13, "Permission denied")
        return regular(path, mode, *arguments, **options)

    regular = Path.open
    monkeypatch.setattr(Path, "open", refuse)
    assert command("new", "guard.py") == (
        2, [], ["fsmkit: 'guard.py' cannot be written: Permission denied."],
    )  # fmt: skip


def test_without_graphviz_everything_but_the_picture_is_written(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    exit_code, lines, errors = command("new", "guard.py")
    assert (exit_code, lines[:4]) == (0, ["Written:", "  guard.py", "  test_guard.py", "Next:"])
    assert errors[0].startswith("fsmkit: guard.svg is not drawn. ")
    assert "fsmkit[diagram]" in errors[0]
