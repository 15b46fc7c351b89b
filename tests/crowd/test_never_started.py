"""Crowds whose agents nobody has started."""

from __future__ import annotations

import logging

import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdError, CrowdFsm
from fsmkit.crowd.library import MoveConstantly, SendRandomEvent

ADVICE = "Make it with Crowd(..., start='Patrol'), or call start()."


@define
class Npc:
    x: float = 0.0


def crowd_of(size: int) -> Crowd:
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Patrol").add_action(MoveConstantly("x", 1.0))
    return Crowd(machine, size, engine="python")


def test_an_update_of_agents_that_were_never_started_warns_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    crowd = crowd_of(2)
    crowd.update(1.0)
    crowd.update(1.0)
    assert [record.getMessage() for record in caplog.records] == [
        "No agent of <Crowd of 2 agents of 'Npc'> was started. An update does nothing. " + ADVICE
    ]
    assert caplog.records[0].levelno == logging.WARNING


def test_one_running_agent_is_enough(caplog: pytest.LogCaptureFixture) -> None:
    crowd = crowd_of(2)
    crowd.start(where=[1])
    crowd.update(1.0)
    crowd.remove([1])
    crowd.update(1.0)
    assert crowd["x"].tolist() == [0.0]
    assert not caplog.records


def test_a_crowd_without_agents_is_no_mistake(caplog: pytest.LogCaptureFixture) -> None:
    crowd = crowd_of(1)
    crowd.start()
    crowd.remove([0])
    crowd.update(1.0)
    crowd_of(0).update(1.0)
    assert not caplog.records


def test_agents_that_are_added_later_and_not_started_are_warned_about(
    caplog: pytest.LogCaptureFixture,
) -> None:
    crowd = crowd_of(0)
    crowd.update(1.0)
    crowd.add(1)
    crowd.update(1.0)
    assert len(caplog.records) == 1


def compiled_crowd() -> Crowd:
    machine = CrowdFsm("Npc", Npc)
    patrol, rest = machine.add_state("Patrol"), machine.add_state("Rest")
    patrol.add_action(SendRandomEvent({"STAY": 1.0, "GO": 1.0}))
    patrol.add_transition("GO", rest)
    patrol.add_transition("STAY", rest)
    return Crowd(machine, 4)


def test_a_sweep_of_agents_that_were_never_started_is_refused() -> None:
    crowd = compiled_crowd()
    with pytest.raises(CrowdError) as caught:
        crowd.sweep({"x": [1.0]}, dt=1.0, steps=1, processes=1)
    assert str(caught.value) == (
        "No agent of <Crowd of 4 agents of 'Npc'> was started. Nothing would happen in a sweep. "
        + ADVICE
    )


@pytest.mark.slow
def test_a_sweep_may_start_them() -> None:
    study = compiled_crowd().sweep(
        {"Patrol.below_0": [0.0, 1.0]}, start="Patrol", dt=1.0, steps=0, processes=1
    )
    assert study["count(Rest)"].tolist() == [4, 4]


@pytest.mark.parametrize("share", [7.0, -0.5])
def test_an_invalid_share_is_refused(share: float) -> None:
    with pytest.raises(CrowdError) as caught:
        compiled_crowd().sweep({"Patrol.below_0": [share]}, start="Patrol", dt=1.0, steps=1)
    assert str(caught.value) == (
        f"The values of 'Patrol.below_0' must be shares, from 0 to 1, got {share}."
    )
