"""The command `fsmkit demo`: it finds the game, whatever else is called as its modules are."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.cli import demo
from fsmkit.cli.targets import apart
from fsmkit.introspection.code_place import DEMO_FOLDER, is_installed, is_of_user, is_ours

ROOT = Path(__file__).parents[1]
GAME = ROOT / "examples" / "night_guard"
RECORDED = ROOT / "examples" / "recorded" / "night_guard.txt"

MAIN = """
from events import GREETING

def carry_out(options):
    print(GREETING, options.museum, options.difficulty, options.headless, options.screenshot)
    return 3
"""

Command = Callable[..., tuple[int, list[str], list[str]]]

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def small_game(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game in the place of the real one, in a folder of its own."""
    game = folder / "installed"
    game.mkdir()
    (game / "main.py").write_text(MAIN, "utf-8")
    (game / "events.py").write_text("GREETING = 'hello'", "utf-8")
    monkeypatch.setattr(demo, "night_guard", lambda: game)
    return game


def test_the_game_gets_what_was_chosen_and_gives_the_exit_code(
    small_game: Path, command: Command
) -> None:
    assert command("demo") == (3, ["hello palace normal False None"], [])
    chosen = ("--museum", "cloister", "--difficulty", "hard", "--headless")
    assert command("demo", *chosen) == (3, ["hello cloister hard True None"], [])
    assert command("demo", "--screenshot", "a.png")[1] == ["hello palace normal False a.png"]


def test_its_modules_come_before_those_of_the_working_folder_and_are_forgotten(
    small_game: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("events", "main"):
        Path(f"{name}.py").write_text("raise SystemExit('wrong one')", "utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    path = [*sys.path]
    assert command("demo")[:2] == (3, ["hello palace normal False None"])
    assert sys.path == path
    assert not {"events", "main"} & sys.modules.keys()


def test_what_the_game_raises_is_reported_without_a_traceback(
    small_game: Path, command: Command
) -> None:
    (small_game / "events.py").write_text("GREETING = 1 / 0", "utf-8")
    code, lines, errors = command("demo")
    assert (code, lines) == (1, [])
    assert errors[:2] == ["fsmkit: The game has failed.", "  ZeroDivisionError: division by zero"]


def test_it_offers_what_the_game_has(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GAME))
    with apart():
        from difficulty import DIFFICULTIES  # type: ignore[import-not-found]
        from museums import MUSEUMS  # type: ignore[import-not-found]
    assert (tuple(MUSEUMS), tuple(DIFFICULTIES)) == (demo.MUSEUMS, demo.DIFFICULTIES)


@pytest.mark.parametrize("choice", ["--museum", "--difficulty"])
def test_what_it_does_not_offer_is_refused(choice: str, command: Command) -> None:
    code, _, errors = command("demo", choice, "none")
    assert code == 2
    assert "invalid choice: 'none'" in errors[-1]


def test_a_copy_has_all_of_the_game_and_nothing_is_overwritten(
    folder: Path, command: Command
) -> None:
    assert command("demo", "--copy", "mine") == (
        0,
        [
            "Written: mine",
            "Next:",
            f"  python {Path('mine', 'main.py')}",
            f"  Edit {Path('mine', 'guards.py')} while you play, save it and press F5.",
        ],
        [],
    )
    assert files(folder / "mine") == files(GAME)
    (folder / "mine" / "guards.py").write_text("mine now", "utf-8")
    assert command("demo", "--copy", "mine") == (
        2, [], ["fsmkit: 'mine' exists already. Choose another name, or move it."],
    )  # fmt: skip
    assert (folder / "mine" / "guards.py").read_text("utf-8") == "mine now"


def test_the_command_for_a_copy_may_be_pasted_where_its_path_has_a_space(
    folder: Path, command: Command
) -> None:
    _, lines, _ = command("demo", "--copy", "my night")
    assert lines[2] == f'  python "{Path("my night", "main.py")}"'


def test_a_copy_into_what_is_not_a_folder_is_refused(folder: Path, command: Command) -> None:
    (folder / "file").touch()
    code, _, errors = command("demo", "--copy", "file/mine")
    assert code == 2
    assert errors[0].startswith(f"fsmkit: {str(Path('file', 'mine'))!r} cannot be written:")


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_installed_game_counts_as_code_of_a_user() -> None:
    assert demo.night_guard() == GAME  # of a checkout
    file = str(DEMO_FOLDER / "guards.py")
    assert not is_ours(file)
    assert is_of_user(file) is not is_installed(file)


def test_no_module_of_the_game_hides_one_of_python() -> None:
    names = {path.stem for path in GAME.iterdir()}
    assert not names & (sys.stdlib_module_names | {"actions", "fsmkit", "pygame", "attrs"})


@pytest.mark.slow
def test_the_story_is_told_from_any_folder(folder: Path) -> None:
    for name in ("game", "events", "main", "guards"):
        (folder / f"{name}.py").write_text("raise SystemExit('wrong one')", "utf-8")
    told = subprocess.run(
        [sys.executable, "-m", "fsmkit", "demo", "--headless"],
        capture_output=True, check=True, encoding="utf-8", cwd=folder,
    )  # fmt: skip
    assert told.stdout.splitlines() == RECORDED.read_text("utf-8").splitlines()[1:]
    assert told.stderr == ""
