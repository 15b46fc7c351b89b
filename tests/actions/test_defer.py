"""Defer: events that wait until they may be acted on."""

import copy
from typing import Any

import pytest

from actions import (
    Defer,
    DelegateAction,
    OnEvent,
    Parallel,
    SendEvent,
    Sequence,
    TimedWait,
    WaitUntil,
    When,
)
from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.testing import Recorder, drive


def knight(*actions: FsmAction, finished: bool = True, context: Any = None) -> Fsm:
    """Swing (with the actions) -> Dodge on DODGE, -> Rest on FINISHED; Dodge stays."""
    fsm = Fsm("Knight", context, on_unhandled="raise")
    swing, dodge, rest = map(fsm.add_state, ("Swing", "Dodge", "Rest"))
    swing.add_transition("DODGE", dodge)
    swing.add_transition("HIT", rest)
    if finished:
        swing.add_transition(FINISHED, rest)
    dodge.add_transition("DODGE", rest)
    dodge.add_transition("HIT", swing)
    rest.add_action(OnEvent("HIT", print))
    for action in actions:
        swing.add_action(action)
    fsm.start()
    return fsm


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_events_wait_until_the_other_actions_have_finished(finished: bool, first: bool) -> None:
    actions = [Defer("DODGE"), TimedWait(0.5)]
    fsm = knight(*(actions if first else reversed(actions)), finished=finished)
    recorder = Recorder(fsm)
    fsm.send_event("DODGE", 3)
    fsm.update(0.25)
    assert recorder.take() == ["event DODGE: consumed", "update 0.25"]
    fsm.update(0.25)
    if first and not finished:  # noticed in the next update
        assert fsm.current_state.name == "Swing"
        fsm.update(0.0)
    assert (recorder.path, fsm.event_data) == (["Dodge"], 3)


def test_without_an_event_it_does_not_hold_finished_back() -> None:
    fsm = knight(Defer("DODGE"), TimedWait(0.5))
    fsm.update(0.5)
    assert fsm.current_state.name == "Rest"


def test_what_is_kept_comes_before_finished_and_goes_on_in_the_new_state() -> None:
    fsm = knight(Defer("DODGE", "HIT"), TimedWait(0.5))
    assert drive(fsm, [("DODGE", 1), ("HIT", 2), 0.5]) == [
        "event DODGE: consumed",
        "event HIT: consumed",
        "update 0.5",
        "TimedWait finished",
        "event DODGE: changed",
        "event HIT: queued",
        "event FINISHED: consumed",
        "Defer left",
        "TimedWait left",
        "leave Swing",
        "enter Dodge",
        "event HIT: changed",
        "leave Dodge",
        "enter Swing",
        "Defer entered",
        "TimedWait entered",
    ]


def test_what_leads_nowhere_does_not_keep_finished_away() -> None:
    fsm = knight(OnEvent("PARRY", print), Defer("PARRY"), TimedWait(0.5))
    fsm.states["Swing"].remove_action(fsm.states["Swing"].actions[0])
    fsm.on_unhandled = "ignore"
    fsm.send_event("PARRY")
    fsm.update(0.5)
    assert fsm.current_state.name == "Rest"


def test_it_also_comes_before_the_finish_event_of_the_last() -> None:
    fsm = knight(Defer("DODGE"), TimedWait(0.5, "HIT"))
    recorder = Recorder(fsm)
    fsm.send_event("DODGE")
    fsm.update(0.5)
    assert recorder.path == ["Dodge"]


def test_an_event_that_comes_later_waits_for_the_new_state() -> None:
    fsm = knight(Defer("DODGE"), TimedWait(0.5), finished=False)
    recorder = Recorder(fsm)
    fsm.send_event("DODGE")
    fsm.update(0.5)
    fsm.send_event("HIT")
    assert recorder.path == ["Dodge", "Swing"]


def test_only_the_last_of_each_may_be_kept() -> None:
    fsm = knight(
        TimedWait(0.5), Defer("AIM", "DUCK", latest=True), OnEvent("FIRE", print), finished=False
    )
    got: list[object] = []
    on_event = {"AIM": lambda _, at: got.append(at), "DUCK": lambda: got.append("duck")}
    fsm.states["Swing"].add_action(DelegateAction(on_event=on_event))
    fsm.start()
    for event, data in (("AIM", 1), ("DUCK", None), ("AIM", 2)):
        fsm.send_event(event, data)
    fsm.update(0.5)
    assert got == ["duck", 2]
    fsm.send_event("AIM", 3)
    assert got == ["duck", 2, 3]


def test_until_replaces_the_waiting_for_others() -> None:
    fsm = knight(TimedWait(9.0), Defer("DODGE", until=lambda state: state.fsm.time_in_state > 0.2))
    fsm.send_event("DODGE")
    fsm.update(0.2)
    assert fsm.current_state.name == "Swing"
    fsm.update(0.2)
    assert fsm.current_state.name == "Dodge"


def test_once_until_has_held_events_pass_for_the_rest_of_the_visit() -> None:
    world = {"ready": False}
    fsm = knight(TimedWait(9.0), Defer("DODGE", until=lambda: world["ready"]))
    world["ready"] = True
    fsm.update(0.1)
    world["ready"] = False
    fsm.send_event("DODGE")
    assert fsm.current_state.name == "Dodge"


def test_with_nothing_else_in_the_state_everything_passes() -> None:
    fsm = knight(Defer("DODGE"), finished=False)
    fsm.send_event("DODGE")
    assert fsm.current_state.name == "Dodge"


def test_what_is_kept_dies_with_the_state() -> None:
    fsm = knight(Defer("DODGE"), TimedWait(0.5))
    fsm.add_global_transition("GO", "Rest")
    fsm.send_event("DODGE")
    fsm.send_event("GO")
    fsm.start()
    fsm.update(0.5)
    assert fsm.current_state.name == "Rest"


@pytest.mark.parametrize("first", [True, False])
def test_inside_a_composition_it_waits_for_those_beside_it(first: bool) -> None:
    both = [Defer("DODGE"), TimedWait(0.5)]
    inner = Parallel(*(both if first else reversed(both)))
    fsm = knight(Sequence(inner, TimedWait(5.0)), TimedWait(9.0))
    fsm.send_event("DODGE")
    fsm.update(0.25)
    assert fsm.current_state.name == "Swing"
    fsm.update(0.25)
    fsm.update(0.0)
    assert fsm.current_state.name == "Dodge"


def test_inside_a_composition_it_finishes_with_those_beside_it() -> None:
    inner = Parallel(TimedWait(0.5), Defer("DODGE"), Defer("HIT", until=lambda: False))
    fsm = knight(Sequence(inner, TimedWait(1.0)))
    fsm.update(0.5)
    assert inner.finished or not inner.present
    fsm.update(1.0)
    assert fsm.current_state.name == "Rest"


def test_alone_in_a_composition_it_waits_for_those_further_out() -> None:
    fsm = knight(When(lambda: True, Defer("DODGE")), TimedWait(0.5))
    fsm.send_event("DODGE")
    fsm.update(0.5)
    fsm.update(0.0)
    assert fsm.current_state.name == "Dodge"


def test_what_it_sends_may_be_sent_by_an_action_of_the_state() -> None:
    fsm = knight(Defer("DODGE"), SendEvent("DODGE"), WaitUntil(lambda state: state.context["over"]),
                 context={"over": False})  # fmt: skip
    fsm.update(0.1)
    assert fsm.current_state.name == "Swing"
    fsm.context["over"] = True
    fsm.update(0.1)
    assert fsm.current_state.name == "Dodge"


def test_an_error_on_the_way_leaves_the_rest_for_the_next_update() -> None:
    fsm = knight(TimedWait(0.5), Defer("WHAT", "DODGE"), finished=False)
    fsm.send_event("WHAT")
    fsm.send_event("DODGE")
    with pytest.raises(Exception, match="no transition for event 'WHAT'"):
        fsm.update(0.5)
    fsm.update(0.0)
    assert fsm.current_state.name == "Dodge"


def test_what_is_kept_is_copied() -> None:
    fsm = knight(Defer("DODGE"), TimedWait(0.5))
    fsm.send_event("DODGE", [3])
    copied = copy.deepcopy(fsm)
    for machine in (fsm, copied):
        machine.update(0.5)
        assert (machine.current_state.name, machine.event_data) == ("Dodge", [3])


@pytest.mark.parametrize(
    ("events", "options", "error", "message"),
    [
        ((), {}, ValueError, "Defer: events must be one or more events, got none"),
        ((FINISHED,), {}, ValueError, "Defer: events must be an event of your own"),
        ((3,), {}, TypeError, "Defer: events must be the name of an event, got 3"),
        (("A",), {"until": 3}, TypeError, "Defer: until must be a function, got 3"),
        (("A",), {"latest": "yes"}, TypeError, "Defer: latest must be True or False, got 'yes'"),
    ],
)
def test_what_cannot_be_right_is_refused(
    events: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Defer(*events, **options)
