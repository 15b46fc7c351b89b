"""Cycles of states that lead to each other as soon as they are entered."""

from random import Random
from typing import Any

import pytest

from actions import (
    Compare,
    Cooldown,
    DelegateAction,
    Log,
    Move,
    Parallel,
    Race,
    Repeat,
    Retry,
    SendEvent,
    SendRandomEvent,
    Sequence,
    SetValue,
    TimedWait,
    Timeout,
    Tween,
    WaitUntil,
    When,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction, TransitionLoopError
from fsmkit.checking import Finding, Place, check
from fsmkit.space import Transform


def chains(fsm: Fsm[Any]) -> list[tuple[str, str]]:
    return [
        (finding.severity, finding.message.partition(" by ")[0])
        for finding in check(fsm)
        if finding.code == "endless-chain"
    ]


def ring(*states: list[FsmAction], event: str = FINISHED) -> Fsm:
    """States A, B, ... with these actions, each leading to the next on `event`, and so round."""
    fsm = Fsm("Ring", on_unhandled="ignore")
    names = "ABCDEFGH"[: len(states)]
    for name in names:
        fsm.add_state(name)
    for name, following, actions in zip(names, names[1:] + names[0], states, strict=True):
        fsm.states[name].add_transition(event, following)
        for action in actions:
            fsm.states[name].add_action(action)
    return fsm


def certain(fsm: Fsm[Any]) -> bool:
    """Return True if an endless chain is certain. Starts the machine to verify that."""
    if [severity for severity, _ in chains(fsm)] != ["error"]:
        return False
    with pytest.raises(TransitionLoopError):
        fsm.start()
    return True


def test_states_that_finish_at_once_and_lead_to_each_other_never_end() -> None:
    fsm = ring([Log("a")], [TimedWait(0.0)], [])
    assert check(fsm) == [
        Finding(
            "endless-chain",
            "error",
            Place("Ring", "A", None, FINISHED),
            "'A' -> 'B' -> 'C' -> 'A' by 'FINISHED' never ends once it is entered.",
            "Let one of the states wait for time to pass (such as TimedWait), or for an event "
            "from outside.",
        )
    ]
    assert certain(fsm)


def test_one_state_that_waits_ends_the_chain() -> None:
    assert chains(ring([], [TimedWait(0.1)], [])) == []
    assert chains(ring([], [DelegateAction(on_update=print)])) == []


def test_a_state_may_lead_to_itself_without_end() -> None:
    assert certain(ring([SetValue({}, "gold", 1)]))


def test_a_global_transition_to_the_state_itself_does_nothing() -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.add_global_transition(FINISHED, "A")
    assert chains(fsm) == []


def test_global_transitions_are_followed() -> None:
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    fsm.add_global_transition(FINISHED, a)
    a.add_transition(FINISHED, b)
    assert certain(fsm)


def test_a_way_into_the_chain_is_not_part_of_it() -> None:
    fsm = ring([], [])
    fsm.add_state("Start").add_transition(FINISHED, "B")
    assert chains(fsm) == [("error", "'A' -> 'B' -> 'A'")]


def test_every_chain_is_reported_once() -> None:
    fsm = ring([], [])
    fsm.add_state("C").add_transition(FINISHED, "C")
    assert chains(fsm) == [("error", "'A' -> 'B' -> 'A'"), ("error", "'C' -> 'C'")]


# By other events


def test_an_event_that_is_certainly_sent_at_once_leads_on() -> None:
    assert certain(ring([SendEvent("GO")], [SendEvent("GO")], event="GO"))
    assert certain(ring([TimedWait(0.0, "GO"), TimedWait(5.0)], [SendEvent("GO")], event="GO"))


def test_an_event_that_is_sent_later_or_perhaps_leads_nowhere_yet() -> None:
    assert chains(ring([SendEvent("GO", delay=1.0)], event="GO")) == []
    assert chains(ring([Compare(lambda: 1, 2, less="GO")], event="GO")) == []
    random = SendRandomEvent({"GO": 1.0, "STAY": 1.0}, rng=Random(1))
    assert chains(ring([random], event="GO")) == []


def test_an_event_that_leads_out_of_the_ring_ends_the_chain() -> None:
    fsm = ring([Sequence(Log("a"), SendEvent("OUT"))], [])
    fsm.states["A"].add_transition("OUT", fsm.add_state("Out", final=True))
    assert chains(fsm) == []
    fsm.start()
    assert fsm.current_state.name == "Out"


def test_an_event_that_leads_nowhere_does_not_end_the_chain() -> None:
    assert certain(ring([SendEvent("NOWHERE")], []))


def test_actions_after_the_event_are_not_entered() -> None:
    assert certain(
        ring([SendEvent("GO"), DelegateAction(lambda state: state.fsm.stop())], event="GO")
    )


def test_whoever_listens_may_end_the_chain() -> None:
    fsm = ring([Cooldown("GO", 1.0), SendEvent("GO")], event="GO")
    assert chains(fsm) == []
    fsm.start()
    assert fsm.is_running


# What may break it


class Quiet(FsmAction):
    finishes = "at once"

    def on_enter(self) -> None:
        self.finish()


class Decides(FsmAction):
    finishes = "at once"

    def on_enter(self) -> None:
        if self.context:
            self.fsm.stop()
        self.finish()


def test_a_function_of_the_users_may_break_the_chain() -> None:
    acts = DelegateAction(lambda state: state.context.act())
    stops = DelegateAction(lambda state: state.context and state.fsm.stop())
    hands_on = DelegateAction(lambda state: [*map(state.send_event, state.context)])
    for action in (acts, stops, hands_on, Log(lambda state: next(state.context))):
        assert chains(ring([action], [])) == [("warning", "'A' -> 'B' -> 'A'")]


def test_a_function_that_does_nothing_to_the_machine_does_not_break_the_chain() -> None:
    assert certain(ring([DelegateAction(lambda: print("a", end="")), Log(lambda: "a")], []))
    assert certain(ring([DelegateAction(lambda state: len(state.name))], []))


def test_a_class_may_break_the_chain_if_it_can_change_the_state() -> None:
    class Shouts(Quiet):
        def say(self) -> None:
            self.fsm.send_event("HEY")

    assert certain(ring([Quiet()], []))
    assert certain(ring([Shouts()], []))  # nobody calls it
    assert chains(ring([Decides()], [])) == [("warning", "'A' -> 'B' -> 'A'")]


# What users' code sends


class Sends(FsmAction):
    def __init__(self, event: str) -> None:
        self.event = event

    def on_enter(self) -> None:
        self.fsm.send_event(self.event)


def test_a_chain_of_events_that_code_sends_never_ends() -> None:
    by_lambda = DelegateAction(lambda state: state.send_event("GO"))
    assert certain(ring([by_lambda], [Sends("GO")], event="GO"))


def test_an_own_action_that_finishes_whatever_happens_does_so_at_once() -> None:
    class Ends(FsmAction):
        def on_enter(self) -> None:
            if self.context:
                self.finish()
            else:
                self.end()

        def end(self) -> None:
            self.finish()

    class MayEnd(FsmAction):
        def on_enter(self) -> None:
            if self.context:
                self.finish()

    assert certain(ring([Ends()], []))
    assert chains(ring([MayEnd()], [])) == []


def test_code_that_may_send_something_else_is_no_chain() -> None:
    may_send = DelegateAction(lambda state: state.context and state.send_event("GO"))
    assert chains(ring([may_send], [SendEvent("GO")], event="GO")) == []
    fsm = ring([DelegateAction(lambda state: state.send_event("GO" if state.context else "OUT"))])
    fsm.states["A"].remove_transition(FINISHED)
    fsm.states["A"].add_transition("GO", "A")
    fsm.states["A"].add_transition("OUT", fsm.add_state("B"))
    assert chains(fsm) == []
    later = DelegateAction(lambda state: state.fsm.send_event_after(0.0, "GO"))
    assert chains(ring([later], [SendEvent("GO")], event="GO")) == []


def test_what_comes_later_does_not_end_a_chain() -> None:
    fsm = ring([TimedWait(1.0, "LATER"), SendEvent("GO")], [SendEvent("GO")], event="GO")
    fsm.states["A"].add_transition("LATER", "B")
    assert certain(fsm)


# Actions that run others


@pytest.mark.parametrize(
    "action",
    [
        Parallel(TimedWait(1.0), SendEvent("GO")),
        Sequence(TimedWait(0.0), SendEvent("GO"), TimedWait(1.0)),
        Sequence(Parallel(Sends("GO"))),
        Race(SendEvent("GO"), TimedWait(0.0)),
        Repeat(SendEvent("GO"), 3),
        Timeout(SendEvent("GO"), 2.0),
        Retry(SendEvent("GO"), 3),
        Sequence(TimedWait(0.0), finish_event="GO"),
    ],
    ids=repr,
)
def test_an_event_that_is_sent_inside_another_action_makes_a_chain(action: FsmAction) -> None:
    assert certain(ring([action], [SendEvent("GO")], event="GO"))


@pytest.mark.parametrize(
    "action",
    [
        Parallel(),
        Sequence(TimedWait(1.0), SendEvent("GO")),
        Race(TimedWait(0.0), SendEvent("GO")),
        Repeat(SendEvent("GO"), 0),
        When(lambda state: state.context, SendEvent("GO")),
        Timeout(TimedWait(2.0), 1.0, "GO"),
        Sequence(WaitUntil(lambda state: state.context), SendEvent("GO")),
    ],
    ids=repr,
)
def test_an_action_inside_that_is_not_entered_at_once_makes_none(action: FsmAction) -> None:
    assert chains(ring([action], [SendEvent("GO")], event="GO")) == []


# What has come to its end


def fading(*actions: FsmAction, event: str = FINISHED, target: str = "A") -> Fsm[Any]:
    fsm = Fsm("M", on_unhandled="ignore")
    state = fsm.add_state("A")
    fsm.add_state("B").add_transition("AGAIN", "A")
    state.add_transition("OUT", "B")
    state.add_transition(event, target)
    for action in actions:
        state.add_action(action)
    return fsm


def test_what_is_at_its_end_already_finishes_at_once_when_it_is_entered_again() -> None:
    fsm = fading(Tween({"volume": 1.0}, "volume", None, 0.0, 1.0))
    assert chains(fsm) == [("warning", "'A' -> 'A'")]
    fsm.start()
    with pytest.raises(TransitionLoopError):
        fsm.update(1.0)
    ends = Move(Transform((0.0,)), None, (1.0,), 1.0, finish_event="THERE")
    assert chains(fading(ends, event="THERE")) == [("warning", "'A' -> 'A'")]


def test_what_has_a_distance_to_cover_each_time_does_not() -> None:
    sound = {"volume": 1.0, "pitch": 1.0}
    for actions in (
        [Tween(sound, "volume", 1.0, 0.0, 1.0)],
        [Tween(sound, "volume", None, lambda: 0.0, 1.0)],
        [Tween(sound, "volume", None, 0.0, 1.0, yoyo=True)],
        [Tween(sound, "volume", None, 0.0, 1.0), TimedWait(1.0)],
        [Tween(sound, "volume", None, 0.0, 1.0), Tween(sound, "volume", None, 1.0, 1.0)],
    ):
        assert chains(fading(*actions)) == []
    assert chains(fading(Tween(sound, "volume", None, 0.0, 1.0), target="B")) == []


# Guards and suspension


def test_a_guard_may_end_the_chain() -> None:
    fsm = ring([], [])
    fsm.states["B"].remove_transition(FINISHED)
    fsm.states["B"].add_transition(FINISHED, "A", when=lambda state: state.fsm.time > 1.0)
    assert chains(fsm) == []
    fsm.states["B"].add_transition(FINISHED, fsm.add_state("Out"))
    fsm.states["Out"].add_action(TimedWait(1.0))
    assert chains(fsm) == []


def test_a_chain_that_continues_whatever_the_guards_say_never_ends() -> None:
    fsm = ring([], [], [])
    fsm.states["B"].remove_transition(FINISHED)
    fsm.states["B"].add_transition(FINISHED, "A", when=lambda state: state.fsm.time > 1.0)
    fsm.states["B"].add_transition(FINISHED, "C")
    assert certain(fsm)


def test_a_state_that_is_suspended_without_end_is_in_a_chain() -> None:
    fsm = ring([], [])
    fsm.states["B"].remove_transition(FINISHED)
    fsm.states["B"].add_transition(FINISHED, "A", suspend=True)
    assert certain(fsm)


def test_going_back_ends_the_chain_since_what_had_finished_stays_finished() -> None:
    fsm = ring([], [])
    fsm.states["A"].remove_transition(FINISHED)
    fsm.states["A"].add_transition(FINISHED, "B", suspend=True)
    fsm.states["B"].remove_transition(FINISHED)
    fsm.states["B"].add_transition(FINISHED, BACK)
    assert chains(fsm) == []
    fsm.start()
    assert fsm.current_state is fsm.states["A"]


def test_what_runs_in_the_background_does_not_end_a_chain() -> None:
    class Watch(FsmAction):
        background = True

    assert certain(ring([Watch()], []))
