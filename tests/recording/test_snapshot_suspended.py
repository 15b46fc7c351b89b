"""Suspended states in a save game: the whole stack continues where it was."""

from typing import Any

import pytest

from actions import RunFsm, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmError
from fsmkit.introspection.run_state import (
    ActionState,
    RunState,
    SuspendedState,
    read_run_state,
    write_run_state,
)
from fsmkit.recording import SnapshotError, SnapshotMismatchError, restore, snapshot
from fsmkit.testing import drive


def inner() -> Fsm:
    fsm = Fsm("Swing")
    raised, down = fsm.add_state("Raised"), fsm.add_state("Down")
    raised.add_action(TimedWait(1.0))
    raised.add_transition(FINISHED, down)
    return fsm


def knight() -> Fsm:
    fsm = Fsm("Knight", on_unhandled="ignore")
    fight, stunned, paused = map(fsm.add_state, ("Fight", "Stunned", "Paused"))
    fight.add_action(TimedWait(0.2))
    fight.add_action(Sequence(TimedWait(0.5), TimedWait(2.0)))
    fight.add_action(RunFsm(inner()))
    fight.add_action(TimedWait(9.0))
    stunned.add_action(TimedWait(1.0))
    fight.add_transition("HIT", stunned, suspend=True)
    fight.add_transition("TIRED", paused)
    stunned.add_transition("PAUSE", paused, suspend=True)
    stunned.add_transition(FINISHED, BACK)
    paused.add_transition("PAUSE", BACK)
    fsm.add_global_transition("HOME", "Paused")
    return fsm


def interrupted() -> Fsm:
    """A knight who is stunned in the middle of a fight, and paused while he is stunned."""
    fsm = knight()
    fsm.start()
    fsm.send_event_after(3.0, "TIRED", "so tired")
    drive(fsm, [0.75, ("HIT", 7), 0.25, ("PAUSE", [1, 2]), 5.0])
    return fsm


ALL_THE_WAY = [0.5, "PAUSE", 0.5, 0.25, 0.25, 1.0, 1.0, 1.0]


def test_the_run_of_a_machine_holds_what_is_suspended() -> None:
    fsm, other = interrupted(), knight()
    run = read_run_state(fsm)
    assert run.suspended == (
        SuspendedState(
            state="Fight",
            passed=0.75,
            entered=(0, 1, 2, 3),
            taking_part=4,
            finished=1,
            delayed=((2.25, "TIRED", "so tired", False),),
        ),
        SuspendedState(
            state="Stunned", passed=0.25, last_event="HIT", event_data=7, entered=(0,),
            taking_part=1,
        ),
    )  # fmt: skip
    assert run.actions["Fight"] == {
        "0": ActionState(finished=True),
        "1/1": ActionState(under_way=True),
    }
    write_run_state(other, run)
    assert read_run_state(other) == run
    write_run_state(other, RunState())
    assert read_run_state(other) == RunState()


@pytest.mark.parametrize("script", [ALL_THE_WAY, ["HOME", 4.0], [0.1, "PAUSE", 0.1, "HOME"]])
def test_a_restored_machine_comes_back_to_what_was_suspended(script: list[Any]) -> None:
    fsm, other = interrupted(), knight()
    restore(other, snapshot(fsm))
    assert [state.name for state in other.suspended] == ["Fight", "Stunned"]
    journal = drive(fsm, script)
    assert drive(other, script) == journal
    assert snapshot(other) == snapshot(fsm)


def test_a_machine_with_nothing_suspended_is_saved_as_before() -> None:
    fsm = knight()
    fsm.start()
    assert all("suspended" not in machine for machine in snapshot(fsm)["machines"])


def test_the_saved_form_leaves_out_what_is_zero() -> None:
    (knights, _) = snapshot(interrupted())["machines"]
    assert knights["suspended"][1] == {
        "state": "Stunned", "passed": 0.25, "last_event": "HIT", "event_data": 7, "entered": [0],
        "taking_part": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("Fight", "'suspended' is 'Fight'"),
        (["Fight"], "'Fight' is not a mapping"),
        ([{"passed": 1.0}], "missing 1 required"),
        ([{"state": "Fight", "passed": True}], "'passed' must be a finite number, got True"),
        ([{"state": "Fight", "entered": [9]}], "the action at '9' was none and is none"),
        ([{"state": "Swim"}], "there is no state 'Swim'"),
        ([{"state": "Paused"}], "must be different ones beside the current state 'Paused'"),
        ([{"state": "Fight"}, {"state": "Fight"}], "must be different ones"),
        ([{"state": "Fight", "entered": [1, 0]}], "entered cannot be those at"),
    ],
)
def test_damage_is_found_before_anything_changes(damage: Any, reason: str) -> None:
    data = snapshot(interrupted())
    data["machines"][0]["suspended"] = damage
    del data["checksum"]
    fsm = knight()
    before = read_run_state(fsm)
    with pytest.raises(SnapshotError, match=reason):
        restore(fsm, data)
    assert read_run_state(fsm) == before


def test_nothing_is_suspended_in_a_machine_that_does_not_run() -> None:
    with pytest.raises(FsmError, match="beside the current state None"):
        write_run_state(knight(), RunState(suspended=(SuspendedState(state="Fight"),)))


def test_what_changed_in_a_suspended_state_does_not_fit() -> None:
    data = snapshot(interrupted())
    fsm = knight()
    fsm.states["Fight"].remove_action(fsm.states["Fight"].actions[3])
    with pytest.raises(SnapshotMismatchError, match="the action at '3' was TimedWait and is none"):
        restore(fsm, data, migrate=lambda data: data)


# Where nested machines run


def nested(fsm: Fsm) -> Fsm:
    (machine,) = fsm.states["Fight"].actions[2].machines
    return machine


def test_a_nested_machine_runs_where_it_ran() -> None:
    fsm, other = knight(), knight()
    fsm.start()
    restore(other, snapshot(fsm))
    assert nested(other).host is other.states["Fight"].actions[2]
    assert other.path == ("Fight", "Raised")
    other.send_event("HOME")
    assert nested(other).host is None
    assert not nested(other).is_running


def test_a_machine_nested_in_a_suspended_state_runs_there() -> None:
    other = knight()
    restore(other, snapshot(interrupted()))
    assert nested(other).host is other.states["Fight"].actions[2]
    other.stop()
    assert nested(other).host is None


def test_a_machine_that_was_nested_runs_nowhere_once_that_is_undone() -> None:
    fsm = knight()
    fsm.start("Stunned")
    saved = snapshot(fsm)
    fsm.start("Fight")
    restore(fsm, saved)
    assert nested(fsm).host is None
    fsm.start("Fight")
    assert nested(fsm).host is fsm.states["Fight"].actions[2]


def test_a_child_of_another_action_is_the_host_itself() -> None:
    def build() -> Fsm:
        fsm = Fsm("M")
        fsm.add_state("A").add_action(Sequence(TimedWait(0.5), RunFsm(inner())))
        return fsm

    fsm, other = build(), build()
    for seconds in (0.25, 0.5):
        fsm.start()
        fsm.update(seconds)
        restore(other, snapshot(fsm))
        child = other.states["A"].actions[0].children[1]
        assert child.machines[0].host is (child if seconds == 0.5 else None)


def test_a_machine_restored_by_itself_stays_in_its_host() -> None:
    fsm = knight()
    fsm.start()
    swing = nested(fsm)
    restore(swing, snapshot(swing))
    assert swing.host is fsm.states["Fight"].actions[2]


# Handles of delayed events


def delaying() -> Fsm:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("PAUSE", b, suspend=True)
    b.add_transition("PAUSE", BACK)
    b.add_transition("BOOM", a)
    fsm.start()
    return fsm


@pytest.mark.parametrize(
    ("before", "after"),
    [([], [0.5]), (["PAUSE"], [0.5]), ([], [0.5, "PAUSE", 0.5]), ([0.5, "PAUSE"], ["PAUSE", 0.5])],
)
def test_a_handle_cancels_its_event_after_a_restore(before: list[Any], after: list[Any]) -> None:
    fsm = delaying()
    early, late = fsm.send_event_after(5.0, "BOOM"), fsm.send_event_after(9.0, "BOOM")
    drive(fsm, before)
    saved = snapshot(fsm)
    drive(fsm, after)
    restore(fsm, saved)
    assert (early.pending, late.pending) == (True, True)
    late.cancel()
    assert snapshot(fsm) != saved
    if before:
        fsm.send_event("PAUSE")
    drive(fsm, [6.0])
    assert (early.pending, late.pending) == (False, False)


def test_a_handle_of_an_event_that_is_not_restored_is_no_longer_pending() -> None:
    fsm = delaying()
    saved = snapshot(fsm)
    gone = fsm.send_event_after(5.0, "BOOM")
    fsm.send_event("PAUSE")
    assert gone.pending
    restore(fsm, saved)
    assert not gone.pending


# What an error has left


class Fail(FsmAction):
    def on_enter(self) -> None:
        self.fsm.send_event("GO")
        self.fsm.send_event("LEFT")

    def on_exit(self) -> None:
        raise RuntimeError


def failing() -> Fsm:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = map(fsm.add_state, "ABC")
    a.add_action(Fail())
    a.add_transition("GO", b)
    b.add_transition("LEFT", c)
    b.add_transition("NEXT", a)
    return fsm


@pytest.mark.parametrize("watched", [False, True])
def test_what_an_error_has_left_comes_first_after_a_restore(watched: bool) -> None:
    fsm, other = failing(), failing()
    with pytest.raises(RuntimeError):
        fsm.start()
    if watched:
        drive(other, [])
    restore(other, snapshot(fsm))
    assert not other.send_event("NEXT")
    assert other.current_state is other.states["C"]
