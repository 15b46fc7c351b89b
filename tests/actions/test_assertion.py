"""Assert: an error if a condition does not hold."""

import pytest

from actions.assertion import Assert
from fsmkit import ERROR, FINISHED, Fsm
from fsmkit.testing import drive


def machine(check: Assert, *, health: int = 10) -> Fsm[dict[str, int]]:
    """Fight (with the check) -> Rest on FINISHED."""
    fsm = Fsm("Hero", {"health": health})
    fight, rest = fsm.add_state("Fight"), fsm.add_state("Rest")
    fight.add_action(check)
    fight.add_transition(FINISHED, rest)
    return fsm


def alive(*, every_update: bool = False) -> Assert:
    return Assert(lambda state: state.context["health"] > 0, "dead", every_update=every_update)


def test_a_condition_that_holds_finishes_on_each_enter() -> None:
    fsm = machine(alive())
    for _ in range(2):
        fsm.start()
        assert fsm.current_state is fsm.states["Rest"]


def test_one_that_does_not_hold_is_an_error_that_names_machine_and_state() -> None:
    fsm = machine(alive(), health=0)
    for _ in range(2):
        with pytest.raises(AssertionError) as caught:
            fsm.start()
        assert str(caught.value) == "Fsm 'Hero', state 'Fight': dead"
        assert caught.value.__notes__ == [
            "Fsm 'Hero', state 'Fight', actions[0] (Assert), on_enter"
        ]


def test_the_message_may_be_a_function_called_only_if_needed() -> None:
    asked: list[str] = []

    def message(state: object) -> str:
        asked.append(str(state))
        return "dead"

    machine(Assert(lambda state: state.context["health"], message)).start()
    assert asked == []
    with pytest.raises(AssertionError, match="state 'Fight': dead"):
        machine(Assert(lambda state: state.context["health"], message), health=0).start()
    assert asked == ["Fsm 'Hero', state 'Fight'"]


def test_every_update_is_looked_at_if_asked() -> None:
    check = alive(every_update=True)
    fsm = machine(check)
    drive(fsm, [fsm.start, 0.1, 0.1])
    assert not check.finished
    fsm.context["health"] = 0
    with pytest.raises(AssertionError, match="dead"):
        fsm.update(0.1)


def test_it_becomes_the_event_error_like_any_other() -> None:
    fsm = machine(alive(), health=0)
    fsm.add_global_transition(ERROR, fsm.add_state("Broken"))
    fsm.start()
    assert fsm.current_state is fsm.states["Broken"]
    assert isinstance(fsm.event_data, AssertionError)
