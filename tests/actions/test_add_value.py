"""AddValue: once or steadily."""

from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.add_value import AddValue
from fsmkit import FINISHED, Fsm, TimeReference
from fsmkit.testing import drive


def machine(action: AddValue) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    return fsm


def test_it_adds_once_per_visit_and_finishes() -> None:
    hero = SimpleNamespace(gold=5)
    fsm = machine(AddValue(hero, "gold", -2))
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    assert (hero.gold, fsm.current_state) == (3, fsm.states["B"])
    fsm.start()
    fsm.update(1.0)
    assert hero.gold == 1


def test_it_adds_anything_that_can_be_added() -> None:
    box = {"text": "ab"}
    machine(AddValue(box, "text", "c")).start()
    assert box == {"text": "abc"}


def test_a_mapping_that_has_an_answer_for_every_key_has_one_here() -> None:
    kills: Counter[str] = Counter()
    fsm = machine(AddValue(kills, "orc", 1))
    fsm.start()
    fsm.start()
    assert kills == {"orc": 2}


def test_per_second_it_adds_in_every_update_and_never_finishes() -> None:
    hero = {"health": 10.0}
    action = AddValue(hero, "health", 4.0, per_second=True)
    fsm = machine(action)
    fsm.start()
    assert hero == {"health": 10.0}
    drive(fsm, [0.5, 0.25, 0.0])
    assert (hero, action.finished) == ({"health": 13.0}, False)
    fsm.start()
    fsm.update(1.0)
    assert hero == {"health": 17.0}


@given(st.lists(st.integers(0, 64), max_size=30))
def test_the_frame_rate_does_not_matter(frames: list[int]) -> None:
    hero = {"health": 0.0}
    fsm = machine(AddValue(hero, "health", 4.0, per_second=True))
    fsm.start()
    for frame in frames:
        fsm.update(frame / 64)
    assert hero == {"health": sum(frames) / 16}


def test_what_others_do_to_the_value_counts() -> None:
    hero = {"health": 10.0}
    fsm = machine(AddValue(hero, "health", 1.0, per_second=True))
    fsm.start()
    fsm.update(1.0)
    hero["health"] -= 5.0
    fsm.update(1.0)
    assert hero == {"health": 7.0}


def test_it_uses_its_time_reference() -> None:
    world = TimeReference("world", 0.5)
    hero = {"health": 0.0}
    fsm = machine(AddValue(hero, "health", 1.0, per_second=True, time=world))
    fsm.start()
    fsm.update(1.0)
    world.paused = True
    fsm.update(1.0)
    assert hero == {"health": 0.5}


def test_the_amount_may_be_a_function_called_on_enter() -> None:
    amounts = [1.0, 10.0]
    hero = {"health": 0.0}
    fsm = machine(AddValue(hero, "health", lambda: amounts.pop(0), per_second=True))
    drive(fsm, [fsm.start, 1.0, 1.0, fsm.start, 1.0])
    assert hero == {"health": 12.0}


@pytest.mark.parametrize("per_second", [False, True])
def test_what_was_there_is_written_back_on_exit_if_asked(per_second: bool) -> None:
    hero = {"health": 10.0}
    fsm = machine(AddValue(hero, "health", 1.0, per_second=per_second, restore_on_exit=True))
    for _ in range(2):
        drive(fsm, [fsm.start, 1.0])
        assert hero == {"health": 11.0}
        fsm.stop()
        assert hero == {"health": 10.0}


@pytest.mark.parametrize("per_second", [False, True])
def test_what_is_not_there_or_cannot_be_added_is_an_error_on_enter(per_second: bool) -> None:
    with pytest.raises(AttributeError, match="no attribute 'gold'. Set it first, or check"):
        machine(AddValue(SimpleNamespace(), "gold", 1, per_second=per_second)).start()
    with pytest.raises(KeyError, match="has no key 'gold'. Add it, or check the spelling"):
        machine(AddValue({}, "gold", 1, per_second=per_second)).start()
    with pytest.raises(TypeError):
        machine(AddValue({"gold": "x"}, "gold", 1, per_second=per_second)).start()
