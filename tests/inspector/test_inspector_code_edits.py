"""Edits of the code that pages ask for: proved, written, taken back, or refused with the reason."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from actions import PathMode
from fsmkit import Fsm
from fsmkit.cli.targets import find
from fsmkit.editing import Editor
from fsmkit.editing.values import code_for
from fsmkit.inspector.local import LocalInspector

WAYS = ("inside", "server")

GUARD = """\
from actions import Log, TimedWait
from fsmkit import Fsm


def build() -> Fsm[None]:
    guard = Fsm("Guard")
    patrol = guard.add_state("Patrol")
    rest = guard.add_state("Rest")
    patrol.add_action(TimedWait(5.0))  # seconds
    for number in range(2):
        state = guard.add_state(f"Sit {number}")
        state.add_action(Log("down"))
        state.add_transition("UP", patrol)
    patrol.add_transition("TIRED", rest)
    return guard
"""

RETARGET = {"kind": "retarget", "source": "Patrol", "event": "TIRED", "target": "Patrol"}


@pytest.fixture(autouse=True)
def _answers_in_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.inspector.local.can_start", lambda: False)
    monkeypatch.setattr("fsmkit.inspector.live.requests.part_reasons.LONGEST", 60.0)


class Desk:
    """A page, and the file whose machine it shows and edits."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page = page
        self.path = path

    def edit(self, edit: Any, *, write: bool = True, **options: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.page.ask("edit", edit=edit, write=write, **options)
        return answer


@pytest.fixture
def opened(folder: Path, inspected: Callable[..., Any]) -> Callable[..., Desk]:
    def opened(text: str = GUARD) -> Desk:
        path = folder / "guard.py"
        path.write_text(dedent(text))
        build = find("guard.py").function
        machines: Fsm[Any] = build()  # type: ignore[assignment]
        return Desk(inspected(machines, editing=Editor(build, folder)), path)

    return opened


def test_a_page_is_told_which_file_it_edits(opened: Any, inspected: Any) -> None:
    assert opened().page.hello["editing"]["file"] == "guard.py"
    assert inspected(Fsm("Lamp")).hello["editing"] is None


def test_an_edit_is_proposed_and_not_written(opened: Any) -> None:
    desk = opened()
    answer = desk.edit(RETARGET, write=False)
    assert {name: answer[name] for name in ("ok", "proved", "written", "file", "lines")} == {
        "ok": True, "proved": True, "written": False, "file": "guard.py", "lines": [14, 14],
    }  # fmt: skip
    assert '+    patrol.add_transition("TIRED", patrol)\n' in answer["diff"]
    desk.path.write_text(GUARD + "# more\n")
    assert desk.edit(RETARGET, digest=answer["digest"])["reason"] == (
        "the file has changed; look at the diff again"
    )
    desk.path.write_text(GUARD)
    assert desk.edit(RETARGET, digest=answer["digest"], write=False)["proved"]
    assert desk.path.read_text() == GUARD


def test_an_edit_is_written_and_taken_back(opened: Any) -> None:
    desk = opened()
    answer = desk.edit(RETARGET)
    after = GUARD.replace('"TIRED", rest', '"TIRED", patrol')
    assert (answer["written"], desk.path.read_text()) == (True, after)
    undone = desk.page.ask("undo_edit")
    assert (undone["written"], undone["lines"], desk.path.read_text()) == (True, [14, 14], GUARD)
    assert '+    patrol.add_transition("TIRED", rest)\n' in undone["diff"]
    assert desk.page.ask("undo_edit")["reason"] == "there is no edit to undo"


def test_a_page_in_the_same_program_gets_the_whole_text(opened: Any, request: Any) -> None:
    answer = opened().edit(RETARGET, write=False)
    is_inside = request.node.callspec.params["inspected"] == "inside"
    assert answer.get("text") == (
        GUARD.replace('"TIRED", rest', '"TIRED", patrol') if is_inside else None
    )


def test_a_refusal_names_the_line_that_stands_in_the_way(opened: Any) -> None:
    desk = opened()
    answer = desk.edit({"kind": "remove-transition", "source": "Sit 0", "event": "UP"})
    assert answer == {
        "type": "answer", "id": 1, "ok": True, "proved": False,
        "reason": "built by the loop there, which builds 2 transitions", "file": "guard.py",
        "line": 13, "place": {"text": "guard.py:13", "path": "guard.py:13"}, "shared": [],
    }  # fmt: skip
    assert desk.path.read_text() == GUARD


def test_what_changes_several_parts_names_them_and_is_done_when_asked(opened: Any) -> None:
    desk = opened(
        """\
        from actions import TimedWait
        from fsmkit import Fsm

        LONG = 5.0

        def build():
            guard = Fsm("Guard")
            patrol, rest = guard.add_state("Patrol"), guard.add_state("Rest")
            patrol.add_action(TimedWait(LONG))
            rest.add_action(TimedWait(LONG))
            return guard
        """
    )
    edit = {
        "kind": "set", "state": "Rest", "index": "0", "parameter": "duration", "value": "6",
    }  # fmt: skip
    answer = desk.edit(edit)
    assert (answer["proved"], answer["shared"]) == (
        False,
        [
            "states Patrol, actions 0, parameters, duration",
            "states Rest, actions 0, parameters, duration",
        ],
    )
    assert desk.edit(edit, everywhere=True)["written"]
    assert "LONG = 6.0\n" in desk.path.read_text()


def test_an_import_is_not_the_line_to_look_at(opened: Any) -> None:
    edit = {"kind": "add-action", "state": "Rest", "action": "SendEvent"}
    answer = opened().edit({**edit, "parameters": {"event": "UP"}})
    assert "+from actions import Log, SendEvent, TimedWait\n" in answer["diff"]
    assert answer["lines"] == [9, 9]


MADE = "built by the loop there, which builds 2"
ARROWS = f"{MADE} transitions, guard.py:13"


def test_each_edit_of_a_state_has_its_reason(opened: Any) -> None:
    page = opened().page
    answer = page.ask("reasons", machine="Guard", state="Patrol")
    assert answers_of(answer) == {
        "state": {"rename": None, "remove": ARROWS, "final": None},
        "final": False,
        "groups": [],
        "transitions": {"TIRED": [{"retarget": None, "rename": None, "remove": None}]},
        "actions": [
            {
                "index": "0", "name": "TimedWait", "move": None, "remove": None,
                "parameters": [{"name": "duration", "text": "5.0", "why": None}],
            }
        ],
        "add_action": None,
        "add_transition": None,
        "complete": True,
    }  # fmt: skip
    assert answers_of(page.ask("reasons", state="Sit 0")) == {
        "state": {
            "rename": "the name 'Sit 0' is computed, guard.py:11",
            "remove": f"{MADE} states, guard.py:11",
            "final": f"{MADE} states, guard.py:11",
        },
        "final": False,
        "groups": [],
        "transitions": {
            "UP": [{"retarget": ARROWS, "rename": ARROWS, "remove": ARROWS}]
        },
        "actions": [
            {
                "index": "0", "name": "Log", "move": None, "remove": f"{MADE} actions, guard.py:12",
                "parameters": [{"name": "message", "text": '"down"', "why": None}],  # for both
            }
        ],
        "add_action": None,
        "add_transition": None,
        "complete": True,
    }  # fmt: skip


def test_reasons_that_take_long_are_found_bit_by_bit(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = opened()
    module = "fsmkit.inspector.live.requests.part_reasons"
    monkeypatch.setattr(f"{module}.LONGEST", 1.5)
    monkeypatch.setattr(f"{module}.monotonic", count().__next__)  # so that each try takes a second
    answers = [desk.page.ask("reasons", state="Sit 0")]
    while not answers[-1]["complete"]:
        answers.append(desk.page.ask("reasons", state="Sit 0"))
    found = [str(answers_of(answer)).count("guard.py:") for answer in answers]
    assert (found[0], found) == (1, sorted(found))
    assert found[-1] == 7


def answers_of(answer: Any) -> Any:
    """What an answer says, with each refusal as a text."""
    if isinstance(answer, dict) and "reason" in answer:
        return (
            f"{answer['reason']}, {answer['place']['text']}"
            if answer["place"]
            else answer["reason"]
        )
    if isinstance(answer, dict):
        return {
            key: answers_of(each) for key, each in answer.items() if key not in ("type", "id", "ok")
        }
    return [*map(answers_of, answer)] if isinstance(answer, list) else answer


def test_the_global_transitions_have_reasons(opened: Any) -> None:
    page = opened(
        GUARD.replace("    return", '    guard.add_global_transition("OFF", rest)\n    return')
    ).page
    assert answers_of(page.ask("reasons", state=None)) == {
        "state": {"rename": None, "remove": None},
        "transitions": {"OFF": [{"retarget": None, "rename": None, "remove": None}]},
        "actions": [], "add_action": None, "add_transition": None, "complete": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({"state": "Chase"}, "The code builds no state 'Chase' of 'Guard'."),
        ({"state": ["Sit"]}, "A state must be a name, or null for the machine, got ['Sit']."),
        ({"state": "Sit 0", "machine": "Dog"}, "The code builds no machine 'Dog'."),
    ],
    ids=str,
)
def test_what_the_code_does_not_build_has_no_reasons(opened: Any, wanted: Any, error: str) -> None:
    assert opened().page.ask("reasons", **wanted)["error"] == error


def test_the_trial_does_not_touch_what_runs(opened: Any, capsys: Any) -> None:
    import sys

    desk = opened(GUARD.replace("    guard = Fsm", '    print("built")\n    guard = Fsm'))
    capsys.readouterr()
    machine, modules = desk.page.inspector.session.machines, dict(sys.modules)
    assert desk.edit(RETARGET)["proved"]
    assert capsys.readouterr().out == ""
    assert {name: sys.modules.get(name) for name in modules} == modules
    assert desk.page.inspector.session.machines is machine


def test_a_file_that_is_gone_is_a_refusal(opened: Any) -> None:
    desk = opened()
    desk.path.unlink()
    answer = desk.edit(RETARGET)
    assert (answer["proved"], answer["reason"]) == (
        False, "the file cannot be read: No such file or directory",
    )  # fmt: skip


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "edit", "edit": RETARGET, "write": True},
        {"do": "undo_edit"},
        {"do": "edit_forms"},
        {"do": "reasons", "state": "Off"},
    ],
    ids=str,
)
def test_without_an_editor_every_request_says_how_to_begin(inspected: Any, request_: Any) -> None:
    page = inspected(Fsm("Lamp"))
    assert page.ask(**request_)["error"] == (
        "The code cannot be edited here. Start it with: fsmkit inspect game.py --edit"
    )


def test_the_actions_come_with_their_forms(opened: Any) -> None:
    forms = {form["name"]: form for form in opened().page.ask("edit_forms")["actions"]}
    assert (forms["TimedWait"]["topic"], forms["TimedWait"]["parameters"][0]["unit"]) == (
        "Time",
        "s",
    )


def test_a_value_that_was_tuned_is_kept_in_the_code(opened: Any) -> None:
    desk = opened()
    desk.page.update()
    path = ["action", "Guard", "Patrol", "0", "duration"]
    written = desk.page.ask("set", machine="Guard", path=path, value=7.25)["written"]
    assert written == "7.25"
    edit = {"kind": "set", "machine": "Guard", "state": "Patrol", "index": "0"}
    assert desk.edit({**edit, "parameter": "duration", "value": written})["written"]
    assert "    patrol.add_action(TimedWait(7.25))  # seconds\n" in desk.path.read_text()


class Vector:
    def __init__(self, x: float, y: float) -> None:
        self.numbers = (x, y)

    def __repr__(self) -> str:
        return f"Vector{self.numbers}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (2, "2"),
        (2.5, "2.5"),
        (True, "True"),
        ("it's", '"it\'s"'),
        ((1, 2.5), "(1, 2.5)"),
        (PathMode.ONCE, "PathMode.ONCE"),
        (float("inf"), None),
        (Vector(1, 2), None),
    ],
    ids=str,
)
def test_what_is_written_is_a_literal(value: object, written: str | None) -> None:
    assert code_for(value) == written


def test_the_time_in_which_an_edit_is_proved_is_no_time_of_the_game(folder: Path) -> None:
    (folder / "guard.py").write_text(GUARD.replace("    guard =", "    sleep(0.1)\n    guard ="))
    with (folder / "guard.py").open("a") as file:
        file.write("\n\nfrom time import sleep\n")
    build: Any = find("guard.py").function
    machine = build()
    machine.start()
    with LocalInspector(machine, editing=Editor(build, folder)) as inspector:
        page = inspector.open()
        for _ in range(3):
            machine.update(0.02)
        page.send(json.dumps({"id": 1, "do": "edit", "edit": RETARGET, "write": True}))
        machine.update(0.02)
        before = machine.time
        machine.update(0.22)  # as a clock measures it
        assert machine.time - before < 0.1
