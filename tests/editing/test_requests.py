"""`edit_from`: the closed grammar of edits in plain data."""

import json
from typing import Any

import pytest

from fsmkit.editing import (
    AddAction,
    AddState,
    AddToGroup,
    AddTransition,
    AsWritten,
    Edit,
    MalformedEditError,
    MoveAction,
    RemoveAction,
    RemoveFromGroup,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetFinal,
    SetParameter,
    edit_from,
)
from fsmkit.editing.request import EDIT_KINDS

EDITS = {
    '{"kind": "add-state", "name": "Red"}': AddState("Red"),
    '{"kind": "add-state", "name": "Red", "machine": "Lamp"}': AddState("Red", "Lamp"),
    '{"kind": "rename-state", "state": "Red", "name": "Stop"}': RenameState("Red", "Stop"),
    '{"kind": "remove-state", "state": "Red"}': RemoveState("Red"),
    '{"kind": "add-to-group", "group": "Lit", "state": "Red"}': AddToGroup("Lit", "Red"),
    '{"kind": "remove-from-group", "group": "Lit", "state": "Red"}': RemoveFromGroup("Lit", "Red"),
    '{"kind": "set-final", "state": "Red", "final": true}': SetFinal("Red", True),
    '{"kind": "add-transition", "source": null, "event": "OFF", "target": "Red"}': AddTransition(
        None, "OFF", "Red"
    ),
    '{"kind": "retarget", "source": "Red", "event": "GO", "target": "Off", "rank": 1}': Retarget(
        "Red", "GO", "Off", 1
    ),
    '{"kind": "rename-event", "source": "Red", "event": "GO", "new_event": "RUN"}': RenameEvent(
        "Red", "GO", "RUN"
    ),
    '{"kind": "remove-transition", "source": "Red", "event": "GO"}': RemoveTransition("Red", "GO"),
    '{"kind": "add-action", "state": "Red", "action": "TimedWait", "parameters": {"duration": "2"},'
    ' "at": 0}': AddAction("Red", "TimedWait", {"duration": AsWritten("2")}, 0),
    '{"kind": "add-action", "state": "Red", "action": "Shake"}': AddAction("Red", "Shake"),
    '{"kind": "add-action", "state": "Red", "action": "Shake", "inside": "1/0", "within": "Race"'
    "}": AddAction("Red", "Shake", inside="1/0", within="Race"),
    '{"kind": "move-action", "state": "Red", "index": 0, "to": 1}': MoveAction("Red", 0, 1),
    '{"kind": "move-action", "state": "Red", "index": "1/2", "to": 1}': MoveAction("Red", "1/2", 1),
    '{"kind": "remove-action", "state": "Red", "index": 0}': RemoveAction("Red", 0),
    '{"kind": "set", "state": "Red", "index": "2/0", "parameter": "speed", "value": "a.b"}': (
        SetParameter("Red", "2/0", "speed", AsWritten("a.b"))
    ),
}


@pytest.mark.parametrize(("request_text", "edit"), EDITS.items())
def test_a_request_is_the_edit_of_its_kind(request_text: str, edit: Edit) -> None:
    assert edit_from(json.loads(request_text)) == edit


def test_each_kind_can_be_asked_for() -> None:
    assert {json.loads(text)["kind"] for text in EDITS} == {*EDIT_KINDS}


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ([], "An edit must be an object, got []"),
        ({}, "The kind of an edit must be a text, got None"),
        ({"kind": "add-stat"}, "there is no edit 'add-stat' (did you mean 'add-state'?)"),
        ({"kind": "add-state"}, "add-state needs 'name'"),
        (
            {"kind": "add-state", "name": "A", "final": True},
            "add-state: there is no field 'final'; its fields: name, machine",
        ),
        ({"kind": "add-state", "name": 3}, "add-state: name must be a text, got 3"),
        (
            {"kind": "add-state", "name": ""},
            "add-state: name must be 1 to 200 printable letters, got ''",
        ),
        (
            {"kind": "add-state", "name": "A", "machine": 1},
            "add-state: machine must be a text, got 1",
        ),
        (
            {"kind": "add-transition", "source": 1, "event": "E", "target": "A"},
            "add-transition: source, or null for any state, must be a text, got 1",
        ),
        (
            {"kind": "move-action", "state": "A", "index": True, "to": 0},
            "move-action: index must be an integer from 0 to 1000000, got True",
        ),
        (
            {"kind": "remove-action", "state": "A", "index": -1},
            "remove-action: index must be an integer from 0 to 1000000, got -1",
        ),
        (
            {"kind": "set", "state": "A", "index": "0/", "parameter": "p", "value": "1"},
            "set: index must be the place of an action, such as '2' or '2/0', got '0/'",
        ),
        (
            {"kind": "set", "state": "A", "index": "0", "parameter": "p", "value": 1},
            "set: value must be a text, got 1",
        ),
        (
            {"kind": "add-action", "state": "A", "action": "Log", "parameters": ["1"]},
            "add-action: parameters must be an object, got ['1']",
        ),
        (
            {"kind": "add-action", "state": "A", "action": "Log", "parameters": {"text": 1}},
            "add-action: parameters, 'text', must be a text, got 1",
        ),
    ],
    ids=str,
)
def test_anything_else_is_refused_by_name(request_: Any, reason: str) -> None:
    with pytest.raises(MalformedEditError) as refused:
        edit_from(request_)
    assert refused.value.reason == reason
