"""`fsmkit edit`: the diff of a proved change, or why it is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

OFF = '    off = lamp.add_state("Off")\n'

LAMP = """\
from fsmkit import Fsm
from actions import TimedWait

def build():
    lamp = Fsm("Lamp")
    off = lamp.add_state("Off")
    on = lamp.add_state("On")
    on.add_action(TimedWait(2.0))  # seconds
    off.add_transition("PRESS", on)
    return lamp
"""


@pytest.fixture
def lamp(folder: Path) -> Path:
    (folder / "lamp.py").write_text(LAMP)
    return folder / "lamp.py"


def test_a_change_is_printed_and_not_written(command: Any, lamp: Path) -> None:
    code, printed, errors = command("edit", "lamp.py", "retarget", "Off", "PRESS", "Off")
    assert (code, errors) == (0, [])
    assert printed == [
        "--- lamp.py",
        "+++ lamp.py",
        "@@ -6,5 +6,5 @@",
        '     off = lamp.add_state("Off")',
        '     on = lamp.add_state("On")',
        "     on.add_action(TimedWait(2.0))  # seconds",
        '-    off.add_transition("PRESS", on)',
        '+    off.add_transition("PRESS", off)',
        "     return lamp",
    ]
    assert lamp.read_text() == LAMP


@pytest.mark.parametrize(
    ("arguments", "before", "after"),
    [
        ("set On 0 duration 3", "TimedWait(2.0)", "TimedWait(3.0)"),
        ("set On 0 finish_event LATE", "TimedWait(2.0)", 'TimedWait(2.0, finish_event="LATE")'),
        ("rename-event Off PRESS PUSH", '"PRESS", on', '"PUSH", on'),
        ("rename-state On Bright", 'add_state("On")', 'add_state("Bright")'),
        ("remove-transition Off PRESS", '    off.add_transition("PRESS", on)\n', ""),
        ("remove-action On 0", "    on.add_action(TimedWait(2.0))  # seconds\n", ""),
        (
            "add-transition * BREAK Off",
            "    return lamp",
            '    lamp.add_global_transition("BREAK", off)\n    return lamp',
        ),
        (
            "add-action Off TimedWait duration=0.5 finish_event=PRESS",
            '    off = lamp.add_state("Off")\n',
            OFF + '    off.add_action(TimedWait(0.5, finish_event="PRESS"))\n',
        ),
        (
            "add-state Dim",
            '    on = lamp.add_state("On")\n',
            '    on = lamp.add_state("On")\n    dim = lamp.add_state("Dim")\n',
        ),
    ],
)
def test_a_change_is_written_when_asked(
    command: Any, lamp: Path, arguments: str, before: str, after: str
) -> None:
    code, printed, errors = command("edit", "lamp.py", *arguments.split(), "--write")
    assert (code, printed[-1], errors) == (0, "Written: lamp.py", [])
    assert lamp.read_text() == LAMP.replace(before, after)


def test_an_action_is_added_to_a_composite_as_well(command: Any, lamp: Path) -> None:
    adding = ("edit", "lamp.py", "add-action", "On", "TimedWait")
    assert command(*adding, "duration=1", "--within", "Race", "--write")[0] == 0
    assert command(*adding, "duration=3", "--inside", "1", "--at", "0", "--write")[0] == 0
    assert "    on.add_action(Race(TimedWait(3), TimedWait(1)))\n" in lamp.read_text()
    assert command("edit", "lamp.py", "remove-action", "On", "1/1", "--write")[0] == 0
    assert "    on.add_action(Race(TimedWait(3)))\n" in lamp.read_text()


def test_a_refusal_says_why(command: Any, lamp: Path) -> None:
    assert command("edit", "lamp.py", "retarget", "Off", "PRES", "Off") == (
        1, [], ["fsmkit: Off has no transition for 'PRES' (did you mean 'PRESS'?)."],
    )  # fmt: skip
    assert lamp.read_text() == LAMP


def test_programs_read_an_object(command: Any, lamp: Path) -> None:
    arguments = ("edit", "lamp.py", "set", "On", "0", "duration", "3.0", "--format", "json")
    code, printed, _ = command(*arguments, "--write")
    answer = json.loads("".join(printed))
    assert code == 0
    assert answer.pop("diff").startswith("--- lamp.py\n")
    digest = answer.pop("digest")
    assert answer == {"version": 1, "proved": True, "written": True, "file": "lamp.py"}
    code, _, errors = command("edit", "lamp.py", "add-state", "Dim", "--write", "--digest", digest)
    assert (code, errors[-1]) == (
        1, "fsmkit: lamp.py:8: the file has changed; look at the diff again.",
    )  # fmt: skip
    code, printed, _ = command("edit", "lamp.py", "add-state", "On", "--format", "json")
    assert (code, json.loads("".join(printed))) == (
        1,
        {
            "version": 1, "proved": False, "written": False,
            "reason": "Lamp has a state or a group 'On' already", "shared": [],
            "file": None, "line": None,
        },
    )  # fmt: skip


SHARED = "2 machines are built by this line: Ada, Bob"
HOUSE = """
from fsmkit import Fsm, FsmGroup

def lamp(name):
    fsm = Fsm(name)
    off = fsm.add_state("Off")
    return fsm

def build():
    return FsmGroup([lamp("Ada"), lamp("Bob")])
"""


def test_one_line_of_several_machines_is_changed_with_the_flag_that_is_named(
    command: Any, folder: Path
) -> None:
    (folder / "house.py").write_text(HOUSE)
    edit = ("edit", "house.py", "add-state", "On", "--machine=Ada")
    assert command(*edit) == (
        1,
        [],
        [f"fsmkit: house.py:5: {SHARED}. To change all of them, add --everywhere."],
    )
    _, (printed,), _ = command(*edit, "--format=json")
    answer = json.loads(printed)
    assert answer["shared"] == ["Ada", "Bob"]
    assert answer["reason"] == SHARED
    assert command(*edit, "--everywhere")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["move-action", "On", "first", "0"],
            "move-action: index must be the place of an action, such as '2' or '2/0', got 'first'.",
        ),
        (["add-action", "On", "TimedWait", "1"], "A parameter is given as NAME=VALUE, got '1'."),
    ],
)
def test_wrong_usage_is_told(command: Any, lamp: Path, arguments: list[str], message: str) -> None:
    code, _, errors = command("edit", "lamp.py", *arguments)
    assert (code, errors) == (2, [f"fsmkit: {message}"])
    assert lamp.read_text() == LAMP
