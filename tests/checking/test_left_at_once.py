"""Transitions that are never taken, as their state is exited as soon as it is entered."""

from typing import Any

from actions import DelegateAction, Log, OnEvent, SendEvent, SendEventWhen, TimedWait
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction
from fsmkit.checking import Finding, Place, check


def crossing(*actions: FsmAction) -> Fsm[Any]:
    """Begin -> Cross on START; the actions are those of Cross, which GO exits for End."""
    fsm = Fsm("M")
    begin, cross, end = map(fsm.add_state, ("Begin", "Cross", "End"))
    begin.add_transition("START", cross)
    cross.add_transition("GO", end)
    end.add_transition("AGAIN", begin)
    for action in actions:
        cross.add_action(action)
    return fsm


def found(fsm: Fsm[Any], code: str = "left-at-once") -> list[tuple[str | None, str | None]]:
    return [(f.place.state, f.place.event) for f in check(fsm) if f.code == code]


def test_a_transition_of_a_state_that_is_exited_at_once_is_never_taken() -> None:
    fsm = crossing(Log("here"), SendEvent("GO"))
    fsm.states["Cross"].add_transition("STOP", "Begin", when=lambda state: state.fsm.time > 3)
    fsm.states["Cross"].add_transition("STOP", "End")
    assert check(fsm) == [
        Finding(
            "left-at-once",
            "warning",
            Place("M", "Cross", event="STOP"),
            "The transition for 'STOP' to 'Begin' or 'End' is never taken: 'GO' exits the state as "
            "soon as it is entered.",
            "Remove it, or let the state wait for something before it is exited.",
        )
    ]


def test_finished_beside_an_event_that_exits_the_state_at_once_is_never_taken() -> None:
    fsm = crossing(SendEvent("GO"))
    fsm.states["Cross"].add_transition(FINISHED, "Begin")
    assert found(fsm) == [("Cross", FINISHED)]
    fsm = crossing(TimedWait(0.0, finish_event="GO"))
    fsm.states["Cross"].add_transition(FINISHED, "Begin")
    assert found(fsm) == []  # the other finding says it
    assert found(fsm, "finished-never-fires") == [("Cross", FINISHED)]


def test_a_state_that_finishes_at_once_is_exited_at_once() -> None:
    fsm = crossing()
    fsm.states["Cross"].add_transition(FINISHED, "End")
    assert found(fsm) == [("Cross", "GO")]
    fsm.states["Cross"].add_action(TimedWait(1.0))
    assert found(fsm) == []


def test_what_code_sends_whatever_happens_exits_the_state_too() -> None:
    always = DelegateAction(lambda state: state.send_event("GO"))
    maybe = DelegateAction(lambda state: state.context and state.send_event("GO"))
    unknown = DelegateAction(lambda state: (state.context.act(), state.send_event("GO")))
    for action, expected in ((always, [("Cross", "STOP")]), (maybe, []), (unknown, [])):
        fsm = crossing(action)
        fsm.states["Cross"].add_transition("STOP", "Begin")
        assert found(fsm) == expected


def test_an_event_that_may_be_sent_before_or_taken_exits_nothing_for_certain() -> None:
    perhaps = SendEventWhen(lambda state: state.context, "STOP")
    for action in (perhaps, OnEvent("GO", lambda: None)):
        fsm = crossing(action, SendEvent("GO"))
        fsm.states["Cross"].add_transition("STOP", "Begin")
        assert found(fsm) == []


def test_an_error_may_come_before_anything_else() -> None:
    fsm = crossing(SendEvent("GO"))
    fsm.states["Cross"].add_transition(ERROR, "Begin")
    assert found(fsm) == []


def test_a_suspended_state_is_resumed_and_then_continues() -> None:
    fsm = crossing(SendEvent("PAUSE"))
    fsm.states["Cross"].add_transition("PAUSE", "End", suspend=True)
    fsm.states["End"].add_transition("BACK", BACK)
    assert found(fsm) == []


def test_the_states_of_an_endless_chain_are_not_judged() -> None:
    fsm = crossing(SendEvent("GO"))
    fsm.states["End"].add_action(SendEvent("ROUND"))
    fsm.states["End"].add_transition("ROUND", "Cross")
    assert found(fsm) == []
    assert found(fsm, "endless-chain") == [("Cross", "GO")]


def test_a_state_that_only_such_a_transition_leads_to_is_never_entered() -> None:
    fsm = crossing(SendEvent("GO"))
    fsm.states["Cross"].add_transition("STOP", fsm.add_state("Stopped", final=True))
    (finding,) = (finding for finding in check(fsm) if finding.code == "unreachable-state")
    assert finding.place.state == "Stopped"
    assert finding.message == (
        "The machine starts in 'Begin' and never gets here: 'Cross', which would lead here, is "
        "left at once by another event."
    )
