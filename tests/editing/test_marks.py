"""Edits of what a state is: final, in a group; and transitions that lead back."""

from typing import Any

import pytest

from fsmkit.editing import (
    AddToGroup,
    AddTransition,
    RefusedEditError,
    RemoveFromGroup,
    Retarget,
    SetFinal,
)

LAMP = """\
from fsmkit import Fsm


def build():
    lamp = Fsm("Lamp")
    off = lamp.add_state("Off")
    on = lamp.add_state("On", final=True)
    broken = lamp.add_state("Broken", final=True, failed=True)
    low, high = (lamp.add_state(name) for name in ("Low", "High"))
    lamp.add_group("Lit", on, "Low")
    off.add_transition("PRESS", on, suspend=True)
    on.add_transition("PRESS", off)
    return lamp
"""


def test_a_state_becomes_final_and_is_so_no_longer(opened: Any) -> None:
    desk = opened(LAMP)
    assert desk.diff(SetFinal("Off", True)) == [
        '-    off = lamp.add_state("Off")', '+    off = lamp.add_state("Off", final=True)',
    ]  # fmt: skip
    assert desk.diff(SetFinal("On", False)) == [
        '-    on = lamp.add_state("On", final=True)', '+    on = lamp.add_state("On")',
    ]  # fmt: skip
    for edit, reason in (
        (SetFinal("On", True), "the machine would not change"),
        (SetFinal("Low", True), "house.py:9: built by the loop there, which builds 2 states"),
        (SetFinal("Broken", False), "the program does not build its machines: ValueError"),
    ):
        with pytest.raises(RefusedEditError, match=reason):
            desk.editor.proposed(edit)


def test_a_state_leaves_a_group_and_comes_back(opened: Any) -> None:
    desk = opened(LAMP)
    assert '    lamp.add_group("Lit", "Low")\n' in desk.write(RemoveFromGroup("Lit", "On"))
    assert '    lamp.add_group("Lit", "Low", on)\n' in desk.write(AddToGroup("Lit", "On"))
    for edit, reason in (
        (RemoveFromGroup("Lit", "Off"), "'Off' is not in 'Lit'"),
        (RemoveFromGroup("Lid", "On"), "Lamp has no group 'Lid'; its groups: 'Lit'"),
    ):
        with pytest.raises(RefusedEditError, match=reason):
            desk.editor.proposed(edit)


def test_a_transition_leads_back_and_elsewhere_again(opened: Any) -> None:
    desk = opened(LAMP)
    assert desk.diff(Retarget("On", "PRESS", "BACK")) == [
        "-from fsmkit import Fsm",
        "+from fsmkit import BACK, Fsm",
        '-    on.add_transition("PRESS", off)',
        '+    on.add_transition("PRESS", BACK)',
    ]
    desk.write(AddTransition("On", "FINISHED", "BACK"))
    assert desk.diff(Retarget("On", "FINISHED", "Off")) == [
        "-    on.add_transition(FINISHED, BACK)", "+    on.add_transition(FINISHED, off)",
    ]  # fmt: skip


def test_a_state_that_is_called_back_is_meant_by_that_name(opened: Any) -> None:
    desk = opened(LAMP.replace('"Broken"', '"BACK"'))
    assert desk.diff(Retarget("On", "PRESS", "BACK"))[1] == (
        '+    on.add_transition("PRESS", broken)'
    )
