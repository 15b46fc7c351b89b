"""`fsmkit check --explore`: what it prints, and what it says when something is wrong."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, list[str], list[str]]]

pytestmark = pytest.mark.usefixtures("folder")

DOOR = """
from fsmkit import Fsm

def build():
    fsm = Fsm("Door", context={"jams": 0}, on_unhandled="ignore")
    opened, closed = fsm.add_state("Open"), fsm.add_state("Closed")

    def jam(state):
        state.context["jams"] = 1

    opened.add_transition("CLOSE", closed)
    opened.add_transition("SLAM", closed, do=jam)
    closed.add_transition("OPEN", opened, when=lambda state: not state.context["jams"])
    return fsm
"""


def door(folder: Path, source: str = DOOR) -> str:
    (folder / "old_door.py").write_text(source, "utf-8")
    return "old_door.py"


def test_findings_of_the_walk_come_with_a_test(folder: Path, command: Command) -> None:
    code, out, errors = command("check", door(folder), "--explore")
    assert (code, errors) == (0, [])
    assert out == [
        "Door",
        "  old_door.py:6:45: warning never-left: state 'Closed'",
        "    Reached like this, the state is never left again. Events from outside:",
        "    'CLOSE', 'SLAM', 'OPEN'.",
        '    6 | opened, closed = fsm.add_state("Open"), fsm.add_state("Closed")',
        f"      | {' ' * 40}{'^' * 23}",
        "    Add a transition, or mark the end: add_state(..., final=True).",
        "",
        "    from fsmkit.testing import drive",
        "    from old_door import build",
        "",
        "",
        "    def test_closed_is_never_left():",
        "        fsm = build()",
        "        fsm.start()",
        "        drive(fsm, ['SLAM'])",
        "        assert fsm.current_state.name == 'Closed'",
        "        drive(fsm, ['CLOSE', 'SLAM', 'OPEN', *[0.5] * 20])",
        "        assert fsm.current_state.name == 'Closed'",
        "",
        "3 moments explored, complete; 3 of 3 transitions taken",
        "1 warning in 2 states",
    ]


def test_json_has_script_and_test(folder: Path, command: Command) -> None:
    _, out, _ = command("check", door(folder), "--explore", "--json")
    answer = json.loads("\n".join(out))
    (finding,) = answer["findings"]
    assert (finding["code"], finding["script"]) == ("never-left", ["SLAM"])
    assert "def test_closed_is_never_left():" in finding["test"]
    assert answer["targets"][0]["walk"] == {
        "summary": "3 moments explored, complete; 3 of 3 transitions taken",
        "complete": True,
    }


def test_paths_are_scripts_that_take_every_transition(folder: Path, command: Command) -> None:
    _, out, _ = command("check", door(folder), "--explore", "--paths", "--json")
    assert json.loads(out[0])["targets"][0]["paths"] == {
        "scripts": [["SLAM"], ["CLOSE", "OPEN"]],
        "missing": [],
    }
    _, out, _ = command("check", door(folder), "--explore", "--paths")
    assert out[-3:] == ["  ['SLAM']", "  ['CLOSE', 'OPEN']", "1 warning in 2 states"]
    assert command("check", door(folder), "--paths") == (
        2,
        [],
        ["fsmkit: --paths needs --explore."],
    )


def test_a_group_of_machines_has_no_paths(folder: Path, command: Command) -> None:
    source = (
        f"{DOOR}\n\ndef house():\n    from fsmkit import FsmGroup\n    return FsmGroup([build()])"
    )
    target = f"{door(folder, source)}:house"
    code, _, errors = command("check", target, "--explore", "--paths")
    assert (code, errors) == (
        2, ["fsmkit: build must return one Fsm for paths(), got an FsmGroup."],
    )  # fmt: skip


@pytest.mark.parametrize("form", ["sarif", "github"])
def test_other_formats_have_the_test_too(folder: Path, command: Command, form: str) -> None:
    _, out, _ = command("check", door(folder), "--explore", "--format", form)
    assert any("test_closed_is_never_left" in line for line in out)


def test_the_inputs_and_the_bounds_may_be_chosen(folder: Path, command: Command) -> None:
    given = ["--input", "CLOSE", "--input", "OPEN", "--moments", "5", "--seconds-per-step", "0.1"]
    _, out, _ = command("check", door(folder), "--explore", *given, "--seconds", "3")
    assert out[-2] == "2 moments explored, complete; 2 of 3 transitions taken"


def test_inputs_of_the_project_are_taken(folder: Path, command: Command) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.fsmkit.check]\ninputs = ["CLOSE", "OPEN"]\n', "utf-8"
    )
    _, out, _ = command("check", door(folder), "--explore")
    assert out[-2] == "2 moments explored, complete; 2 of 3 transitions taken"


def test_findings_of_the_walk_are_ignored_by_comments_and_by_name(
    folder: Path, command: Command
) -> None:
    line = "opened, closed = fsm.add_state"
    ignored = DOOR.replace(
        'fsm.add_state("Closed")', 'fsm.add_state("Closed")  # fsmkit: ignore[never-left]'
    )
    assert line in ignored
    assert command("check", door(folder, ignored), "--explore")[1][-1].startswith("Nothing")
    by_name = command("check", door(folder), "--explore", "--ignore", "never-left:Closed")
    assert by_name[1][-1] == "Nothing to report: 2 states checked."


@pytest.mark.slow
def test_work_that_was_not_begun_is_named_and_nothing_is_praised(
    folder: Path, command: Command
) -> None:
    waiting = DOOR.replace(
        "    return", "    opened.add_action(InThread(len))\n    return"
    ).replace("from fsmkit", "from actions import InThread\nfrom fsmkit", 1)
    options = ("--explore", "--ignore", "never-left")
    _, out, _ = command("check", door(folder, waiting), *options)
    assert "a test can build stand-ins: InThread in 'Open'" in out[-2]
    assert out[-1] == "Nothing to report in the part walked: 2 states checked."


def test_what_the_checks_have_said_is_not_said_again(folder: Path, command: Command) -> None:
    stuck = DOOR.replace('    closed.add_transition("OPEN"', '    opened.add_transition("OPEN"')
    _, out, _ = command("check", door(folder, stuck), "--explore")
    assert [line for line in out if ": warning " in line] == [
        "  old_door.py:6:45: warning no-way-out: state 'Closed'"
    ]


def test_errors_of_the_walk_are_errors(folder: Path, command: Command) -> None:
    failing = DOOR.replace('state.context["jams"] = 1', "1 / 0")
    code, out, _ = command("check", door(folder, failing), "--explore")
    assert code == 1
    assert "    ZeroDivisionError: division by zero (old_door.py, line 9, jam)." in out


def test_options_of_the_walk_want_a_walk(folder: Path, command: Command) -> None:
    code, _, errors = command("check", door(folder), "--moments", "5")
    assert (code, errors) == (2, ["fsmkit: --moments needs --explore."])


@pytest.mark.parametrize("text", ["0", "many"])
def test_bounds_are_numbers(folder: Path, command: Command, text: str) -> None:
    code, _, errors = command("check", door(folder), "--explore", "--moments", text)
    assert code == 2
    assert errors[-1].endswith(f"must be an integer >= 1, got '{text}'")


def test_a_build_that_fails_the_second_time_is_explained(folder: Path, command: Command) -> None:
    once = DOOR.replace(
        "def build():", "made = []\n\ndef build():\n    assert not made.append(1) and len(made) < 3"
    )
    code, _, errors = command("check", door(folder, once), "--explore")
    assert code == 2
    assert errors[0].startswith("fsmkit: 'old_door.py:build' failed before it returned a machine.")


WALL = """
from fsmkit import Fsm

def build():
    fsm = Fsm("Wall", on_unhandled="ignore")
    whole, broken = fsm.add_state("Whole"), fsm.add_state("Broken", final=True)
    whole.add_transition("HIT", broken, when=lambda state, force: force > 3)
    return fsm
"""


def test_at_a_terminal_a_bar_shows_how_far_a_long_walk_is(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    every_second = map(float, range(10_000))
    monkeypatch.setattr("fsmkit.terminal.progress.monotonic", lambda: next(every_second))
    code, out, errors = command("check", door(folder), "--explore", "--moments=4")
    assert (code, out[-2][:18]) == (0, "3 moments explored")
    assert "exploring old_door.py:build  [###############               ]  50%" in "".join(errors)
    assert errors[-1] == "\033[K"


def test_data_that_is_missing_is_asked_for_in_the_words_of_the_command_line(
    folder: Path, command: Command
) -> None:
    code, out, _ = command("check", door(folder, WALL), "--explore")
    assert code == 1
    assert any(line.endswith("or --input HIT=... of fsmkit check.") for line in out)


def test_inputs_may_have_data_and_several_values(folder: Path, command: Command) -> None:
    given = ["--explore", "--input", "HIT=1"]
    code, out, _ = command("check", door(folder, WALL), *given)
    assert (code, out[-2]) == (0, "1 moment explored, complete; 0 of 1 transitions taken")
    code, out, _ = command("check", door(folder, WALL), *given, "--input", "HIT=5")
    assert (code, out) == (
        0,
        [
            "2 moments explored, complete; 1 of 1 transitions taken",
            "Nothing to report: 2 states checked.",
        ],
    )


@pytest.mark.parametrize("text", ["HIT=", "HIT=hard", "HIT=NaN", "=5", ""])
def test_data_of_an_input_is_json(folder: Path, command: Command, text: str) -> None:
    code, _, errors = command("check", door(folder, WALL), "--explore", "--input", text)
    assert code == 2
    assert "must be an event, such as SPOTTED, or one with data as JSON" in errors[-1]
