"""DelegateAction: an action made of plain functions."""

from collections.abc import Callable

import pytest

from actions.delegate_action import DelegateAction
from fsmkit import FINISHED, Fsm, FsmState


def run(action: DelegateAction[list[str]]) -> Fsm[list[str]]:
    """Work (with the action) -> Done on FINISHED or GO, back on AGAIN; the context is a journal."""
    journal: list[str] = []
    fsm = Fsm("M", journal, on_unhandled="ignore")
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    work.add_action(action)
    work.add_transition(FINISHED, done)
    work.add_transition("GO", done)
    done.add_transition("AGAIN", work)
    fsm.start()
    return fsm


def note(what: str) -> Callable[[FsmState[list[str]]], None]:
    return lambda state: state.context.append(f"{what} {state.name}")


def test_each_function_is_called_with_the_state_in_its_turn() -> None:
    fsm = run(DelegateAction(note("enter"), note("update"), note("exit")))
    fsm.update(0.1)
    fsm.update(0.1)
    fsm.send_event("GO")
    fsm.send_event("AGAIN")
    assert fsm.context == ["enter Work", "update Work", "update Work", "exit Work", "enter Work"]


def test_without_on_update_it_is_finished_once_entered() -> None:
    fsm = run(DelegateAction(on_enter=note("enter"), on_exit=note("exit")))
    for _ in range(2):
        assert fsm.current_state is fsm.states["Done"]
        fsm.send_event("AGAIN")
    assert fsm.context == ["enter Work", "exit Work"] * 3


def test_with_on_update_it_never_finishes() -> None:
    action = DelegateAction(on_update=note("update"))
    fsm = run(action)
    fsm.update(0.1)
    assert (fsm.current_state, action.finished) == (fsm.states["Work"], False)


def test_without_functions_it_does_nothing_and_finishes() -> None:
    fsm = run(DelegateAction())
    assert (fsm.context, fsm.current_state) == ([], fsm.states["Done"])


def test_a_function_may_send_events_and_what_it_returns_is_ignored() -> None:
    fsm = run(DelegateAction(on_update=lambda state: state.send_event("GO")))
    fsm.update(0.1)
    assert fsm.current_state is fsm.states["Done"]
    fsm = run(DelegateAction(on_enter=lambda state: state.send_event("NOBODY") or 7))
    assert fsm.current_state is fsm.states["Done"]


def test_an_event_sent_on_enter_comes_before_finished() -> None:
    fsm = Fsm("M")
    work = fsm.add_state("Work")
    work.add_action(DelegateAction(lambda state: state.send_event("FIRST")))
    work.add_transition("FIRST", fsm.add_state("First"))
    work.add_transition(FINISHED, fsm.add_state("Finished"))
    fsm.start()
    assert fsm.current_state is fsm.states["First"]


def test_an_error_says_where_it_was_raised() -> None:
    def fail(_state: FsmState[list[str]]) -> None:
        raise ZeroDivisionError

    fsm = run(DelegateAction(on_update=fail))
    with pytest.raises(ZeroDivisionError) as caught:
        fsm.update(0.1)
    assert caught.value.__notes__ == [
        "Fsm 'M', state 'Work', actions[0] (DelegateAction), on_update"
    ]


def test_its_repr_names_the_functions() -> None:
    def shout(_state: FsmState[None]) -> None:
        pass

    assert repr(DelegateAction(shout, on_exit=shout)) == (
        "DelegateAction(on_enter=shout, on_exit=shout)"
    )
