"""DelegateAction: an action made of plain functions."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.testing import Recorder, drive


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


def listening(on_event: Any) -> Fsm:
    """A -> B on GO and on HIT, with one delegate in A."""
    fsm = Fsm("M", on_unhandled="raise")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    a.add_transition("HIT", b)
    a.add_action(DelegateAction(on_event=on_event))
    fsm.start()
    return fsm


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda journal: lambda: journal.append("called"), "called"),
        (lambda journal: lambda state: journal.append(state.name), "A"),
        (lambda journal: lambda state, data: journal.append((state.name, data)), ("A", 3)),
        (
            lambda journal: lambda state, event, data: journal.append((state.name, event, data)),
            ("A", "HIT", 3),
        ),
    ],
)
def test_on_event_takes_up_to_the_state_the_event_and_its_data(
    function: Callable[[list[object]], Any], expected: object
) -> None:
    journal: list[object] = []
    fsm = listening(function(journal))
    fsm.send_event("HIT", 3)
    assert (journal, fsm.current_state.name) == ([expected], "B")


def test_what_on_event_returns_says_whether_it_took_the_event() -> None:
    fsm = listening(lambda _, event, data: event == "HIT" and data < 5)
    assert drive(fsm, [("HIT", 3), ("HIT", 8)]) == [
        "event HIT: consumed",
        "event HIT: changed",
        "DelegateAction left",
        "leave A",
        "enter B",
    ]


def test_a_mapping_takes_its_events_and_no_others() -> None:
    journal: list[object] = []
    on_event = {"HIT": lambda _, hit: journal.append(hit), "MISS": lambda: journal.append("ha")}
    fsm = listening(on_event)
    assert drive(fsm, [("HIT", 3), "MISS", "GO"]) == [
        "event HIT: consumed",
        "event MISS: consumed",
        "event GO: changed",
        "DelegateAction left",
        "leave A",
        "enter B",
    ]
    assert journal == [3, "ha"]
    assert fsm.states["A"].actions[0].takes == ("HIT", "MISS")


def test_a_function_for_every_event_is_not_asked_about_those_of_the_machine() -> None:
    events: list[str] = []
    fsm = Fsm("M", on_unhandled="raise")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(DelegateAction(on_event=lambda _, event, __: events.append(event) or True))
    a.add_action(TimedWait(1.0))
    a.add_transition(FINISHED, b)
    a.add_transition("GO", b)
    fsm.start()
    fsm.send_event("GO")
    fsm.update(1.0)
    assert (events, fsm.current_state.name) == (["GO"], "B")


def test_without_on_event_events_do_not_pass_through_it() -> None:
    fsm = listening(None)
    with Recorder(fsm):
        pass
    fsm.start()
    assert fsm._visit_.routes  # the fast way
    assert not listening(print)._visit_.routes


class Shout(DelegateAction):
    """A kind of delegate of a user's own."""


@pytest.mark.parametrize("kind", [DelegateAction, Shout])
def test_one_that_listens_is_one_like_any_other(kind: type[DelegateAction]) -> None:
    action = kind(print, on_event={"HIT": print})
    assert (type(action).__name__, isinstance(action, kind)) == (kind.__name__, True)
    for copied in (copy.deepcopy(action), pickle.loads(pickle.dumps(action))):
        assert type(copied) is type(action)
        assert (repr(copied), copied.takes) == (repr(action), ("HIT",))
    assert repr(action) == f"{kind.__name__}(on_enter=print, on_event={{'HIT': {print!r}}})"


def test_in_the_background_it_does_not_hold_finished_back() -> None:
    updates: list[float] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(
        DelegateAction(on_update=lambda state: updates.append(state.delta_time), background=True)
    )
    a.add_action(TimedWait(1.0))
    a.add_transition(FINISHED, b)
    fsm.start()
    fsm.update(0.5)
    fsm.update(0.5)
    assert (updates, fsm.current_state.name) == ([0.5, 0.5], "B")


@pytest.mark.parametrize(
    ("on_event", "error", "message"),
    [
        (3, TypeError, "DelegateAction: on_event must be a function, got 3"),
        (lambda a, b, c, d: None, TypeError, "DelegateAction: on_event must take nothing, the"),
        ({"HIT": 3}, TypeError, r"DelegateAction: on_event\['HIT'\] must be a function, got 3"),
        (
            {"HIT": lambda a, b, c: None},
            TypeError,
            r"DelegateAction: on_event\['HIT'\] must take nothing, the state, or the state and",
        ),
        ({3: print}, TypeError, "DelegateAction: on_event must be the name of an event, got 3"),
        ({FINISHED: print}, ValueError, "DelegateAction: on_event must be an event of your own"),
    ],
)
def test_an_on_event_that_cannot_be_right_is_refused(
    on_event: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        DelegateAction(on_event=on_event)
