"""Events that an action may send where nobody takes them."""

from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from attrs import define

from actions import (
    HOST,
    Broadcast,
    Compare,
    Cooldown,
    Defer,
    DelegateAction,
    IgnoreEvents,
    Move,
    OnEvent,
    Parallel,
    RunFsm,
    SendEvent,
    SendRandomEvent,
    Sequence,
    TimedWait,
    Timeout,
)
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.checking import Finding, Place, check
from fsmkit.space import Transform


def lost(fsm: Fsm[Any] | FsmGroup) -> list[tuple[str | None, str | None]]:
    return [
        (finding.place.state, finding.place.event)
        for finding in check(fsm)
        if finding.code == "dead-end-event"
    ]


def advice(fsm: Fsm[Any]) -> str:
    (finding,) = (finding for finding in check(fsm) if finding.code == "dead-end-event")
    return finding.advice


def two_states(*actions: FsmAction) -> Fsm:
    """A -> B on SPOTTED, B -> A on LOST; the actions are those of A."""
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("SPOTTED", b)
    b.add_transition("LOST", a)
    for action in actions:
        a.add_action(action)
    return fsm


def test_an_event_that_neither_the_state_nor_the_machine_knows_is_an_error() -> None:
    assert check(two_states(TimedWait(2.0, finish_event="RESTED"))) == [
        Finding(
            "dead-end-event",
            "error",
            Place("M", "A", "actions[0] (TimedWait)", "RESTED"),
            "'RESTED' may be sent here, but neither the state nor the machine knows it.",
            "Known here: 'SPOTTED'. Add a transition for it, or check the spelling.",
        )
    ]


def test_a_transition_in_another_state_does_not_help() -> None:
    assert lost(two_states(SendEvent("LOST"))) == [("A", "LOST")]


def test_a_transition_of_the_state_or_the_machine_takes_the_event() -> None:
    fsm = two_states(SendEvent("SPOTTED", delay=1.0), SendEvent("PANIC", delay=2.0))
    fsm.add_global_transition("PANIC", "A")
    assert lost(fsm) == []


def test_every_event_of_an_action_is_looked_at() -> None:
    wait = Timeout(Move(Transform(), None, (1.0,), 9.0, finish_event="THERE"), 2.0, "TOO_LATE")
    rng = Random(1)
    random = SendRandomEvent({"YAWN": 1.0, "NEVER": 0.0, "SPOTTED": 1.0}, rng=rng, delay=9.0)
    compare = Compare(lambda: 1, 2, less="LESS", greater="SPOTTED", every_update=True)
    assert lost(two_states(wait, random, compare)) == [
        ("A", "TOO_LATE"),
        ("A", "THERE"),
        ("A", "YAWN"),
        ("A", "LESS"),
    ]


def test_the_place_names_the_action_inside_another_one() -> None:
    fsm = two_states(TimedWait(1.0), Sequence(TimedWait(1.0), Parallel(SendEvent("HELLO"))))
    assert [str(finding.place) for finding in check(fsm)] == [
        "Fsm 'M', state 'A', actions[1] (Sequence), children[1] (Parallel), children[0] (SendEvent)"
    ]


def test_what_is_disabled_sends_nothing() -> None:
    send = SendEvent("HELLO")
    send.enabled = False
    fsm = two_states(send, Sequence(TimedWait(1.0, "SPOTTED"), disabled := SendEvent("HI")))
    disabled.enabled = False
    assert lost(fsm) == []


# The advice


def test_a_misspelling_is_named() -> None:
    assert advice(two_states(SendEvent("SPOTED"))) == "Did you mean 'SPOTTED'?"
    assert advice(two_states(SendEvent("Lost"))) == "Did you mean 'LOST'?"


def test_an_event_meant_for_the_outer_machine_is_recognised() -> None:
    inner = two_states(SendEvent("DONE", delay=1.0))
    fsm = Fsm("Outer")
    fsm.add_state("Work").add_action(RunFsm(inner))
    fsm.states["Work"].add_transition("DONE", fsm.add_state("Rest", final=True))
    (finding,) = check(fsm)
    assert str(finding.place) == "Fsm 'Outer/M', state 'A', actions[0] (SendEvent)"
    assert "does not reach the outer one" in finding.advice


# Those who listen


class Ear(FsmAction):
    def on_event(self, event: str, data: object) -> bool:
        return event == self.context


class Handing(FsmAction):
    """Runs another action, and hands it all events."""

    def __init__(self, action: FsmAction) -> None:
        self.action = action

    @property
    def children(self) -> tuple[FsmAction, ...]:
        return (self.action,)

    def on_event(self, event: str, data: object) -> bool:
        return self.action.on_event(event, data)


class Filtering(Sequence):
    def on_event(self, event: str, data: object) -> bool:
        return event == "HELLO" or super().on_event(event, data)


@pytest.mark.slow
def test_an_action_that_listens_may_take_the_event() -> None:
    assert lost(two_states(SendEvent("HELLO"), Ear())) == []
    assert lost(two_states(SendEvent("HELLO"), Cooldown("HELLO", 1.0))) == []
    assert lost(two_states(SendEvent("HELLO"), Sequence(Handing(Ear())))) == []
    assert lost(two_states(SendEvent("HELLO"), Filtering(TimedWait(1.0)))) == []


def test_an_action_that_hands_events_on_takes_none_itself() -> None:
    assert lost(two_states(Sequence(TimedWait(1.0), SendEvent("HELLO")))) == [("A", "HELLO")]
    assert lost(two_states(Handing(SendEvent("HELLO")))) == [("A", "HELLO")]


def test_a_disabled_listener_takes_nothing() -> None:
    ear = Ear()
    ear.enabled = False
    assert lost(two_states(SendEvent("HELLO"), ear)) == [("A", "HELLO")]


def test_a_nested_machine_takes_what_one_of_its_states_knows() -> None:
    assert lost(two_states(SendEvent("LOST"), RunFsm(two_states()))) == []
    assert lost(two_states(SendEvent("HELLO"), RunFsm(two_states()))) == [("A", "HELLO")]
    assert lost(two_states(SendEvent("HELLO"), RunFsm(two_states(Ear())))) == []
    assert lost(two_states(SendEvent("HELLO"), RunFsm(two_states(RunFsm(two_states()))))) == [
        ("A", "HELLO")
    ]


def test_finished_is_not_handed_to_a_nested_machine() -> None:
    inner = Fsm("Inner")
    inner.add_state("A").add_transition(FINISHED, inner.add_state("B", final=True))
    assert lost(two_states(TimedWait(1.0, FINISHED), RunFsm(inner))) == [("A", FINISHED)]


# Broadcasts


def test_a_broadcast_is_taken_by_any_state_of_any_machine_of_the_group() -> None:
    group = FsmGroup()
    for name in ("Ann", "Bob"):
        guard = group.add(Fsm(name))
        patrol, alarm = guard.add_state("Patrol"), guard.add_state("Alarm")
        patrol.add_transition("THIEF", alarm)
        alarm.add_transition("CALM", patrol)
        alarm.add_action(Broadcast(group, "THIEF"))
    assert check(group) == []


def test_a_broadcast_that_nobody_in_the_group_knows_is_lost() -> None:
    group = FsmGroup([two_states(), two_states()])
    (first, _) = group
    first.states["A"].add_action(Broadcast(group, "THIEF"))
    assert lost(group) == [("A", "THIEF")]


def test_a_broadcast_into_a_group_that_nobody_has_joined_yet_is_not_judged() -> None:
    fsm = two_states()
    fsm.states["A"].add_action(Broadcast(FsmGroup([fsm]), "THIEF"))
    fsm.states["A"].add_action(Broadcast(FsmGroup(), "THIEF"))
    assert lost(fsm) == []


# What actions declare to take


class Deaf(FsmAction):
    """Takes what it says, and nothing else."""

    takes = ("RESTED",)

    def on_event(self, event: str, data: object) -> bool:
        return event == "RESTED"


class Louder(Deaf):
    """Overrides what the declaration was about."""

    def on_event(self, event: str, data: object) -> bool:
        return True


class OfItsOwn(FsmAction):
    """Says of each instance what it takes."""

    def __init__(self, *takes: str) -> None:
        self.__dict__["takes"] = takes

    def on_event(self, event: str, data: object) -> bool:
        return event in self.takes


def test_an_action_that_declares_what_it_takes_takes_that_alone() -> None:
    late, rested = TimedWait(1.0, "LATE"), TimedWait(1.0, "RESTED")
    for listener in (Deaf(), OfItsOwn("RESTED"), OnEvent("RESTED", print), IgnoreEvents("RESTED")):
        fsm = two_states(late, rested, listener)
        assert lost(fsm) == [("A", "LATE")]
        assert advice(fsm).startswith("Known here: 'SPOTTED', 'RESTED'.")
        for action in (late, rested):
            fsm.states["A"].remove_action(action)


def test_inside_other_actions_it_takes_the_same() -> None:
    fsm = two_states(TimedWait(1.0, "LATE"), TimedWait(1.0, "RESTED"), Parallel(Deaf()))
    assert lost(fsm) == [("A", "LATE")]


def test_a_declaration_does_not_hold_for_another_on_event() -> None:
    assert lost(two_states(TimedWait(1.0, "LATE"), Louder())) == []


def test_a_misspelling_in_what_an_action_takes_is_named() -> None:
    assert advice(two_states(TimedWait(1.0, "RESTD"), Deaf())) == "Did you mean 'RESTED'?"


def test_what_refuses_knows_the_event() -> None:
    fsm = two_states(SendEvent("TRY"))
    fsm.states["A"].add_transition("TRY", "B", when=lambda: False)
    assert lost(fsm) == []


def test_a_function_that_hears_every_event_may_take_it() -> None:
    assert lost(two_states(SendEvent("HELLO"), DelegateAction(on_event=print))) == []
    by_name = DelegateAction(on_event={"HEY": print})
    assert lost(two_states(SendEvent("HELLO"), by_name)) == [("A", "HELLO")]


def test_what_is_deferred_is_sent_to_others_in_the_end() -> None:
    assert lost(two_states(TimedWait(1.0), Defer("SPOTTED"))) == []
    assert lost(two_states(TimedWait(1.0), Defer("SPOTED"))) == [("A", "SPOTED")]
    assert lost(two_states(Defer("HELLO"), SendEvent("HELLO"))) == [("A", "HELLO")]


# Events for others


def ending(event: str) -> Fsm:
    """A machine that comes to its end on `event`."""
    fsm = Fsm("Inner")
    fsm.add_state("Begin").add_transition(event, fsm.add_state("End", final=True))
    return fsm


def test_an_outcome_is_not_handed_down_again() -> None:
    assert lost(two_states(RunFsm(ending("LOST"), {"End": "SPOTTED"}))) == []
    assert lost(two_states(RunFsm(ending("LOST"), {"End": "LOST"}))) == [("A", "LOST")]
    fsm = two_states(RunFsm(ending("GO"), {"End": "LOST"}), RunFsm(ending("LOST")))
    assert lost(fsm) == []


def test_what_is_sent_to_other_machines_is_their_affair() -> None:
    for to in (HOST, two_states(), lambda: None):
        assert lost(two_states(SendEvent("HELLO", to=to))) == []


def test_an_event_for_a_group_is_taken_by_any_of_its_machines() -> None:
    group = FsmGroup()
    fsm = two_states(SendEvent("HELLO", to=group), SendEvent("LOST", to=group))
    group.add(fsm)
    assert lost(fsm) == []
    group.add(two_states())
    assert lost(fsm) == [("A", "HELLO")]


# What users' code sends without declaring it


class Shoot(FsmAction):
    def __init__(self, event: str) -> None:
        self.event = event

    def on_enter(self) -> None:
        self.fsm.send_event(self.event)


class Wait(FsmAction):
    def on_enter(self) -> None:
        self.fsm.send_event_after(2.0, "SPOTED")


def test_a_misspelt_event_in_a_lambda_is_an_error() -> None:
    fsm = two_states(TimedWait(1.0), DelegateAction(lambda state: state.send_event("SPOTED")))
    assert [finding for finding in check(fsm) if finding.code == "dead-end-event"] == [
        Finding(
            "dead-end-event",
            "error",
            Place("M", "A", "actions[1] (DelegateAction)", "SPOTED"),
            "'SPOTED' may be sent in on_enter, but neither the state nor the machine knows it.",
            "Did you mean 'SPOTTED'?",
        )
    ]


def test_a_misspelt_event_of_an_own_action_is_an_error() -> None:
    assert lost(two_states(Shoot("SPOTTED"))) == []
    assert lost(two_states(Shoot("SPOTED"))) == [("A", "SPOTED")]
    assert lost(two_states(Sequence(Shoot("SPOTED")))) == [("A", "SPOTED")]
    assert lost(two_states(Wait())) == [("A", "SPOTED")]


def test_an_event_that_another_state_may_get_is_lost_if_none_knows_it() -> None:
    def later(event: str) -> list[FsmAction]:
        return [
            DelegateAction(lambda state: state.fsm.post_event(event)),
            DelegateAction(lambda state: state.fsm.send_event_after(1.0, event, keep=True)),
            DelegateAction(lambda state: state.context.listen(lambda: state.send_event(event))),
            DelegateAction(lambda state: (state.send_event("SPOTTED"), state.send_event(event))),
            DelegateAction(lambda state: (state.context.act(), state.send_event(event))),
        ]

    for action in later("LOST"):  # B knows it
        assert lost(two_states(action)) == []
    for action in later("LOOST"):
        assert lost(two_states(action)) == [("A", "LOOST")]


def test_an_event_that_is_offered_may_be_refused() -> None:
    assert lost(two_states(DelegateAction(lambda state: state.fsm.offer_event("HELLO")))) == []


def test_a_machine_that_ignores_what_it_does_not_handle_may_send_it_anywhere() -> None:
    fsm = two_states(Shoot("LOST"), Shoot("LOOST"))
    assert lost(fsm) == [("A", "LOST"), ("A", "LOOST")]
    fsm.on_unhandled = "ignore"
    assert lost(fsm) == [("A", "LOOST")]


def test_an_event_for_another_machine_is_lost_if_no_state_of_it_knows_it() -> None:
    other, empty = two_states(), Fsm("Empty")
    fsm = two_states(
        DelegateAction(lambda: other.send_event("LOST")),
        DelegateAction(lambda: empty.send_event("LOST")),
        DelegateAction(lambda: other.send_event("LOOST")),
    )
    (finding,) = (finding for finding in check(fsm) if finding.code == "dead-end-event")
    assert finding.message == (
        "'LOOST' may be sent in on_enter to 'M', but no state there knows it."
    )
    assert finding.advice == "Did you mean 'LOST'?"


def test_an_event_that_an_own_action_may_take_is_not_lost() -> None:
    class Listen(FsmAction):
        def on_event(self, event: str, data: object) -> bool:
            return event == self.context

    assert lost(two_states(Listen(), Shoot("SPOTED"))) == []
    handler = OnEvent("HIT", lambda state: state.send_event("HURT"))
    assert lost(two_states(handler)) == [("A", "HURT")]


def test_actions_without_a_hash_are_read_as_any_others() -> None:
    @dataclass
    class Data(FsmAction):
        event: str = "SPOTED"

        def on_enter(self) -> None:
            self.fsm.send_event(self.event)
            self.finish()

    @define
    class Defined(FsmAction):
        event: str = "SPOTED"

        def on_enter(self) -> None:
            self.fsm.send_event(self.event)

    for kind in (Data, Defined):
        fsm = two_states(kind("SPOTTED"), Parallel(kind()), kind())
        assert lost(fsm) == [("A", "SPOTED"), ("A", "SPOTED")]
