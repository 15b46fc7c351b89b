"""Answers: what an action asked last, and how near it was, for the inspector and `why`."""

from collections.abc import Callable
from copy import deepcopy
from math import nan
from typing import Any

import pytest
from every import every

from actions import (
    Assert,
    Compare,
    Coroutine,
    Defer,
    InRange,
    OnChange,
    Option,
    Sees,
    Selector,
    SendEventWhen,
    Switch,
    TimedWait,
    Utility,
    WaitUntil,
    When,
)
from actions.coroutine import Awaited, Routine
from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.recording import snapshot, why
from fsmkit.space import Transform

HERE = Transform((0.0, 0.0))


def is_near() -> bool:
    return False


def is_awake() -> bool:
    return True


def at(x: float) -> Transform:
    return Transform((x, 0.0))


def waiting_for(*awaited: Awaited) -> Callable[[], Routine]:
    def routine() -> Routine:
        yield from awaited

    return routine


def entered(*actions: FsmAction[Any]) -> Fsm[Any]:
    fsm = Fsm("M", on_unhandled="ignore")
    state = fsm.add_state("A")
    for action in actions:
        state.add_action(action)
    fsm.start()
    fsm.update(0.1)
    return fsm


def said(action: FsmAction[Any]) -> str:
    entered(action)
    return action._answer_


@every(
    ("action", "answer"),
    [
        (WaitUntil(is_near), "no, is_near"),
        (WaitUntil(is_awake), "yes, is_awake"),
        (SendEventWhen(is_near, "NEAR"), "no, is_near"),
        (WaitUntil(InRange(HERE, at(5.25), 4.0)), "no, InRange(Transform, 4): 5.25 of 4"),
        (WaitUntil(InRange(HERE, at(3.0), 4)), "yes, InRange(Transform, 4): 3 of 4"),
        (WaitUntil(InRange(HERE, lambda: None, 4)), "no, InRange(lambda: None, 4): nothing there"),
        (When(is_near, TimedWait(1.0)), "no, is_near"),
        (When(is_awake, TimedWait(0.0)), "yes, is_awake"),
        (Assert(is_awake, "sleeps", every_update=True), "yes, is_awake"),
        (Defer("HIT", until=is_near), "no, is_near"),
        (Defer("HIT", until=is_awake), "yes, is_awake"),
        (Coroutine(waiting_for(is_near)), "no, is_near"),
        (Switch(lambda: "quit", {"quit": "QUIT"}), "'quit': QUIT"),
        (Switch(lambda: None, {"quit": "QUIT"}), "None: no event"),
    ],
)
def test_a_question_is_shown_with_its_answer(action: FsmAction[Any], answer: str) -> None:
    assert said(action) == answer


@pytest.mark.parametrize(
    ("value", "other", "tolerance", "answer"),
    [
        (15, 20, 0.0, "15 < 20, by 5"),
        (2.5, 0.125, 0.0, "2.5 > 0.125, by 2.375"),
        (20, 20.0, 0.0, "20 = 20.0"),
        (19.5, 20, 1.0, "19.5 = 20, by 0.5"),
        (nan, 20, 0.0, "nan != 20"),
        ("b", "a", 0.0, "'b' > 'a'"),
        ((1, 2), (1, 3), 0.0, "(1, 2) < (1, 3)"),
    ],
)
def test_a_comparison_shows_both_values_and_their_difference(
    value: Any, other: Any, tolerance: float, answer: str
) -> None:
    compare = Compare(lambda: value, other, less="LESS", tolerance=tolerance, every_update=True)
    assert said(compare) == answer
    assert said(Compare(value, lambda: other, equal="EQUAL", tolerance=tolerance)) == answer


@pytest.mark.parametrize(
    "action",
    [
        OnChange(is_near, "CHANGED"),  # what it remembers is shown beside it
        TimedWait(1.0),
        Defer("HIT"),
        Coroutine(waiting_for(1.0)),
        Selector(Option(TimedWait(1.0), when=is_awake)),  # its option shows it
    ],
    ids=repr,
)
def test_an_action_that_asks_nothing_itself_has_no_answer(action: FsmAction[Any]) -> None:
    assert said(action) == ""


def test_an_action_that_was_never_entered_has_not_compared() -> None:
    assert [Compare(1, 2, less="LESS")._answer_, Switch(1, {1: "ONE"})._answer_] == ["", ""]


def test_a_condition_that_is_not_asked_on_enter_has_no_answer_until_an_update() -> None:
    defer = Defer("HIT", until=is_near)
    fsm = Fsm[None]("M")
    fsm.add_state("A").add_action(defer)
    fsm.start()
    answers = [defer._answer_]
    fsm.update(0.1)
    answers.append(defer._answer_)
    fsm.start()
    assert [*answers, defer._answer_] == ["", "no, is_near", ""]


def test_a_failed_assertion_says_no() -> None:
    awake = [True]

    def is_up() -> bool:
        return awake[0]

    check = Assert(is_up, "sleeps", every_update=True)
    fsm = entered(check)
    awake[0] = False
    with pytest.raises(AssertionError):
        fsm.update(0.1)
    assert check._answer_ == "no, is_up"


def test_a_condition_with_two_edges_shows_the_one_that_counts_next() -> None:
    hero = at(5.0)
    near = InRange(HERE, hero, 3.0, until=6.0)
    fsm = entered(Switch(near, {True: "NEAR"}, every_update=True))
    seen = []
    for x in (5.0, 3.0, 5.0, 6.5, 5.0):
        hero.position = (x, 0.0)
        fsm.update(0.1)
        seen.append(near.measured_for(fsm.states["A"]))
    assert seen == ["5 of 3", "3 of 6", "5 of 6", "6.5 of 3", "5 of 3"]


def test_eyes_say_what_kept_them_from_seeing() -> None:
    eyes, thief, walls = Transform((0.0, 0.0), rotation=0.0), at(5.0), [False]

    def is_clear(_start: object, _end: object) -> bool:
        return not walls[0]

    sees = Sees(eyes, thief, 10.0, angle=90.0, clear=is_clear)
    fsm = entered(SendEventWhen(sees, "SEEN"), Switch(sees, {}, default="X", every_update=True))
    seen = []

    def look() -> None:
        fsm.update(0.1)
        seen.append(sees.measured_for(fsm.states["A"]))

    look()
    walls[0] = True
    look()
    thief.position = (-5.0, 0.0)
    look()
    thief.position = (-50.0, 0.0)
    look()
    assert seen == [
        "5 of 10",
        "5 of 10, something in the way",
        "5 of 10, not in view",
        "50 of 10",
    ]


def test_a_shared_condition_has_measured_for_the_last_that_asked() -> None:
    near = InRange(lambda state: state.fsm.context, HERE, 4.0)
    first, second = (WaitUntil(near) for _ in range(2))
    machines = [Fsm("M", context=at(x)) for x in (5.0, 6.0)]
    for fsm, action in zip(machines, (first, second), strict=True):
        fsm.add_state("A").add_action(action)
        fsm.start()
    title = near._fsmkit_title
    assert [first._answer_, second._answer_] == [f"no, {title}", f"no, {title}: 6 of 4"]
    assert near.measured_for(deepcopy(machines[1]).states["A"]) == ""


def test_a_condition_between_two_things_has_measured_for_everybody() -> None:
    hero = at(5.0)
    near = InRange(HERE, hero, 4.0)
    wait = WaitUntil(near)
    state = Fsm[None]("M").add_state("A")
    assert near.measured_for(state) == ""  # it was never asked
    entered(wait)
    hero.position = (6.0, 0.0)
    near()
    assert wait._answer_ == "no, InRange(Transform, 4): 6 of 4"
    assert near.measured_for(state) == "6 of 4"


def test_options_say_how_near_they_were() -> None:
    far = InRange(HERE, at(5.0), 4.0)
    selector = Selector(Option(TimedWait(9.0), when=far), Option(TimedWait(9.0)))
    utility = Utility(
        Option(TimedWait(9.0), when=far, score=1.0), Option(TimedWait(9.0), score=0.5)
    )
    entered(selector, utility)
    assert selector.answer_of(0) == "no, InRange(Transform, 4): 5 of 4"
    assert utility.answer_of(0) == "no, InRange(Transform, 4): 5 of 4"


def test_an_answer_is_no_part_of_what_an_action_remembers() -> None:
    compare = Compare(lambda: [15], [20], less="LESS", every_update=True)
    fsm = entered(compare)
    assert compare._answer_ == "[15] < [20]"
    assert repr(compare) == repr(Compare(compare.value, [20], less="LESS", every_update=True))
    assert "15" not in str(snapshot(fsm))
    assert deepcopy(fsm).states["A"].actions[0]._answer_ == "[15] < [20]"


def test_why_says_what_the_sender_of_an_event_was_answered() -> None:
    fsm = entered(SendEventWhen(InRange(HERE, at(5.0), 4.0), "NEAR"), Defer("GO", until=is_near))
    far = InRange(HERE, at(7.0), 4.0)
    fsm.states["A"].add_transition("NEAR", fsm.add_state("B"), when=far)
    assert why(fsm, "NEAR", None).reasons == (
        "Nothing: every guard for 'NEAR' refuses.",
        "The guard InRange(Transform, 4) refuses the way from 'A' to 'B': 7 of 4.",
        (
            "A.actions[0] (SendEventWhen) sends it; its last answer: "
            "no, InRange(Transform, 4): 5 of 4."
        ),
    )
    assert not any("sends it" in reason for reason in why(fsm, "GO").reasons)  # it only keeps it


def test_why_says_how_near_the_end_of_waiting_is() -> None:
    fsm = entered(WaitUntil(InRange(HERE, at(5.0), 4.0)))
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    assert why(fsm, FINISHED).reasons[1:] == (
        "Not finished yet: WaitUntil, until InRange(Transform, 4): 5 of 4.",
    )
