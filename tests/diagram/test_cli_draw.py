"""The command `fsmkit draw`."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.cli import main
from fsmkit.cli.targets import load
from fsmkit.diagram import to_dot, to_mermaid, to_text
from fsmkit.diagram.layout import program

Command = Callable[..., tuple[int, list[str], list[str]]]

BROKEN = """
from fsmkit import Fsm, FsmAction

class Broken(FsmAction):
    @property
    def machines(self):
        if self.state is None:
            return ()
        raise RuntimeError("not before noon")

def build():
    fsm = Fsm("Lazy")
    fsm.add_state("Bed").add_action(Broken())
    return fsm

def naked():
    return Fsm("巡逻 ○")
"""


@pytest.fixture(autouse=True)
def scripts(folder: Path) -> None:
    """The guard, and what cannot be drawn."""
    shutil.copy(Path(__file__).parents[2] / "examples/guard.py", folder)
    (folder / "broken.py").write_text(BROKEN, "utf-8")


def test_without_a_file_it_is_drawn_on_the_terminal(command: Command) -> None:
    assert command("draw", "guard.py") == (0, to_text(load("guard.py")).splitlines(), [])
    with_actions = to_text(load("guard.py"), actions=True).splitlines()
    assert command("draw", "guard.py", "--actions") == (0, with_actions, [])


def test_a_terminal_without_such_signs_gets_others(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["draw", "broken.py:naked"]) == 0
    written = stream.buffer.getvalue()  # type: ignore[attr-defined]
    assert written.splitlines() == [rb"\u5de1\u903b o", b"+- no states"]


@pytest.mark.parametrize(
    ("file", "options"), [("a.txt", []), ("a.mmd", ["--actions"]), ("a.DOT", ["--dark"])]
)
def test_the_ending_of_the_file_says_what_is_written(
    command: Command, folder: Path, file: str, options: list[str]
) -> None:
    assert command("draw", "guard.py", "-o", file, *options) == (0, [f"Written to {file}."], [])
    machine = load("guard.py")
    expected = {
        "a.txt": to_text(machine) + "\n",
        "a.mmd": to_mermaid(machine, actions=True),
        "a.DOT": to_dot(machine, dark=True),
    }
    assert (folder / file).read_text("utf-8") == expected[file]


@pytest.mark.parametrize(("file", "beginning"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG")])
def test_pictures_are_laid_out(command: Command, folder: Path, file: str, beginning: bytes) -> None:
    try:
        program()
    except ImportError:
        pytest.skip("neither graphviz-pure nor dot is here")
    assert command("draw", "guard.py", "-o", file) == (0, [f"Written to {file}."], [])
    assert (folder / file).read_bytes().startswith(beginning)


def test_an_unknown_ending_is_an_error_before_anything_is_loaded(command: Command) -> None:
    for file, ending in [("a.pdf", ".pdf"), ("a", "none")]:
        exit_code, printed, errors = command("draw", "nothing.py", "-o", file)
        assert (exit_code, printed, len(errors)) == (2, [], 1)
        assert errors[0] == (
            f"fsmkit: -o {file!r}: the extension must be one of .svg, .png, .mmd, .dot, .txt, got "
            f"{ending}."
        )


def test_a_file_that_cannot_be_written_is_an_error(command: Command, folder: Path) -> None:
    (folder / "b.txt").mkdir()
    exit_code, printed, errors = command("draw", "guard.py", "-o", "no/a.txt")
    assert (exit_code, printed) == (2, [])
    assert errors == ["fsmkit: 'no/a.txt' cannot be written: No such file or directory."]
    assert command("draw", "guard.py", "-o", "b.txt")[0] == 2
    assert sorted(path.name for path in folder.iterdir()) == ["b.txt", "broken.py", "guard.py"]


def test_without_a_graphviz_one_line_says_what_to_do(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.svg").write_text("old")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(folder))
    exit_code, printed, errors = command("draw", "guard.py", "-o", "a.svg")
    assert (exit_code, printed, len(errors)) == (2, [], 1)
    assert "pip install 'fsmkit[diagram]'" in errors[0]
    assert (folder / "a.svg").read_text() == "old"


def test_a_machine_that_fails_to_be_drawn_is_told_of(command: Command) -> None:
    exit_code, printed, errors = command("draw", "broken.py")
    assert (exit_code, printed) == (1, [])
    assert errors == [
        "fsmkit: The machine cannot be drawn.",
        "  RuntimeError: not before noon",
        "  in broken.py, line 9, machines",
        "  Add --traceback to see the calls that led there.",
    ]


def test_the_help_has_an_example(command: Command) -> None:
    exit_code, printed, _ = command("draw", "--help")
    assert exit_code == 0
    assert "  fsmkit draw examples/guard.py" in printed
