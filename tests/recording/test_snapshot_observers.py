"""Observers of a restore: notified once all is in its place, and still attached."""

from typing import Any

import pytest

from actions import RunFsm
from fsmkit import BACK, Fsm, FsmError, FsmGroup
from fsmkit.observer import Observer
from fsmkit.recording import History, restore, snapshot
from fsmkit.testing import Recorder


def lamp(name: str = "Lamp") -> Fsm:
    fsm = Fsm(name, on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", off)
    on.add_transition("FLICKER", fsm.add_state("Dark"), suspend=True)
    fsm.states["Dark"].add_transition("LIGHT", BACK)
    return fsm


def room() -> tuple[Fsm, Fsm]:
    outer, inner = Fsm("Room"), lamp()
    outer.add_state("Evening").add_action(RunFsm(inner))
    return outer, inner


class Told(Observer):
    """Notes where each machine is when it is notified."""

    def __init__(self) -> None:
        self.journal: list[Any] = []

    def restored(self, fsm: Fsm, time: float) -> None:
        self.journal.append((fsm.name, time, fsm.current_state and fsm.current_state.name))


def test_observers_are_notified_once_every_machine_is_in_its_place() -> None:
    (fsm, inner), (other, other_inner), told = room(), room(), Told()
    fsm.start()
    inner.send_event("PRESSED")
    fsm.update(2.0)
    for machine in (other, other_inner):
        machine.observe(told)
    other.start()
    other.update(7.0)
    restore(other, snapshot(fsm))
    assert told.journal == [("Room", 7.0, "Evening"), ("Lamp", 7.0, "On")]


def test_observers_are_not_notified_of_what_is_refused() -> None:
    fsm, told = lamp(), Told()
    fsm.observe(told)
    with pytest.raises(FsmError):
        restore(fsm, snapshot(room()[0]))
    assert told.journal == []


def test_observers_only_watch_a_restore_and_their_errors_come_after_it() -> None:
    class Meddler(Observer):
        def restored(self, fsm: Fsm, time: float) -> None:
            fsm.send_event("PRESSED")

    group, told = FsmGroup([lamp("A"), lamp("B")]), Told()
    data = snapshot(group)
    for machine in group:
        machine.observe(Meddler())
        machine.observe(told)
        machine.start()
    with pytest.raises(BaseExceptionGroup, match="several observers") as caught:
        restore(group, data)
    assert "observer" in str(caught.value.exceptions[0])
    assert told.journal == [("A", 0.0, None), ("B", 0.0, None)]
    assert snapshot(group) == data


def visits(history: History) -> list[tuple[Any, ...]]:
    return [
        (visit.machine, visit.state, visit.start, visit.end, visit.event, *visit.suspended)
        for visit in history.visits
    ]


def test_a_history_ends_the_visit_and_continues_in_the_restored_one() -> None:
    fsm = lamp()
    history = History(fsm)
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("PRESSED")
    data = snapshot(fsm)
    fsm.update(2.0)
    fsm.send_event("PRESSED")
    fsm.update(3.0)
    restore(fsm, data)
    fsm.update(4.0)
    fsm.send_event("PRESSED")
    assert visits(history) == [
        ("Lamp", "Off", 0.0, 1.0, None),
        ("Lamp", "On", 1.0, 3.0, "PRESSED"),
        ("Lamp", "Off", 3.0, 6.0, "PRESSED"),
        ("Lamp", "On", 6.0, 10.0, "PRESSED"),
        ("Lamp", "Off", 10.0, None, "PRESSED"),
    ]
    assert [event.time for event in history.events] == [1.0, 3.0, 10.0]
    assert history.now == 10.0


def test_a_history_knows_what_is_suspended_after_restoring_and_what_no_longer_is() -> None:
    fsm = lamp()
    fsm.start("On")
    data = snapshot(fsm)
    fsm.send_event("FLICKER")
    flickering = snapshot(fsm)
    history = History(fsm)
    restore(fsm, data)
    restore(fsm, flickering)
    fsm.send_event("LIGHT")
    assert visits(history) == [
        ("Lamp", "Dark", 0.0, 0.0, "FLICKER", "On"),
        ("Lamp", "On", 0.0, 0.0, None),
        ("Lamp", "Dark", 0.0, 0.0, "FLICKER", "On"),
        ("Lamp", "On", 0.0, None, "LIGHT"),
    ]


def test_time_continues_for_the_machines_inside_as_well() -> None:
    outer, inner = room()
    history = History(outer)
    outer.start()
    outer.update(1.0)
    data, inside = snapshot(outer), snapshot(inner)
    outer.update(4.0)
    restore(outer, data)
    outer.update(1.0)
    restore(inner, inside)
    inner.send_event("PRESSED")
    outer.update(1.0)
    assert visits(history) == [
        ("Room", "Evening", 0.0, 5.0, None),
        ("Room/Lamp", "Off", 0.0, 5.0, None),
        ("Room", "Evening", 5.0, None, None),
        ("Room/Lamp", "Off", 5.0, 6.0, None),
        ("Room/Lamp", "Off", 6.0, 6.0, None),
        ("Room/Lamp", "On", 6.0, None, "PRESSED"),
    ]
    assert history.now == 7.0


def test_a_machine_that_is_put_to_rest_is_in_no_state() -> None:
    fsm = lamp()
    data = snapshot(fsm)
    fsm.start()
    history = History(fsm)
    fsm.update(2.0)
    with Recorder(fsm) as recorder:
        restore(fsm, data)
    assert recorder.journal == []
    assert visits(history) == [("Lamp", "Off", 0.0, 2.0, None)]
