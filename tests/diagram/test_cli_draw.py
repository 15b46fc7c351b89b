"""The command `fsmkit draw`."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.cli import main
from fsmkit.diagram import to_dot, to_mermaid, to_text
from fsmkit.diagram.layout import PURE, program

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


WOLF = """
from actions import RunFsm
from fsmkit import Fsm

def build():
    fsm = Fsm("Wolf")
    wood, lair, trap = map(fsm.add_state, ("Wood", "Lair", "Trap"))
    wood.add_transition("TIRED", lair)
    wood.add_transition("LOST", trap)
    return fsm

def den():
    fsm = Fsm("Den")
    fsm.add_state("Run").add_action(RunFsm(build()))
    fsm.add_global_transition("AGAIN", "Run")
    return fsm
"""


def built(file: str) -> Fsm[Any]:
    fsm: Fsm[Any] = run_path(file)["build"]()
    return fsm


def has_graphviz_pure() -> bool:
    try:
        return Path(program()).stem == PURE
    except ImportError:
        return False


@pytest.fixture(autouse=True)
def scripts(folder: Path) -> None:
    """The guard, and what cannot be drawn."""
    shutil.copy(Path(__file__).parents[2] / "examples/guard.py", folder)
    (folder / "broken.py").write_text(BROKEN, "utf-8")


@pytest.mark.slow
def test_without_a_file_it_is_drawn_on_the_terminal(command: Command) -> None:
    assert command("draw", "guard.py") == (0, to_text(built("guard.py")).splitlines(), [])
    with_actions = to_text(built("guard.py"), actions=True).splitlines()
    assert command("draw", "guard.py", "--actions") == (0, with_actions, [])


def test_a_terminal_without_these_characters_gets_others(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["draw", "broken.py:naked"]) == 0
    written = stream.buffer.getvalue()  # type: ignore[attr-defined]
    assert written.splitlines() == [rb"\u5de1\u903b o", b"+- no states"]


MENU = """
from fsmkit import Fsm

def build():
    fsm = Fsm("Menu")
    state = fsm.add_state("Main")
    for number in range(20):
        state.add_transition(f"OPEN_{number}", state)
    return fsm
"""


def test_a_terminal_gets_lines_that_fit_and_a_file_gets_them_whole(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "menu.py").write_text(MENU, "utf-8")
    assert max(map(len, command("draw", "menu.py")[1])) <= 80
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    assert 40 < max(map(len, command("draw", "menu.py")[1])) <= 50
    command("draw", "menu.py", "-o", "menu.txt")
    assert len((folder / "menu.txt").read_text("utf-8").splitlines()) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "options"), [("a.txt", []), ("a.mmd", ["--actions"]), ("a.DOT", ["--dark"])]
)
def test_the_ending_of_the_file_says_what_is_written(
    command: Command, folder: Path, file: str, options: list[str]
) -> None:
    told = [f"2 states, 2 transitions, written to {file}."]
    assert command("draw", "guard.py", "-o", file, *options) == (0, told, [])
    machine = built("guard.py")
    expected = {
        "a.txt": to_text(machine) + "\n",
        "a.mmd": to_mermaid(machine, actions=True),
        "a.DOT": to_dot(machine, dark=True),
    }
    assert (folder / file).read_text("utf-8") == expected[file]


@pytest.mark.usefixtures("graphviz")
@pytest.mark.parametrize(("file", "beginning"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG")])
def test_pictures_are_laid_out(command: Command, folder: Path, file: str, beginning: bytes) -> None:
    told = [f"2 states, 2 transitions, written to {file}."]
    assert command("draw", "guard.py", "-o", file) == (0, told, [])
    assert (folder / file).read_bytes().startswith(beginning)


def test_states_are_where_the_file_beside_the_target_keeps_them(
    command: Command, folder: Path
) -> None:
    (folder / "guard.positions.json").write_text('{"Guard": {"Chase": [300, 40]}}', "utf-8")
    assert command("draw", "guard.py", "-o", "a.dot")[::2] == (0, [])
    expected = to_dot(built("guard.py"), positions={"Chase": (300, 40)})
    assert (folder / "a.dot").read_text("utf-8") == expected


def test_positions_of_what_does_not_exist_are_reported_and_the_rest_is_kept(
    command: Command, folder: Path
) -> None:
    text = '{"Guard": {"Chase": [300, 40], "Sleep": [0, 0]}, "Dog": {"Bark": [0, 0]}}'
    (folder / "guard.positions.json").write_text(text, "utf-8")
    assert command("draw", "guard.py", "-o", "a.dot") == (
        0,
        ["2 states, 2 transitions, written to a.dot."],
        [
            (
                "fsmkit: 'guard.positions.json': there is no state 'Sleep'. "
                "The states are: 'Patrol', 'Chase'."
            ),
            "fsmkit: 'guard.positions.json': there is no machine 'Dog'. The machines are: 'Guard'.",
        ],
    )
    assert 'pos="300,-40!"' in (folder / "a.dot").read_text("utf-8")


def test_a_wrong_file_of_positions_is_an_error(command: Command, folder: Path) -> None:
    (folder / "guard.positions.json").write_text('{"Guard": {"Chase": [300]}}', "utf-8")
    error = (
        "fsmkit: 'guard.positions.json' has no positions of states: The place of 'Chase' must be "
        "two numbers (x, y), got [300]. Correct the file, or remove it."
    )
    assert command("draw", "guard.py", "-o", "a.dot") == (2, [], [error])


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


def test_a_machine_that_fails_to_be_drawn_is_reported(command: Command) -> None:
    exit_code, printed, errors = command("draw", "broken.py")
    assert (exit_code, printed) == (1, [])
    assert errors == [
        "fsmkit: The machine cannot be drawn.",
        "  RuntimeError: not before noon",
        "  in broken.py, line 9, machines",
        "  Add --traceback to see the calls that led there.",
    ]


@pytest.mark.slow
def test_what_is_known_is_drawn(command: Command, folder: Path) -> None:
    assert command("record", "guard.py", "-o", "run.jsonl", "--seconds", "20")[0] == 0
    (folder / "pyproject.toml").write_text("[tool.fsmkit.check]\nignore = ['no-way-out:Lair']\n")
    (folder / "wolf.py").write_text(WOLF, "utf-8")
    exit_code, lines, errors = command("draw", "wolf.py", "--findings", "--senders")
    assert (exit_code, errors) == (0, [])
    assert lines == [
        "Wolf",
        "» sent from outside, · sent by an action",
        "├─○ Wood  (start)",
        "│   ├─ » TIRED ─→ Lair",
        "│   └─ » LOST ──→ Trap",
        "├─○ Lair",
        "└─○ Trap",
        "      warning: no-way-out",
    ]
    exit_code, lines, errors = command("draw", "guard.py", "--recording", "run.jsonl")
    assert (exit_code, errors) == (0, [])
    assert lines == [
        "Guard",
        "A run of 20 s",
        "├─○ Patrol  (start)",
        "│   │ 74 %  ·  15 s  ·  2×",
        "│   └─ SAW_PLAYER ×1 ─→ Chase",
        "└─○ Chase",
        "    │ 26 %  ·  5.2 s  ·  1×",
        "    └─ LOST_PLAYER ×1 ─→ Patrol",
    ]


def test_a_part_is_drawn(command: Command, folder: Path) -> None:
    (folder / "wolf.py").write_text(WOLF, "utf-8")
    exit_code, lines, _ = command("draw", "wolf.py", "--around", "Lair", "--radius", "1")
    assert (exit_code, lines) == (
        0,
        ["Wolf", "Around Lair: 2 of 3 states", "├─○ Wood  (start)", "│   └─ TIRED ─→ Lair",
         "└─○ Lair"],
    )  # fmt: skip
    told = ["2 machines, 4 states, 3 transitions, written to a.dot."]
    assert command("draw", "wolf.py:den", "-o", "a.dot") == (0, told, [])
    told = ["3 states, 2 transitions, written to a.dot."]
    assert command("draw", "wolf.py:den", "--machine", "Wolf", "-o", "a.dot") == (0, told, [])
    told = ["1 state, 0 transitions, written to a.dot."]
    options = ("--depth", "0", "--direction", "LR", "-o", "a.dot")
    assert command("draw", "wolf.py:den", *options)[0] == 0
    assert "rankdir" in (folder / "a.dot").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--machine", "Fox"], "--machine: there is no machine 'Fox'. The machines are: 'Wolf'."),
        (["--around", "Liar"], "--around: there is no state 'Liar'. Did you mean 'Lair'? The"),
        (["--depth", "-1"], "--depth must be an integer >= 0, got -1."),
        (["--around", "Lair", "--radius", "0"], "--radius must be an integer >= 1, got 0."),
        (["--recording", "none.jsonl"], "'none.jsonl' cannot be read: No such file or directory."),
        (["--recording", "wolf.py"], "'wolf.py' is not a recording: its first line is not the"),
        (["--recording", "run.jsonl"], "--recording: none of their machines is in the picture: "),
    ],
)
def test_wrong_values_are_errors_that_name_the_right_ones(
    command: Command, folder: Path, options: list[str], message: str
) -> None:
    (folder / "wolf.py").write_text(WOLF, "utf-8")
    assert command("record", "guard.py", "-o", "run.jsonl", "--seconds", "1")[0] == 0
    exit_code, printed, errors = command("draw", "wolf.py", *options)
    assert (exit_code, printed, len(errors)) == (2, [], 1)
    assert errors[0].startswith(f"fsmkit: {message}")


def test_the_good_part_of_a_damaged_recording_is_drawn(command: Command, folder: Path) -> None:
    assert command("record", "guard.py", "-o", "run.jsonl", "--seconds", "1")[0] == 0
    with (folder / "run.jsonl").open("a", encoding="utf-8") as file:
        file.write("{damaged\n")
    exit_code, lines, errors = command("draw", "guard.py", "--recording", "run.jsonl")
    assert (exit_code, lines[1], len(errors)) == (
        0,
        "A run of 1.0 s: grey arrows were never taken",
        1,
    )
    assert errors[0].startswith("fsmkit: 'run.jsonl': ")
    assert errors[0].endswith("; drawn up to there.")


def test_letters_that_no_font_has_are_reported(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("resvg_py")
    if not has_graphviz_pure():
        pytest.skip("the letters are those of graphviz-pure")
    monkeypatch.setattr("fsmkit.diagram.layout._can_draw_letters", lambda: True)
    monkeypatch.setattr("fsmkit.diagram.layout._has_font", lambda _: False)
    exit_code, _, errors = command("draw", "broken.py:naked", "-o", "a.png")
    assert (exit_code, len(errors)) == (0, 1)
    assert "letters that cannot be drawn here: ○巡逻. Install a font that has them" in errors[0]


def test_the_help_has_an_example(command: Command) -> None:
    exit_code, printed, _ = command("draw", "--help")
    assert exit_code == 0
    assert "  fsmkit draw examples/guard.py" in printed
