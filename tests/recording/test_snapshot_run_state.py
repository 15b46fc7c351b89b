"""The run of a machine, read out and put back."""

from typing import Any

import pytest

from actions import Sequence, TimedWait
from fsmkit import Fsm, FsmError
from fsmkit.introspection.run_state import (
    ActionState,
    RunState,
    check_run_state,
    read_run_state,
    write_run_state,
)
from fsmkit.introspection.walk import paths


def machine() -> Fsm:
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Sequence(TimedWait(1.0), TimedWait(2.0)))
    state.add_action(TimedWait(0.0))
    state.add_transition("GO", fsm.add_state("B"))
    return fsm


def test_a_new_machine_is_as_the_defaults_say() -> None:
    assert read_run_state(machine()) == RunState()


def test_all_that_a_machine_knows_is_read_and_put_back() -> None:
    fsm, other = machine(), machine()
    fsm.start()
    fsm.send_event("GO", 1)
    fsm.start()
    fsm.states["A"].actions[0].children[1].enabled = False
    fsm.update(0.5)
    fsm.send_event_after(1.0, "LATE", 2)
    fsm.post_event("POSTED", 3)
    run = read_run_state(fsm)
    assert run == RunState(
        state="A",
        previous_state="B",
        time=0.5,
        delta_time=0.5,
        entered=(0, 1),
        taking_part=2,
        finished=1,
        actions={
            "A": {
                "0/0": ActionState(under_way=True),
                "0/1": ActionState(enabled=False),
                "1": ActionState(finished=True),
            }
        },
        posted=(("POSTED", 3),),
        delayed=((1.5, "LATE", 2, False),),
    )
    write_run_state(other, run)
    assert read_run_state(other) == run
    write_run_state(other, RunState())
    assert read_run_state(other) == RunState()


def test_a_previous_state_that_was_removed_is_none() -> None:
    fsm = machine()
    fsm.start()
    fsm.send_event("GO")
    fsm.remove_state("A")
    assert read_run_state(fsm).previous_state is None


def test_places_name_actions_and_their_children() -> None:
    found = [(place, type(action).__name__) for place, action in paths(machine().states["A"])]
    assert found == [
        ("0", "Sequence"), ("0/0", "TimedWait"), ("0/1", "TimedWait"), ("1", "TimedWait"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ({"state": "C"}, "Fsm 'M' has no state 'C'"),
        ({"previous_state": "C"}, "Fsm 'M' has no state 'C'"),
        ({"actions": {"C": {}}}, "Fsm 'M' has no state 'C'"),
        ({"actions": {"A": {"0/2": ActionState()}}}, "state 'A' has no action at '0/2'"),
        ({"state": "A", "entered": (0, 2)}, "state 'A' has 2 actions"),
        ({"state": "A", "entered": (1, 0)}, "entered cannot be those at"),
        ({"entered": (0,)}, "entered cannot be those at"),
    ],
)
def test_what_does_not_fit_changes_nothing(run: dict[str, Any], reason: str) -> None:
    fsm = machine()
    with pytest.raises(FsmError, match=reason):
        check_run_state(fsm, RunState(**run))
    with pytest.raises(FsmError, match=reason):
        write_run_state(fsm, RunState(time=5.0, **run))
    assert read_run_state(fsm) == RunState()
