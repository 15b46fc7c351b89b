"""The command `fsmkit check`: what it prints and how it ends."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.checking import CODES
from fsmkit.cli import main

SCRIPT = """
from fsmkit import FsmAction, Fsm, FsmGroup

class Hey(FsmAction):
    finish_event = "SPOTED"

def build(name="Guard"):
    fsm = Fsm(name)
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_transition("SPOTTED", chase)
    patrol.add_action(Hey())
    return fsm

def warned():
    fsm = build()
    fsm.states["Patrol"].remove_action(fsm.states["Patrol"].actions[0])
    return fsm

def sound():
    fsm = warned()
    fsm.states["Chase"].add_transition("LOST", "Patrol")
    return fsm

def guards():
    return FsmGroup([build("Ann"), build("Bob"), sound()])

def strange():
    fsm = Fsm("two\\nlines")
    fsm.add_state("巡逻").add_transition("GO", fsm.add_state("\\033[31m"))
    return fsm

def broken():
    raise RuntimeError("out of order")
"""

Command = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture(autouse=True)
def script(folder: Path) -> None:
    """The script, in the folder to work in."""
    (folder / "game.py").write_text(SCRIPT, "utf-8")


REPORT = """\
Guard
  game.py:11:5: error dead-end-event: state 'Patrol', actions[0] (Hey)
    'SPOTED' may be sent here, but neither the state nor the machine knows it.
    11 | patrol.add_action(Hey())
       | ^^^^^^^^^^^^^^^^^^^^^^^^
    Did you mean 'SPOTTED'?

  game.py:9:46: warning no-way-out: state 'Chase'
    No transition leads from here to another state, and it is not marked as
    final.
    9 | patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
      |                                          ^^^^^^^^^^^^^^^^^^^^^^
    Add a transition, or mark the end: add_state(..., final=True).

  game.py:9:21: warning similar-events: state 'Patrol'
    The events 'SPOTTED' ('Patrol') and 'SPOTED' ('Patrol') differ by one
    letter.
    9 | patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
      |                 ^^^^^^^^^^^^^^^^^^^^^^^
    If they are the same event, spell them the same; a constant keeps them so.

1 error, 2 warnings in 2 states
"""


def test_prints_the_findings_and_ends_with_1_if_there_is_an_error(command: Command) -> None:
    assert command("check", "game.py") == (1, REPORT.splitlines(), [])


def test_a_warning_is_not_a_failure(command: Command) -> None:
    exit_code, lines, errors = command("check", "game.py:warned")
    assert (exit_code, lines[0], lines[-1], errors) == (0, "Guard", "1 warning in 2 states", [])


def test_says_so_if_there_is_nothing_to_report(command: Command) -> None:
    assert command("check", "game.py:sound") == (0, ["Nothing to report: 2 states checked."], [])


def test_a_group_is_reported_machine_by_machine(command: Command) -> None:
    exit_code, lines, _ = command("check", "game.py:guards")
    assert exit_code == 1
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "Ann",
        "1 error, 2 warnings in 6 states of 3 machines",
    ]


def test_names_that_would_upset_the_lines_are_spelt_out(command: Command) -> None:
    _, lines, _ = command("check", "game.py:strange")
    assert lines[0] == r"two\nlines"
    assert not any("\033" in line for line in lines)


def test_findings_may_be_ignored(command: Command) -> None:
    ignored = ["--ignore", "dead-end-event:Patrol", "--ignore", "similar-events"]
    assert command("check", "game.py", *ignored)[1][-1] == "1 warning in 2 states"
    everything = [part for code in CODES for part in ("--ignore", code)]
    assert command("check", "game.py", *everything)[0] == 0


def test_the_findings_as_json(command: Command) -> None:
    exit_code, lines, _ = command("check", "game.py", "--json")
    answer = json.loads("\n".join(lines))
    found = answer["findings"]
    assert (exit_code, answer["version"]) == (1, 1)
    assert answer["targets"] == [
        {
            "target": "game.py", "machines": 1, "states": 2, "walk": None, "paths": None,
            "error": None,
        }
    ]  # fmt: skip
    assert [finding["code"] for finding in found] == [
        "dead-end-event",
        "no-way-out",
        "similar-events",
    ]
    assert found[0] == {
        "target": "game.py",
        "code": "dead-end-event",
        "severity": "error",
        "place": {
            "machine": "Guard",
            "state": "Patrol",
            "action": "actions[0] (Hey)",
            "event": "SPOTED",
            "group": None,
            "file": "game.py",
            "line": 11,
        },
        "message": "'SPOTED' may be sent here, but neither the state nor the machine knows it.",
        "advice": "Did you mean 'SPOTTED'?",
    }
    exit_code, lines, errors = command("check", "game.py:sound", "--json")
    assert (exit_code, json.loads(lines[0])["findings"], errors) == (0, [], [])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none.py"], "There is no file 'none.py'"),
        (["game.py:nobody"], "'game.py' has no function 'nobody'"),
        (["game.py:broken"], "'game.py:broken' failed before it returned a machine"),
        (["game.py", "--ignore", "no-exit"], "There is no code 'no-exit'. The codes are: no-state"),
        ([], "the following arguments are required: TARGET"),
        (["game.py", "--jsn"], "unrecognized arguments: --jsn"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_clear_line(
    arguments: list[str], complaint: str, command: Command
) -> None:
    exit_code, lines, errors = command("check", *arguments)
    assert (exit_code, lines) == (2, [])
    assert complaint in " ".join(errors)
    assert not any("Traceback" in line for line in errors)


def test_the_help_has_an_example(command: Command) -> None:
    exit_code, lines, _ = command("check", "--help")
    assert exit_code == 0
    assert "  fsmkit check examples/guard.py" in lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_color", ["", "1"])
def test_severities_are_coloured_on_a_terminal_only(
    no_color: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    main(["check", "game.py"])
    assert ("\033[31merror" in terminal.getvalue()) == (not no_color)
    assert ("\033[33mwarning" in terminal.getvalue()) == (not no_color)


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_every_line_fits_the_terminal(
    columns: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    _, lines, _ = command("check", "game.py:guards")
    assert [line for line in lines if len(line) > columns] == []
    assert max(map(len, lines)) > columns * 0.6
