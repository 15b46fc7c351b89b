"""OnChange: an event whenever a value changes."""

from collections.abc import Iterable
from math import nan

import pytest

from actions.on_change import OnChange
from fsmkit import Fsm, FsmAction
from fsmkit.testing import drive


class Listen(FsmAction):
    """Keeps the data of every event, and consumes it."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def on_event(self, event: str, data: object) -> bool:
        self.heard.append(data)
        return True


def watch(values: Iterable[object], *, updates: int) -> list[object]:
    """Return the data of the events for a value that takes these in turn, the first on enter."""
    remaining = iter(values)
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(OnChange(lambda: next(remaining), "CHANGED"))
    listen = state.add_action(Listen())
    fsm.start()
    for _ in range(updates):
        fsm.update(0.1)
    return listen.heard


def test_every_change_is_sent_with_the_old_and_the_new_value() -> None:
    assert watch([1, 1, 2, 2, "x", 1], updates=5) == [(1, 2), (2, "x"), ("x", 1)]


def test_the_value_on_enter_is_no_change() -> None:
    assert watch([1], updates=0) == []


def test_equal_values_are_no_change() -> None:
    assert watch([1, 1.0, True, (1, 2), (1, 2)], updates=4) == [(True, (1, 2))]


def test_what_is_not_a_number_does_not_change_all_the_time() -> None:
    assert watch([nan, nan, nan], updates=2) == []


def test_a_change_while_the_state_was_exited_goes_unnoticed() -> None:
    box = {"value": 1}
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(OnChange(lambda: box["value"], "CHANGED"))
    a.add_transition("CHANGED", b)
    b.add_transition("BACK", a)
    fsm.start()
    box["value"] = 2
    fsm.update(0.1)
    assert (fsm.current_state, fsm.event_data) == (b, (1, 2))
    box["value"] = 3
    drive(fsm, ["BACK", 0.1])
    assert fsm.current_state is a
    box["value"] = 4
    fsm.update(0.1)
    assert (fsm.current_state, fsm.event_data) == (b, (3, 4))


def test_it_never_finishes_and_declares_what_it_sends() -> None:
    action = OnChange(lambda: 1, "CHANGED")
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    drive(fsm, [fsm.start, 0.1, 0.1])
    assert (action.finished, action.sends) == (False, ("CHANGED",))


def test_a_value_that_cannot_change_is_refused() -> None:
    with pytest.raises(TypeError, match=r"OnChange: value must be a function, got 3\."):
        OnChange(3, "CHANGED")  # type: ignore[arg-type]
