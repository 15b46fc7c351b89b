"""Members of the library's classes and its easings, with the imports that they need."""

from typing import Any

import pytest

from fsmkit.editing import AddAction, AsWritten, Name, RefusedEditError, SetParameter

FILE = """\
from actions import Move, TimedWait
from fsmkit import Fsm
from fsmkit.space import Transform


def build():
    body = Transform((0.0, 0.0))
    fsm = Fsm("Ball")
    up = fsm.add_state("Up")
    up.add_action(Move(body, None, (0.0, 1.0), 2.0))
    return fsm
"""


@pytest.mark.parametrize(
    ("parameter", "choices", "imported"),
    [
        (
            "easing", ["easing.linear", "easing.ease_in_quad"],
            "from actions import Move, TimedWait, easing\n",
        ),
        ("space", ["Space.SELF", "Space.WORLD"], "from fsmkit.space import Space, Transform\n"),
    ],
)  # fmt: skip
def test_a_choice_is_imported_once(
    opened: Any, parameter: str, choices: list[str], imported: str
) -> None:
    desk = opened(FILE)
    for choice in choices:
        written = desk.write(SetParameter("Up", "0", parameter, AsWritten(choice)))
        assert f"(0.0, 1.0), 2.0, {parameter}={choice})" in written
        assert written.count(imported) == 1


def test_an_action_is_added_with_the_imports_of_its_choices(opened: Any) -> None:
    texts = {
        "transform": "body", "waypoints": "[(0.0, 0.0), (1.0, 0.0)]", "speed": "2.0",
        "mode": "PathMode.ONCE", "space": "Space.WORLD",
    }  # fmt: skip
    arguments = {name: AsWritten(text) for name, text in texts.items()}
    written = opened(FILE).write(AddAction("Up", "FollowWaypoints", arguments))
    assert "from actions import FollowWaypoints, Move, PathMode, TimedWait\n" in written
    assert "from fsmkit.space import Space, Transform\n" in written
    assert (
        "    up.add_action(FollowWaypoints(body, [(0.0, 0.0), (1.0, 0.0)], 2.0,"
        " space=Space.WORLD, mode=PathMode.ONCE))\n"
    ) in written


@pytest.mark.parametrize(
    "choice", ["easing.ease", "easing.exp2", "Space.__class__", "PathMode.ONCE"]
)
def test_what_is_no_choice_of_the_parameter_is_a_name(opened: Any, choice: str) -> None:
    with pytest.raises(RefusedEditError, match="name"):
        opened(FILE).editor.proposed(SetParameter("Up", "0", "space", AsWritten(choice)))


def test_an_argument_that_has_no_hash_is_replaced(opened: Any) -> None:
    code = FILE.replace(
        "body = Transform((0.0, 0.0))", "body, other = Body(), Body((5.0, 5.0))"
    ).replace("\n\ndef build", "\n\nclass Body(Transform):\n    __hash__ = None\n\n\ndef build")
    written = opened(code).write(SetParameter("Up", "0", "transform", Name("other")))
    assert "Move(other, None" in written
