"""Regions: machines side by side, which all get the events."""

from typing import Any

import pytest

from actions import DelegateAction, Regions, RunFsm, TimedWait
from fsmkit import ERROR, FINISHED, Fsm
from fsmkit.testing import Probe


def machine(name: str, journal: list[str], *events: str) -> Fsm:
    """A machine that goes through the events and ends."""
    fsm = Fsm(name, on_unhandled="raise")
    states = [fsm.add_state(str(i), final=i == len(events)) for i in range(len(events) + 1)]
    for state, event, following in zip(states, events, states[1:], strict=False):
        state.add_transition(event, following)
    for state in states:
        state.add_action(Probe(f"{name}{state.name}", journal))
    return fsm


def outer(action: Any) -> Fsm:
    """Work (with the action) -> Done on FINISHED, -> Break on BREAK."""
    fsm = Fsm("Outer", on_unhandled="ignore")
    work, done, rest = fsm.add_state("Work"), fsm.add_state("Done"), fsm.add_state("Break")
    work.add_transition(FINISHED, done)
    work.add_transition("BREAK", rest)
    work.add_action(action)
    fsm.start()
    return fsm


def test_an_event_goes_to_every_region_in_order() -> None:
    journal: list[str] = []
    fsm = outer(Regions(*(RunFsm(machine(name, journal, "NEXT", "END")) for name in "abc")))
    journal.clear()
    assert fsm.send_event("NEXT")
    assert journal == [
        "exit a0", "enter a1", "exit b0", "enter b1", "exit c0", "enter c1",
    ]  # fmt: skip


def test_an_event_is_taken_if_one_region_took_it() -> None:
    fsm = outer(Regions(RunFsm(machine("a", [], "X")), RunFsm(machine("b", [], "NEXT", "END"))))
    assert fsm.send_event("NEXT")
    assert not fsm.send_event("NOBODY")
    assert fsm.current_state.name == "Work"


def test_what_no_region_takes_goes_on_to_the_outer_machine() -> None:
    fsm = outer(Regions(RunFsm(machine("a", [], "X")), RunFsm(machine("b", [], "X"))))
    assert fsm.send_event("BREAK")
    assert fsm.current_state.name == "Break"


def test_after_a_change_of_the_outer_state_the_later_regions_are_not_asked() -> None:
    journal: list[str] = []
    first = machine("a", journal, "NEXT", "END")
    fsm = outer(Regions(RunFsm(first), RunFsm(machine("b", journal, "NEXT", "END"))))
    first.states["1"].add_action(DelegateAction(lambda _: fsm.send_event("BREAK")))
    assert fsm.send_event("NEXT")
    assert fsm.current_state.name == "Break"
    assert journal == ["enter a0", "enter b0", "exit a0", "enter a1", "exit a1", "exit b0"]


def test_it_finishes_when_every_machine_has_ended() -> None:
    fsm = outer(Regions(RunFsm(machine("a", [], "X")), RunFsm(machine("b", [], "Y"))))
    fsm.send_event("X")
    assert fsm.current_state.name == "Work"
    fsm.send_event("Y")
    assert fsm.current_state.name == "Done"


def test_it_finishes_when_as_many_as_are_needed_have_ended() -> None:
    journal: list[str] = []
    regions = (RunFsm(machine(n, journal, e)) for n, e in (("a", "X"), ("b", "Y"), ("c", "Z")))
    fsm = outer(Regions(*regions, needed=2))
    fsm.send_event("Z")
    assert fsm.current_state.name == "Work"
    fsm.send_event("X")
    assert fsm.current_state.name == "Done"
    assert journal[-3:] == ["exit a1", "exit b0", "exit c1"]


def test_a_region_that_has_ended_gets_no_more_events() -> None:
    ended = machine("a", [], "X", "X")
    fsm = outer(Regions(RunFsm(ended), RunFsm(machine("b", [], "Y"))))
    for _ in range(2):
        fsm.send_event("X")
    assert not fsm.send_event("X")


def test_the_machines_are_updated_and_stopped_with_the_state() -> None:
    journal: list[str] = []
    fsm = outer(Regions(*(RunFsm(machine(name, journal, "X")) for name in "ab")))
    fsm.update(0.5)
    fsm.stop()
    assert journal == ["enter a0", "enter b0", "update a0", "update b0", "exit a0", "exit b0"]


@pytest.mark.parametrize("event", [FINISHED, ERROR])
def test_what_belongs_to_each_machine_alone_is_not_handed_down(event: str) -> None:
    journal: list[str] = []
    inner = machine("a", journal, event)
    inner.states["0"].add_action(Probe("goes on", journal))
    fsm = outer(Regions(RunFsm(inner)))
    fsm.send_event(event)
    assert "enter a1" not in journal


def test_a_disabled_region_takes_no_part() -> None:
    journal: list[str] = []
    regions = Regions(*(RunFsm(machine(name, journal, "X")) for name in "ab"))
    regions.actions[0].enabled = False
    fsm = outer(regions)
    fsm.send_event("X")
    assert journal == ["enter b0", "exit b0", "enter b1", "exit b1"]
    assert fsm.current_state.name == "Done"


@pytest.mark.parametrize("wrong", [TimedWait(1), Fsm("M"), None, [RunFsm(Fsm("M"))]])
def test_only_machines_that_are_run_can_be_regions(wrong: Any) -> None:
    with pytest.raises(TypeError, match="Regions: each region must be an instance of RunFsm, got"):
        Regions(RunFsm(Fsm("Inner")), wrong)


def test_no_more_can_be_needed_than_there_are() -> None:
    with pytest.raises(ValueError, match="Regions: needed must be an integer from 1 to 1, got"):
        Regions(RunFsm(Fsm("Inner")), needed=2)
