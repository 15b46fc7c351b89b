"""Transitions that are never taken, as their state is exited as soon as it is entered."""

import copy
from random import Random
from typing import Any

from every import every

from actions import (
    HOST,
    Broadcast,
    Compare,
    Cooldown,
    DelegateAction,
    Log,
    OnEvent,
    Parallel,
    Race,
    Retry,
    RunFsm,
    SendEvent,
    SendEventWhen,
    SendRandomEvent,
    Sequence,
    SequenceEvent,
    Switch,
    TimedWait,
)
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmGroup
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


def boss(*actions: FsmAction) -> Fsm[Any]:
    """Choose, which SLASH, CHARGE and FINISHED lead away from, each to a state of its own."""
    fsm = Fsm("Boss")
    choose = fsm.add_state("Choose")
    for event, name in (("SLASH", "Slash"), ("CHARGE", "Charge"), (FINISHED, "Rest")):
        choose.add_transition(event, fsm.add_state(name)).target.add_action(TimedWait(1.0))  # type: ignore[union-attr]
        fsm.states[name].add_transition(FINISHED, choose)
    for action in actions:
        choose.add_action(action)
    return fsm


@every(
    "choice",
    [
        SendRandomEvent({"SLASH": 2, "CHARGE": 1}, rng=Random(7)),
        SequenceEvent("SLASH", "CHARGE"),
        Switch(lambda state: int(state.fsm.time) % 3, {0: "SLASH", 1: "CHARGE"}),
        Compare(lambda state: int(state.fsm.time) % 3, 1, less="SLASH", equal="CHARGE"),
        Sequence(SequenceEvent("SLASH", "CHARGE")),
        Parallel(SendRandomEvent({"SLASH": 2, "CHARGE": 1}, rng=Random(7))),
    ],
)
@every("is_cooled", [True, False])
def test_of_several_events_that_may_be_sent_none_is_certain(
    choice: FsmAction, is_cooled: bool
) -> None:
    guard = [Cooldown("CHARGE", 8.0)] if is_cooled else []
    fsm = boss(*copy.deepcopy([*guard, choice]))
    assert found(fsm) == []
    assert found(fsm, "unreachable-state") == []
    entered = set()
    fsm.start()
    for _ in range(100):
        fsm.update(0.5)
        entered.add(fsm.current_state.name)  # type: ignore[union-attr]
    assert entered >= {"Slash", "Charge"}


def test_an_event_to_whom_a_function_names_may_be_sent_here() -> None:
    fsm = crossing(SendEvent("GO", to=lambda state: state.fsm))
    fsm.states["Cross"].add_transition(FINISHED, "Cross")
    assert found(fsm) == []
    assert found(fsm, "endless-chain") == []
    fsm.start("Cross")
    assert fsm.current_state is fsm.states["End"]


def answering(fsm: Fsm[Any]) -> Fsm[Any]:
    """Another machine, which answers PING at once by GO."""
    other = Fsm("Other")
    answer = other.add_state("Idle").add_transition("PING", other.add_state("Answer")).target
    answer.add_action(SendEvent("GO", to=fsm))  # type: ignore[union-attr]
    other.start()
    return other


def test_a_machine_that_is_sent_an_event_may_answer_at_once() -> None:
    for add in (
        lambda other: SendEvent("PING", to=other),
        lambda other: Broadcast(FsmGroup([other]), "PING"),
        lambda other: DelegateAction(lambda: other.send_event("PING")),
    ):
        fsm = crossing()
        fsm.states["Cross"].add_transition(FINISHED, "Begin")
        fsm.states["Cross"].add_action(add(answering(fsm)))
        assert found(fsm) == []
        fsm.start("Cross")
        assert fsm.current_state is fsm.states["End"]


def test_a_nested_machine_may_send_an_event_to_its_host_as_it_starts() -> None:
    inner = Fsm("Inner")
    inner.add_state("Only").add_action(SendEvent("GO", to=HOST))
    fsm = crossing(RunFsm(inner), SendEvent("BACK"))
    fsm.states["Cross"].add_transition("BACK", "Begin")
    assert found(fsm) == []
    fsm.start("Cross")
    assert fsm.current_state is fsm.states["End"]


def test_a_retry_goes_on_after_an_error() -> None:
    def fail() -> None:
        raise OSError

    fsm = crossing(Retry(DelegateAction(fail), 3, delay=1.0))
    fsm.states["Cross"].add_transition(FINISHED, "Begin")
    assert found(fsm) == []
    fsm.start("Cross")
    fsm.send_event("GO")
    assert fsm.current_state is fsm.states["End"]


class Ends(FsmAction):
    """Finishes as it is entered, and declares nothing."""

    def on_enter(self) -> None:
        self.finish()


def test_what_ends_a_race_at_once_keeps_the_others_from_being_entered() -> None:
    fsm = crossing(Race(Race(Ends()), SendEvent("GO"), TimedWait(1.0)), TimedWait(5.0))
    fsm.states["Cross"].add_transition("STOP", "Begin")
    assert found(fsm) == []
    fsm.start("Cross")
    fsm.send_event("STOP")
    assert fsm.current_state is fsm.states["Begin"]
