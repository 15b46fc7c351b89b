"""Toggle: flip a truth value."""

from types import SimpleNamespace

import pytest

from actions.toggle import Toggle
from fsmkit import FINISHED, Fsm


def machine(action: Toggle) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    return fsm


def test_each_enter_turns_it_round() -> None:
    lamp = SimpleNamespace(lit=False)
    fsm = machine(Toggle(lamp, "lit"))
    fsm.start()
    assert lamp.lit is True
    fsm.start()
    assert lamp.lit is False


def test_anything_becomes_true_or_false() -> None:
    box: dict[str, object] = {"name": "Ann"}
    fsm = machine(Toggle(box, "name"))
    fsm.start()
    assert box == {"name": False}


def test_it_finishes_on_enter() -> None:
    fsm = machine(Toggle({"lit": True}, "lit"))
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    assert fsm.current_state is fsm.states["B"]


def test_what_was_there_is_written_back_on_exit_if_asked() -> None:
    box: dict[str, object] = {"name": "Ann"}
    fsm = machine(Toggle(box, "name", restore_on_exit=True))
    for _ in range(2):
        fsm.start()
        assert box == {"name": False}
        fsm.stop()
        assert box == {"name": "Ann"}


def test_what_is_not_there_is_an_error_on_enter() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lit'. Set it first, or check"):
        machine(Toggle(SimpleNamespace(), "lit")).start()
    with pytest.raises(KeyError, match="has no key 'lit'. Add it, or check the spelling"):
        machine(Toggle({}, "lit", restore_on_exit=True)).start()
