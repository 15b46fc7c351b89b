"""Switch: an event depending on a value."""

from enum import Enum

import pytest

from actions.switch import Switch
from fsmkit import FINISHED, Fsm
from fsmkit.testing import drive


class Mood(Enum):
    CALM = 1
    ANGRY = 2


def sent(action: Switch, *, updates: int = 0) -> list[str]:
    fsm = Fsm("M", on_unhandled="ignore")
    fsm.add_state("A").add_action(action)
    journal = drive(fsm, [fsm.start, *[0.1] * updates])
    return [line.split()[1][:-1] for line in journal if line.startswith("event")]


@pytest.mark.parametrize("key", ["a", 7, Mood.ANGRY, None, (1, 2)])
def test_it_sends_the_event_of_the_value(key: object) -> None:
    events = {key: "THIS", "other": "THAT"}
    assert sent(Switch(key, events)) == ["THIS"]
    assert sent(Switch(lambda: key, events)) == ["THIS"]


def test_for_other_values_it_sends_the_default_if_there_is_one() -> None:
    assert sent(Switch(3, {1: "ONE"}, default="MANY")) == ["MANY"]
    assert sent(Switch(3, {1: "ONE"})) == []


def test_it_finishes_once_it_has_looked() -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Switch(3, {1: "ONE"}))
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    assert fsm.current_state is fsm.states["B"]
    assert sent(Switch(1, {1: "ONE"}), updates=3) == ["ONE"]


def test_every_update_looks_and_sends_and_it_never_finishes() -> None:
    moods = [Mood.CALM, Mood.ANGRY, Mood.CALM]
    action = Switch(lambda: moods.pop(0), {Mood.ANGRY: "FIGHT"}, default="REST", every_update=True)
    assert sent(action, updates=2) == ["REST", "FIGHT", "REST"]
    assert not action.finished


def test_a_changed_state_is_entered_again_with_the_value_of_that_time() -> None:
    fsm = Fsm("M")
    hub = fsm.add_state("Hub")
    names = ["A", "B"]
    hub.add_action(Switch(lambda: names.pop(0), {"A": "A", "B": "B"}))
    for name in "AB":
        hub.add_transition(name, fsm.add_state(name))
        fsm.states[name].add_transition("BACK", hub)
    fsm.start()
    assert fsm.current_state is fsm.states["A"]
    fsm.send_event("BACK")
    assert fsm.current_state is fsm.states["B"]


def test_it_declares_what_it_may_send_each_once() -> None:
    assert Switch(1, {1: "A", 2: "B", 3: "A"}, default="B").sends == ("A", "B")


def test_one_that_sends_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="Switch must have an event to send. Give it events, or a"):
        Switch(1, {})


def test_a_value_that_can_be_no_key_is_an_error_that_says_where() -> None:
    with pytest.raises(TypeError, match="unhashable") as caught:
        sent(Switch(list, {1: "ONE"}))
    assert caught.value.__notes__ == ["Fsm 'M', state 'A', actions[0] (Switch), on_enter"]
