"""`--format json`: one object on one line, also where a command fails."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsmkit.cli import main

Command = Callable[..., tuple[int, list[str], list[str]]]

LAMP = """\
from actions import TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit import BACK

print("hello from the file")

def build():
    lamp = Fsm("Lamp", context={"power": 3})
    off, on, flash = (lamp.add_state(name) for name in ("Off", "On", "Flash"))
    on.add_action(TimedWait(2.0))
    off.add_transition("PRESS", on, when=lambda state: state.context["power"] > 0)
    on.add_transition(FINISHED, off)
    on.add_transition("FLASH", flash, suspend=True)
    flash.add_transition("FLASH", BACK)
    lamp.add_group("Lit", on, flash).add_transition("BREAK", off)
    lamp.add_global_transition("RESET", off, do=lambda state: print("reset"))
    return lamp

def fails():
    lamp = build()
    lamp.states["On"].add_transition("BURN", "Off", do=lambda state: 1 / 0)
    return lamp
"""

SAID = "hello from the file"


@pytest.fixture
def answer(folder: Path, command: Command) -> Callable[..., tuple[int, dict[str, Any]]]:
    (folder / "lamp.py").write_text(LAMP)

    def answered(*arguments: str) -> tuple[int, dict[str, Any]]:
        code, printed, _ = command(*arguments, "--format", "json")
        (line,) = printed
        found = json.loads(line)
        assert found.pop("version") == 1
        return code, found

    return answered


def test_a_run_says_what_happened_and_when(answer: Any) -> None:
    code, run = answer(
        "run", "lamp.py", "--seconds", "4", "--event", "PRESS@1", "--event", "PRES@3.5"
    )
    assert (code, run["error"], run["seconds"], run["values"], run["why"]) == (
        0,
        None,
        4.0,
        [],
        None,
    )
    assert run["machines"] == [
        {"machine": "Lamp", "state": "Off", "seconds": {"Off": 2.0, "On": 2.0, "Flash": 0.0}}
    ]
    visits = [(each["state"], each["start"], each["end"], each["event"]) for each in run["visits"]]
    assert visits == [
        ("Off", 0.0, 1.0, None), ("On", 1.0, 3.0, "PRESS"), ("Off", 3.0, None, "FINISHED"),
    ]  # fmt: skip
    events = [(each["time"], each["event"], each["outcome"]) for each in run["events"]]
    assert events == [
        (1.0, "PRESS", "changed"), (3.0, "FINISHED", "changed"),
    ]  # fmt: skip
    assert run["unheard"] == [
        {"time": 3.5, "event": "PRES", "reason": "unknown; did you mean PRESS?"}
    ]


def test_a_run_asks_what_an_event_would_do_at_its_end(answer: Any, command: Command) -> None:
    _, run = answer("run", "lamp.py", "--seconds", "1", "--why", "PRES", "--watch", "power")
    (why,) = run["why"]
    assert (why["machine"], why["outcome"], why["reasons"][-1]) == (
        "Lamp", "unhandled", "Did you mean 'PRESS'?",
    )  # fmt: skip
    assert run["values"] == [{"time": 0.0, "machine": "Lamp", "values": {"power": "3"}}]
    _, printed, _ = command("run", "lamp.py", "--seconds", "1", "--why", "PRESS")
    assert printed[-2:] == ["PRESS at 1.00 s:", "  Lamp: 'PRESS' leads from 'Off' to 'On'."]


def test_a_run_that_fails_says_what_came_before(answer: Any) -> None:
    events = ("--event", "PRESS@1", "--event", "BURN@1.5")
    code, run = answer("run", "lamp.py:fails", "--seconds", "4", *events)
    error = run["error"]
    assert (code, error["message"]) == (1, "The run failed at 1.50 s.")
    assert error["details"][0] == "ZeroDivisionError: division by zero"
    assert (error["file"], error["line"]) == ("lamp.py", 21)
    assert [each["state"] for each in run["visits"]] == ["Off", "On", "Off"]
    assert [(each["time"], each["state"]) for each in run["errors"]] == [(1.5, "Off")]


def test_machines_that_join_a_group_are_in_the_answer(answer: Any, folder: Path) -> None:
    (folder / "town.py").write_text(
        "from actions import DelegateAction\nfrom fsmkit import Fsm, FsmGroup\n"
        "def build():\n"
        "    mother, child = Fsm('Mother'), Fsm('Child')\n"
        "    child.add_state('Cries')\n"
        "    group = FsmGroup([mother])\n"
        "    def bear():\n"
        "        group.add(child)\n"
        "        child.start()\n"
        "    mother.add_state('Waits').add_transition('NOW', mother.add_state('Rests'), do=bear)\n"
        "    return group\n"
    )
    _, run = answer("run", "town.py", "--seconds", "2", "--event", "NOW@1")
    assert [each["machine"] for each in run["machines"]] == ["Mother", "Child"]
    visits = [(each["machine"], each["state"]) for each in run["visits"]]
    assert sorted(visits) == [("Child", "Cries"), ("Mother", "Rests"), ("Mother", "Waits")]


def test_data_that_json_cannot_hold_is_text(answer: Any, folder: Path) -> None:
    (folder / "odd.py").write_text(
        "import attrs\nfrom fsmkit import Fsm\nfrom actions import SendEvent\n"
        "@attrs.define(repr=False)\n"
        "class Self:\n"
        "    me: object = None\n"
        "    def __repr__(self): return 'me'\n"
        "def build():\n"
        "    me = Self()\n"
        "    me.me = me\n"
        "    fsm = Fsm('Odd')\n"
        "    state = fsm.add_state('A')\n"
        "    for data in (float('inf'), {1}, [1, 'two'], me):\n"
        "        state.add_action(SendEvent('GO', data))\n"
        "    return fsm\n"
    )
    _, run = answer("run", "odd.py", "--seconds", "1")
    assert [each["data"] for each in run["events"]] == ["inf", "{1}", [1, "two"], "me"]


def test_a_drawing_has_states_transitions_and_actions_with_their_places(answer: Any) -> None:
    code, drawing = answer("draw", "lamp.py")
    (lamp,) = drawing["machines"]
    assert (code, lamp["machine"], drawing["written"]) == (0, "Lamp", None)
    on = lamp["states"][1]
    assert (on["state"], on["final"], on["failed"], on["file"], on["line"]) == (
        "On", False, False, "lamp.py", 9,
    )  # fmt: skip
    assert on["actions"] == [
        {
            "index": "0", "action": "TimedWait", "parameters": {"duration": "2.0"}, "sends": [],
            "machines": [], "file": "lamp.py", "line": 10,
        }
    ]  # fmt: skip
    assert lamp["groups"] == [
        {"group": "Lit", "states": ["On", "Flash"], "file": "lamp.py", "line": 15}
    ]
    ways = [
        (each["source"], each["event"], each["target"], each["suspend"], each["line"])
        for each in lamp["transitions"]
    ]
    assert ways == [
        ("Off", "PRESS", "On", False, 11),
        ("On", "FINISHED", "Off", False, 12),
        ("On", "FLASH", "Flash", True, 13),
        ("Flash", "FLASH", None, False, 14),
        ("Lit", "BREAK", "Off", False, 15),
        (None, "RESET", "Off", False, 16),
    ]
    assert lamp["transitions"][0]["when"] == 'lambda state: state.context["power"] > 0'


def test_a_picture_is_written_as_well(answer: Any, folder: Path) -> None:
    assert answer("draw", "lamp.py", "-o", "lamp.mmd")[1]["written"] == "lamp.mmd"
    assert (folder / "lamp.mmd").read_text().startswith("stateDiagram")


def test_a_recording_its_timeline_and_its_replay(answer: Any, folder: Path) -> None:
    record = ("record", "lamp.py", "-o", "lamp.jsonl", "--seconds", "2", "--event", "PRESS@1")
    code, recorded = answer(*record)
    assert (code, recorded) == (
        0, {"steps": 122, "seconds": 2.0, "written": "lamp.jsonl"},
    )  # fmt: skip
    _, timeline = answer("timeline", "lamp.jsonl")
    assert [(each["state"], each["start"]) for each in timeline["visits"]] == [
        ("Off", 0.0), ("On", 1.0),
    ]  # fmt: skip
    assert (timeline["end"], timeline["fault"], timeline["action_runs"]) == (2.0, None, [])
    _, timeline = answer("timeline", "lamp.jsonl", "lamp.py")
    assert [each["title"] for each in timeline["action_runs"]] == ["actions[0] (TimedWait)"]
    code, replay = answer("replay", "lamp.py", "lamp.jsonl", "--at", "1.5", "--why", "BREAK")
    assert (code, replay["equal"], replay["difference"]) == (0, True, None)
    assert replay["machines"] == [
        {"machine": "Lamp", "state": "On", "event": "PRESS", "time_in_state": 0.5}
    ]
    assert (replay["why"][0]["outcome"], replay["why"][0]["target"]) == ("changed", "Off")


def test_a_replay_that_differs_says_where(answer: Any, folder: Path) -> None:
    answer("record", "lamp.py", "-o", "lamp.jsonl", "--seconds", "2", "--event", "PRESS@1")
    changed = LAMP.replace('"PRESS", on, when', '"PUSH", on, when')
    (folder / "lamp.py").write_text(changed)
    code, replay = answer("replay", "lamp.py", "lamp.jsonl")
    difference = replay["difference"]
    assert (code, replay["equal"], difference["step"], difference["time"]) == (1, False, 61, 1.0)
    assert difference["recorded"] == ["event PRESS: changed", "leave Off", "enter On"]
    assert difference["replayed"] == []
    assert difference["text"].startswith("Step 62 differs.")


def test_new_says_what_it_has_written(answer: Any) -> None:
    pytest.importorskip("resvg_py")
    _, new = answer("new", "slime.py")
    assert new == {
        "written": ["slime.py", "test_slime.py", "slime.svg"],
        "next": [
            "fsmkit run slime.py --reload",
            "pytest test_slime.py",
            "fsmkit inspect slime.py --open",
        ],
    }


@pytest.mark.slow
def test_a_crowd_is_counted(answer: Any) -> None:
    stadium = str(Path(__file__).parents[1] / "examples/stadium.py")
    _, crowd = answer("crowd", stadium, "--agents", "30", "--seconds", "1", "--engine", "python")
    assert (crowd["machine"], crowd["agents"], crowd["seconds"]) == ("Spectator", 30, 1.0)
    assert sum(crowd["states"].values()) == 30


ERRORS = {
    "run none.py": "There is no file 'none.py'.",
    "draw lamp.py --machine None": "--machine",
    "run lamp.py --reload": "--reload is not for --format json. Leave out one of them.",
    "timeline none.jsonl": "'none.jsonl' cannot be read: No such file or directory.",
    "replay lamp.py none.jsonl": "'none.jsonl' cannot be read: No such file or directory.",
    "edit lamp.py retarget Off PRESS": "the following arguments are required: TARGET_STATE",
    "check lamp.py --explor": "unrecognized arguments: --explor. Did you mean --explore?",
    "new 7.py": "argument FILE.py: must be the name of a Python module",
}


@pytest.mark.parametrize("line", ERRORS)
def test_a_command_that_fails_prints_an_error_object(answer: Any, line: str) -> None:
    code, failed = answer(*line.split())
    assert (code, [*failed]) == (2, ["error"])
    assert [*failed["error"]] == ["message", "details", "file", "line"]
    assert failed["error"]["message"].startswith(ERRORS[line])


def test_the_error_is_on_stderr_as_always(command: Command) -> None:
    _, _, errors = command("run", "none.py", "--format", "json")
    assert errors[0].startswith("fsmkit: There is no file 'none.py'.")


def test_stdout_is_put_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "none.py", "--format", "json"])
    capsys.readouterr()
    print("here")
    assert capsys.readouterr().out == "here\n"
