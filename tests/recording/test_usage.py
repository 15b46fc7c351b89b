"""Usage: what machines did, summed over runs."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmError, FsmGroup
from fsmkit.recording import (
    History,
    Recording,
    Sending,
    StateName,
    Usage,
    Way,
    usage_of,
)
from fsmkit.testing import drive


def guard() -> Fsm[Any]:
    """Patrols for a second, rests for two; may be hit, and killed from anywhere."""
    fsm = Fsm("Guard", on_unhandled="ignore")
    patrol, rest, stunned = map(fsm.add_state, ("Patrol", "Rest", "Stunned"))
    patrol.add_action(TimedWait(1.0))
    patrol.add_transition(FINISHED, rest)
    patrol.add_transition("HIT", stunned, suspend=True)
    rest.add_action(TimedWait(2.0))
    rest.add_transition(FINISHED, patrol)
    rest.add_transition("AGAIN", rest)
    rest.add_transition("BLOCKED", patrol, when=lambda: False)
    stunned.add_transition("UP", BACK)
    fsm.add_global_transition("KILLED", fsm.add_state("Dead", final=True))
    return fsm


STORY = [0.5, "HIT", 4.0, "UP", 0.5, 0.5, "AGAIN", "BLOCKED", "NOISE", "KILLED", "KILLED", 1.0]


def told(**observers: Any) -> list[Usage]:
    fsm = guard()
    watching = [make(fsm) for make in observers.values()]
    fsm.start()
    drive(fsm, STORY)
    return [usage_of(each.chronicle()) for each in watching]


def guards_usage() -> Usage:
    return told(by=History)[0]


def named(numbers: dict[tuple[str, str], float]) -> dict[StateName, float]:
    return {StateName(*key): number for key, number in numbers.items()}


def test_it_says_how_long_states_lasted_and_how_often_they_were_entered() -> None:
    usage = guards_usage()
    assert usage.seconds == named({
        ("Guard", "Patrol"): 1.0, ("Guard", "Stunned"): 4.0, ("Guard", "Rest"): 0.5,
        ("Guard", "Dead"): 1.0,
    })  # fmt: skip
    assert usage.entered == named({
        ("Guard", "Patrol"): 1, ("Guard", "Stunned"): 1, ("Guard", "Rest"): 2, ("Guard", "Dead"): 1,
    })  # fmt: skip


def test_it_says_which_transitions_were_taken() -> None:
    assert guards_usage().taken == {
        Way("Guard", "Patrol", "HIT", "Stunned"): 1,
        Way("Guard", "Stunned", "UP", None): 1,
        Way("Guard", "Patrol", FINISHED, "Rest"): 1,
        Way("Guard", "Rest", "AGAIN", "Rest"): 1,
        Way("Guard", "Rest", "KILLED", "Dead"): 1,
    }


def test_it_says_who_sent_each_event_and_its_outcome() -> None:
    assert guards_usage().sent == {
        Sending("Guard", "Patrol", "HIT", "changed", ""): 1,
        Sending("Guard", "Stunned", "UP", "changed", ""): 1,
        Sending("Guard", "Patrol", FINISHED, "changed", "Patrol.actions[0] (TimedWait)"): 1,
        Sending("Guard", "Rest", "AGAIN", "changed", ""): 1,
        Sending("Guard", "Rest", "BLOCKED", "refused", ""): 1,
        Sending("Guard", "Rest", "NOISE", "ignored", ""): 1,
        Sending("Guard", "Rest", "KILLED", "changed", ""): 1,
        Sending("Guard", "Dead", "KILLED", "ignored", ""): 1,
    }


def test_a_recording_and_a_history_agree() -> None:
    one, other = told(a=History, b=Recording)
    assert one == other


def test_an_event_that_waited_counts_once() -> None:
    fsm = Fsm("Door")
    closed, opened, locked = map(fsm.add_state, ("Closed", "Open", "Locked"))
    closed.add_transition("OPEN", opened)
    opened.add_transition("LOCK", locked)
    both = DelegateAction(lambda state: [state.fsm.send_event(name) for name in ("OPEN", "LOCK")])
    closed.add_action(both)
    history = History(fsm)
    fsm.start()
    sender = "Closed.actions[0] (DelegateAction)"
    assert {each.outcome for each in history.events} == {"queued", "changed"}
    assert usage_of(history.chronicle()).sent == {
        Sending("Door", "Closed", "OPEN", "changed", sender): 1,
        Sending("Door", "Open", "LOCK", "changed", sender): 1,
    }


def test_machines_inside_machines_and_namesakes_are_told_apart() -> None:
    outer = Fsm("Outer")
    outer.add_state("Run").add_action(RunFsm(guard()))
    group = FsmGroup([outer, guard()])
    history = History(group)
    for fsm in group:
        fsm.start()
    group.update(0.25)
    usage = usage_of(history.chronicle())
    assert usage.machines == ("Guard", "Outer", "Outer/Guard")
    assert usage.entered == named(
        {("Outer", "Run"): 1, ("Outer/Guard", "Patrol"): 1, ("Guard", "Patrol"): 1}
    )


def test_neither_a_start_nor_what_came_before_the_history_is_a_transition() -> None:
    fsm = guard()
    fsm.start()
    fsm.send_event("KILLED")
    history = History(fsm)
    fsm.start()
    assert usage_of(history.chronicle()).taken == {}


def test_usages_are_added() -> None:
    usage = guards_usage()
    doubled = usage + usage
    assert sum([usage, usage], Usage()) == doubled
    assert (usage.runs, doubled.runs, Usage().runs) == (1, 2, 0)
    assert doubled.entered == {name: 2 * count for name, count in usage.entered.items()}
    assert doubled.taken == {way: 2 * count for way, count in usage.taken.items()}
    assert doubled.seconds == {name: 2 * seconds for name, seconds in usage.seconds.items()}
    with pytest.raises(TypeError):
        usage + 1  # type: ignore[operator]


names = st.text(max_size=3)
counts = st.integers(0, 5)
usages = st.builds(
    Usage,
    st.dictionaries(st.builds(StateName, names, names), st.floats(0.0, 1e6)),
    st.dictionaries(st.builds(StateName, names, names), counts),
    st.dictionaries(st.builds(Way, names, names, names, st.none() | names), counts),
    st.dictionaries(st.builds(Sending, names, names, names, names, names), counts),
    counts,
)


@pytest.mark.slow
@given(usages)
def test_it_becomes_json_and_back(usage: Usage) -> None:
    assert Usage.from_json(json.loads(json.dumps(usage.to_json()))) == usage


@pytest.mark.slow
@given(usages, usages)
def test_the_json_depends_on_no_order(one: Usage, other: Usage) -> None:
    assert json.dumps((one + other).to_json()) == json.dumps((other + one).to_json())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (7, r"data must be the result of Usage.to_json\(\), got 7"),
        ({"format": "x" * 300}, r"got \{'format': 'x+\.\.\."),
        ({**Usage().to_json(), "version": 9}, "version 9; this fsmkit reads version 1"),
        ({**Usage().to_json(), "taken": [["A", 1]]}, "The usage is damaged"),
        ({**Usage().to_json(), "entered": [["A", None, 1]]}, "expected names"),
        ({"format": "fsmkit usage", "version": 1}, "damaged: KeyError"),
    ],
)
def test_what_is_not_a_usage_is_refused(data: Any, message: str) -> None:
    with pytest.raises(FsmError, match=message):
        Usage.from_json(data)


def test_what_is_not_a_chronicle_is_refused() -> None:
    with pytest.raises(TypeError, match="Pass what its chronicle\\(\\) returns"):
        usage_of(History(guard()))  # type: ignore[arg-type]


def test_the_machines_of_a_group_run_at_the_same_time() -> None:
    group = FsmGroup(Fsm(name) for name in ("Ann", "Bob", "Cid"))
    history = History(group)
    for fsm in group:
        fsm.add_state("Only")
        fsm.start()
    for _ in range(40):
        group.update(1.0)
    usage = usage_of(history.chronicle())
    assert (usage.time, sum(usage.seconds.values())) == (40.0, 120.0)
    assert (usage + usage).time == 80.0
    assert Usage.from_json(usage.to_json()) == usage
    old = usage.to_json()
    del old["time"]  # as it was written before 0.3
    assert Usage.from_json(old) == usage
