"""Cooldown: an event that passes only so often."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.cooldown import Cooldown
from fsmkit import FINISHED, Fsm
from fsmkit.testing import Probe, drive


def gun(cooldown: Cooldown) -> Fsm:
    """Aim (guarded) -> Shoot on FIRE, back on DONE."""
    fsm = Fsm("Gun", on_unhandled="raise")
    aim, shoot = fsm.add_state("Aim"), fsm.add_state("Shoot")
    aim.add_action(cooldown)
    aim.add_transition("FIRE", shoot)
    shoot.add_transition("DONE", aim)
    fsm.start()
    return fsm


def test_the_event_passes_and_is_then_swallowed_until_the_time_is_over() -> None:
    fsm = gun(Cooldown("FIRE", 1.0))
    assert drive(fsm, ["FIRE", "DONE", "FIRE", 0.75, "FIRE", 0.25, "FIRE"]) == [
        "event FIRE: changed",
        "Cooldown left",
        "leave Aim",
        "enter Shoot",
        "event DONE: changed",
        "leave Shoot",
        "enter Aim",
        "Cooldown finished",
        "Cooldown entered",
        "event FIRE: consumed",
        "update 0.75",
        "event FIRE: consumed",
        "update 0.25",
        "event FIRE: changed",
        "Cooldown left",
        "leave Aim",
        "enter Shoot",
    ]


def test_the_time_runs_on_in_other_states() -> None:
    fsm = gun(Cooldown("FIRE", 1.0))
    drive(fsm, ["FIRE", 1.0, "DONE", "FIRE"])
    assert fsm.current_state is fsm.states["Shoot"]


def test_what_is_swallowed_does_not_prolong_the_cooldown() -> None:
    cooldown = Cooldown("FIRE", 1.0)
    fsm = gun(cooldown)
    drive(fsm, ["FIRE", "DONE", 0.5, "FIRE"])
    assert cooldown.remaining == 0.5


def test_other_events_are_free() -> None:
    fsm = gun(Cooldown("FIRE", 1.0))
    fsm.states["Aim"].add_transition("DROP", fsm.add_state("Empty"))
    drive(fsm, ["FIRE", "DONE", "DROP"])
    assert fsm.current_state is fsm.states["Empty"]


def test_actions_after_it_see_only_what_passes() -> None:
    journal: list[str] = []
    fsm = gun(Cooldown("FIRE", 1.0))
    fsm.states["Aim"].add_action(Probe("trigger", journal, takes=["FIRE"]))
    fsm.start()
    drive(fsm, ["FIRE", "FIRE", 1.0, "FIRE"])
    assert [line for line in journal if "FIRE" in line] == ["trigger takes FIRE"] * 2


def test_it_does_not_keep_its_state_from_finishing() -> None:
    fsm = gun(Cooldown("FIRE", 1.0))
    fsm.states["Aim"].add_action(Probe("wait", [], on_update=Probe.finish))
    fsm.states["Aim"].add_transition(FINISHED, "Shoot")
    fsm.start()
    fsm.update(0.1)
    assert fsm.current_state is fsm.states["Shoot"]


def test_without_a_duration_everything_passes() -> None:
    cooldown = Cooldown("FIRE", 0.0)
    fsm = gun(cooldown)
    drive(fsm, ["FIRE", "DONE", "FIRE"])
    assert (fsm.current_state, cooldown.is_ready) == (fsm.states["Shoot"], True)


def test_the_duration_may_be_a_function_called_when_the_event_passes() -> None:
    seconds = [1.0, 2.0]
    cooldown = Cooldown("FIRE", lambda: seconds.pop(0))
    fsm = gun(cooldown)
    assert cooldown.is_ready
    drive(fsm, ["FIRE", "DONE"])
    assert cooldown.remaining == 1.0
    drive(fsm, [1.0, "FIRE"])
    assert cooldown.remaining == 2.0


@given(st.lists(st.integers(0, 30), max_size=30), st.integers(0, 40))
def test_no_two_pass_within_the_duration(frames: list[int], duration: int) -> None:
    cooldown = Cooldown("FIRE", duration / 10)
    fsm = gun(cooldown)
    passed: list[int] = []
    now = 0
    for frame in frames:
        if fsm.send_event("FIRE") and fsm.current_state is fsm.states["Shoot"]:
            passed.append(now)
            fsm.send_event("DONE")
        fsm.update(frame / 10)
        now += frame
    expected: list[int] = []
    for moment in [sum(frames[:index]) for index in range(len(frames))]:
        if not expected or moment - expected[-1] >= duration:
            expected.append(moment)
    assert passed == expected


@pytest.mark.parametrize("wrong", [-1.0, nan, inf])
def test_an_invalid_duration_is_refused(wrong: float) -> None:
    with pytest.raises(
        ValueError, match=r"duration of Cooldown\('FIRE', ...\) must be a finite number of seconds"
    ):
        Cooldown("FIRE", wrong)
    fsm = gun(Cooldown("FIRE", lambda: wrong))
    with pytest.raises(
        ValueError, match=r"duration of Cooldown\('FIRE', ...\) must be a finite number of seconds"
    ):
        fsm.send_event("FIRE")
