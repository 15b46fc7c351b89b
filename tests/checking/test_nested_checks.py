"""Machines that would run in two places, and ends that nobody expects."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from actions import Parallel, RunFsm, TimedWait
from actions import Sequence as InTurn
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmError, FsmGroup
from fsmkit.checking import Finding, Place, check


class Runs(FsmAction):
    """Runs machines that it declares only once it belongs to a state."""

    def __init__(self, *inner: Fsm[Any], outcomes: Mapping[str, str] | None = None) -> None:
        self.inner = inner
        self.outcomes = outcomes

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return () if self.state is None else self.inner


def fight() -> Fsm[Any]:
    """Fight -> Won, Lost or Fled, which are final."""
    fsm = Fsm("Fight")
    fighting = fsm.add_state("Fighting")
    for name, event in (("Won", "WIN"), ("Lost", "LOSE"), ("Fled", "FLEE")):
        fighting.add_transition(event, fsm.add_state(name, final=True))
    return fsm


def hero(*actions: FsmAction) -> Fsm[Any]:
    """Combat, with the actions, <-> Rest on WON, LOST and GO."""
    fsm = Fsm("Hero")
    combat, rest = fsm.add_state("Combat"), fsm.add_state("Rest")
    for event in ("WON", "LOST"):
        combat.add_transition(event, rest)
    rest.add_transition("GO", combat)
    for action in actions:
        combat.add_action(action)
    return fsm


def found(fsm: Fsm[Any] | FsmGroup, *codes: str) -> list[tuple[str, str]]:
    return [
        (str(finding.place), finding.message) for finding in check(fsm) if finding.code in codes
    ]


# In two places


def test_a_machine_that_two_actions_of_a_state_run_is_an_error() -> None:
    inner = fight()
    fsm = hero(RunFsm(inner), RunFsm(inner))
    assert check(fsm) == [
        Finding(
            "runs-twice",
            "error",
            Place("Hero", "Combat", "actions[1] (RunFsm)"),
            "'Fight' already runs in actions[0] (RunFsm).",
            "A machine runs in one place at a time: build a second one by the same function.",
        )
    ]
    with pytest.raises(FsmError, match="runs in one place at a time"):
        fsm.start()


def test_one_after_the_other_or_in_two_states_is_fine() -> None:
    inner = fight()
    fsm = hero(InTurn(RunFsm(inner), TimedWait(1.0), RunFsm(inner)))
    fsm.states["Rest"].add_action(RunFsm(inner))
    assert found(fsm, "runs-twice") == []


def test_a_disabled_action_runs_nothing() -> None:
    inner = fight()
    second = RunFsm(inner)
    second.enabled = False
    assert found(hero(RunFsm(inner), second), "runs-twice") == []


def test_a_machine_inside_two_compositions_is_found() -> None:
    inner = fight()
    fsm = hero(Parallel(RunFsm(inner), TimedWait(1.0)), RunFsm(inner))
    assert found(fsm, "runs-twice") == [
        (
            "Fsm 'Hero', state 'Combat', actions[1] (RunFsm)",
            "'Fight' already runs in actions[0] (Parallel).",
        )
    ]


def test_a_state_that_interrupts_cannot_run_the_machine_of_the_suspended_one() -> None:
    inner = fight()
    fsm = hero(RunFsm(inner))
    menu, replay = fsm.add_state("Menu"), fsm.add_state("Replay")
    fsm.states["Combat"].add_transition("PAUSE", menu, suspend=True)
    menu.add_transition("REPLAY", replay, suspend=True)
    menu.add_transition("RESUME", BACK)
    replay.add_transition("DONE", BACK)
    replay.add_action(RunFsm(inner))
    assert found(fsm, "runs-twice") == [
        (
            "Fsm 'Hero', state 'Replay', actions[0] (RunFsm)",
            "'Fight' already runs in the state 'Combat', which is suspended meanwhile.",
        )
    ]
    fsm.start()
    fsm.send_event("PAUSE")
    with pytest.raises(FsmError, match="runs in one place at a time"):
        fsm.send_event("REPLAY")


def test_a_member_of_a_group_cannot_be_nested_as_well() -> None:
    inner = fight()
    group = FsmGroup([hero(RunFsm(inner)), inner])
    assert found(group, "runs-twice") == [
        (
            "Fsm 'Hero/Fight'",
            "The machine is a member of the group, which updates it, and nested in 'Hero' too.",
        )
    ]


def test_a_machine_inside_itself_is_an_error() -> None:
    fsm, other = hero(), hero()
    fsm.states["Combat"].add_action(RunFsm(other))
    other.states["Rest"].add_action(Runs(fsm))
    assert [(finding.code, str(finding.place)) for finding in check(fsm)] == [
        ("runs-itself", "Fsm 'Hero', state 'Combat', actions[0] (RunFsm)"),
        ("runs-itself", "Fsm 'Hero/Hero', state 'Rest', actions[0] (Runs)"),
    ]


# Ends that nobody expects


def outcomes_of(action: FsmAction, *codes: str) -> list[tuple[str, str]]:
    return found(hero(action), *(codes or ("missing-outcome", "unknown-outcome")))


def test_a_final_state_without_an_outcome_is_reported_if_nothing_happens_then() -> None:
    fsm = hero(Runs(fight(), outcomes={"Won": "WON", "Lost": "LOST"}))
    assert [finding for finding in check(fsm) if finding.code == "missing-outcome"] == [
        Finding(
            "missing-outcome",
            "warning",
            Place("Hero", "Combat", "actions[0] (Runs)"),
            "'Fight' may end in 'Fled', which the outcomes do not name: nothing happens then.",
            "Name it in the outcomes, or add a transition for 'FINISHED', which is taken then.",
        )
    ]


def test_outcomes_that_name_every_end_or_none_are_fine() -> None:
    every = {"Won": "WON", "Lost": "LOST", "Fled": "LOST"}
    for outcomes in (every, {}, None):
        assert outcomes_of(Runs(fight(), outcomes=outcomes)) == []


def test_an_end_that_something_follows_needs_no_outcome() -> None:
    fsm = hero(Runs(fight(), outcomes={"Won": "WON"}))
    fsm.states["Combat"].add_transition(FINISHED, "Rest")
    assert found(fsm, "missing-outcome") == []
    assert outcomes_of(InTurn(Runs(fight(), outcomes={"Won": "WON"}), TimedWait(1.0))) == []


def test_in_the_background_no_finished_follows() -> None:
    class Aside(Runs):
        background = True

    fsm = hero(Aside(fight(), outcomes={"Won": "WON"}))
    fsm.states["Combat"].add_transition(FINISHED, "Rest")
    assert [message[:31] for _, message in found(fsm, "missing-outcome")] == [
        "'Fight' may end in 'Lost' or 'F"
    ]


def test_an_outcome_of_a_state_that_is_not_final_is_an_error() -> None:
    every = {"Won": "WON", "Lost": "LOST", "Fled": "LOST", "Fighting": "WON", "Wun": "WON"}
    fsm = hero(Runs(fight(), outcomes=every))
    assert [finding for finding in check(fsm) if finding.code == "unknown-outcome"] == [
        Finding(
            "unknown-outcome",
            "error",
            Place("Hero", "Combat", "actions[0] (Runs)"),
            "The outcomes name 'Fighting' or 'Wun', which is not a final state of 'Fight'.",
            "Its final states are: 'Won', 'Lost', 'Fled'. Correct the name, or mark the state: "
            "add_state(..., final=True).",
        )
    ]


def test_the_same_is_found_for_a_run_fsm() -> None:
    inner = fight()
    fsm = hero(RunFsm(inner, {"Won": "WON", "Lost": "LOST"}))
    assert [finding.code for finding in check(fsm)] == ["missing-outcome"]
    inner.states["Lost"].final = False
    assert [finding.code for finding in check(fsm)][:1] == ["unknown-outcome"]
