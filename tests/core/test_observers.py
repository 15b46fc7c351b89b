"""Section 5: what observers are told, and that they cannot disturb."""

import pytest

from fsmkit import ERROR, FINISHED, Fsm
from fsmkit.testing import Probe, Recorder


def lamp() -> Fsm:
    fsm = Fsm("Lamp", on_unhandled="ignore")
    fsm.add_state("Off").add_transition("ON", fsm.add_state("On"))
    fsm.states["On"].add_transition(FINISHED, "Off")
    fsm.states["On"].add_action(Probe("p", [], on_update=Probe.finish))
    return fsm


def test_an_observer_is_told_everything_in_order() -> None:
    fsm = lamp()
    recorder = Recorder(fsm)
    fsm.start()
    fsm.send_event("ON")
    fsm.update(0.5)
    fsm.send_event("OFF")
    fsm.stop()
    assert recorder.journal == [
        "enter Off",
        "event ON: changed", "leave Off", "enter On", "Probe entered",
        "update 0.5", "Probe finished", "event FINISHED: changed",
        "Probe left", "leave On", "enter Off",
        "event OFF: unhandled", "leave Off",
    ]  # fmt: skip


def test_an_observer_with_one_method_is_enough() -> None:
    class Names:
        def __init__(self) -> None:
            self.names: list[tuple[str, str | None]] = []

        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            self.names.append((fsm.current_state.name, event))

    fsm = lamp()
    names = Names()
    fsm.observe(names)
    fsm.start()
    fsm.send_event("ON")
    assert names.names == [("Off", None), ("On", "ON")]


def test_an_object_with_none_of_the_methods_is_refused() -> None:
    with pytest.raises(TypeError, match="has none of the methods of an observer"):
        lamp().observe(object())


def test_undo_detaches_and_may_be_called_again() -> None:
    fsm = lamp()
    first, second = Recorder(fsm), Recorder(fsm)
    fsm.start()
    first.detach()
    first.detach()
    fsm.send_event("ON")
    assert first.journal == ["enter Off"]
    assert second.path == ["Off", "On"]


def test_an_observer_may_come_and_go_in_the_middle_of_a_visit() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal, on_update=Probe.finish))
    state.add_action(Probe("q", journal))
    fsm.start()
    fsm.update(1)
    recorder = Recorder(fsm)
    fsm.update(1)
    fsm.stop()
    assert journal == ["enter p", "enter q", "update p", "update q", "update q", "exit p", "exit q"]
    assert recorder.journal == ["update 1", "Probe left", "Probe left", "leave A"]


def test_an_observer_attached_in_a_callback_sees_the_rest() -> None:
    recorders: list[Recorder] = []
    fsm = lamp()
    fsm.states["On"].add_action(
        Probe("q", [], on_enter=lambda probe: recorders.append(Recorder(probe.fsm)))
    )
    fsm.start()
    fsm.send_event("ON")
    fsm.stop()
    assert recorders[0].journal == ["Probe left", "Probe left", "leave On"]


def test_an_error_is_told_before_it_is_raised_or_becomes_an_event() -> None:
    def fail(_probe: Probe) -> None:
        raise ZeroDivisionError

    fsm = lamp()
    fsm.states["Off"].add_action(Probe("p", [], on_update=fail))
    recorder = Recorder(fsm)
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(1)
    assert recorder.take()[-2:] == ["update 1", "error ZeroDivisionError"]
    fsm.states["Off"].add_transition(ERROR, "On")
    fsm.update(1)
    assert recorder.take()[:3] == ["update 1", "error ZeroDivisionError", "event ERROR: changed"]


def test_an_observer_that_fails_does_not_disturb_the_machine_and_is_heard() -> None:
    class Clumsy:
        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            raise RuntimeError("disk full")

    fsm = lamp()
    fsm.start()
    fsm.observe(Clumsy())
    fsm.add_global_transition(ERROR, fsm.add_state("Broken"))
    with pytest.raises(RuntimeError, match="disk full") as raised:
        fsm.send_event("ON")
    assert fsm.current_state.name == "On"
    assert raised.value.__notes__ == [
        "raised by the observer's state_entered(); the machine went on"
    ]


def test_an_observer_that_acts_cannot_break_enter_and_exit() -> None:
    class Meddler:
        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            if fsm.current_state.name == "On":
                fsm.start("Off")

    journal: list[str] = []
    fsm = lamp()
    fsm.states["On"].add_action(Probe("q", journal))
    fsm.observe(Meddler())
    fsm.start()
    fsm.send_event("ON")
    assert fsm.current_state.name == "Off"
    assert journal == []


def test_an_event_that_an_observer_sends_during_a_change_waits_for_the_new_state() -> None:
    class Meddler:
        def event_sent(self, fsm: Fsm, event: str, data: object, outcome: str) -> None:
            if outcome == "changed" and event == "ON":
                fsm.send_event(FINISHED)

    fsm = lamp()
    fsm.start()
    fsm.observe(Meddler())
    fsm.send_event("ON")
    assert fsm.current_state.name == "Off"


def test_events_left_by_an_error_come_first_whether_observers_come_or_go() -> None:
    def fail(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.fsm.send_event("LEFT")
        raise ZeroDivisionError

    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    for event, target in (("GO", b), ("LEFT", c)):
        a.add_transition(event, target)
    a.add_action(Probe("p", [], on_update=fail))
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(1)
    recorder = Recorder(fsm)
    fsm.send_event("GO")
    assert recorder.journal == [
        "event LEFT: changed", "Probe left", "leave A", "enter C", "event GO: unhandled",
    ]  # fmt: skip
    recorder.detach()
    assert fsm.current_state.name == "C"


def test_it_can_be_asked_whose_callback_is_being_carried_out() -> None:
    seen: list[tuple[str | None, object]] = []

    class Senders:
        def event_sent(self, fsm: Fsm, event: str, data: object, outcome: str) -> None:
            seen.append((fsm.phase, fsm.acting))

    fsm = lamp()
    fsm.observe(Senders())
    fsm.start()
    fsm.send_event("ON")
    fsm.update(1)
    probe = fsm.states["On"].actions[0]
    assert [acting for _, acting in seen] == [None, probe]
    assert seen[1][0] == "on_update"
    assert (fsm.phase, fsm.acting) == (None, None)
