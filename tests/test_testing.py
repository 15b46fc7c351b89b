"""Recorder, drive, Probe: the helpers that tests of users build on."""

from collections.abc import Callable

import pytest

from fsmkit import BACK, ERROR, FINISHED, Fsm
from fsmkit.testing import Probe, Recorder, drive


class OopsError(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise OopsError


def door() -> Fsm:
    """Closed <-> Open on OPEN and CLOSE, without actions."""
    fsm = Fsm("Door", on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition("CLOSE", closed)
    return fsm


def test_a_recorder_keeps_everything_in_order() -> None:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Probe("a", [], on_update=Probe.finish))
    a.add_transition(FINISHED, b)
    b.add_action(Probe("b", [], on_update=fail, takes=["EAT"]))
    recorder = Recorder(fsm)
    fsm.start()
    fsm.update(0.25)
    fsm.send_event("EAT")
    fsm.send_event("NOBODY")
    with pytest.raises(OopsError):
        fsm.update(1)
    fsm.stop()
    assert recorder.journal == [
        "enter A",
        "Probe entered",
        "update 0.25",
        "Probe finished",
        "event FINISHED: changed",
        "Probe left",
        "leave A",
        "enter B",
        "Probe entered",
        "event EAT: consumed",
        "event NOBODY: ignored",
        "update 1",
        "error OopsError",
        "Probe left",
        "leave B",
    ]
    assert recorder.path == ["A", "B"]


def test_a_recorder_notes_queued_and_ignored_events() -> None:
    fsm = door()
    fsm.add_global_transition("SLAM", fsm.states["Closed"])
    fsm.states["Open"].add_action(Probe("open", [], on_update=send_two))
    fsm.start()
    journal = drive(fsm, ["SLAM", "OPEN", 1])
    assert [line for line in journal if line.startswith("event")] == [
        "event SLAM: ignored",
        "event OPEN: changed",
        "event CLOSE: changed",
        "event OPEN: queued",
        "event OPEN: changed",
    ]


def send_two(probe: Probe) -> None:
    probe.fsm.send_event("CLOSE")
    probe.fsm.send_event("OPEN")


def test_take_begins_a_new_journal_and_the_path_goes_on() -> None:
    fsm = door()
    recorder = Recorder(fsm)
    fsm.start()
    assert recorder.take() == ["enter Closed"]
    fsm.send_event("OPEN")
    assert recorder.take() == ["event OPEN: changed", "leave Closed", "enter Open"]
    assert recorder.take() == []
    assert recorder.path == ["Closed", "Open"]


def test_a_recorder_is_detached_at_the_end_of_the_block() -> None:
    fsm = door()
    with Recorder(fsm) as recorder:
        fsm.start()
    fsm.send_event("OPEN")
    assert recorder.journal == ["enter Closed"]


def test_a_recorder_can_be_detached_twice() -> None:
    fsm = door()
    recorder = Recorder(fsm)
    recorder.detach()
    recorder.detach()
    fsm.start()
    assert recorder.journal == []


def test_two_recorders_see_the_same() -> None:
    fsm = door()
    one, two = Recorder(fsm), Recorder(fsm)
    fsm.start()
    assert one.journal == two.journal == ["enter Closed"]


def test_drive_takes_every_kind_of_step() -> None:
    fsm = door()
    journal = drive(fsm, [fsm.start, 0.5, 1, "OPEN", ("CLOSE", "data"), fsm.stop])
    assert journal == [
        "enter Closed",
        "update 0.5",
        "update 1",
        "event OPEN: changed",
        "leave Closed",
        "enter Open",
        "event CLOSE: changed",
        "leave Open",
        "enter Closed",
        "leave Closed",
    ]
    assert fsm.event_data is None


def test_drive_sends_the_data_of_an_event() -> None:
    fsm = door()
    fsm.start()
    drive(fsm, [("OPEN", {"by": "Ann"})])
    assert fsm.event_data == {"by": "Ann"}


def test_drive_leaves_nothing_behind_even_after_an_error() -> None:
    class ObservedFsm(Fsm):
        def observe(self, observer: object) -> Callable[[], None]:
            self.observer = observer
            return super().observe(observer)

    fsm = ObservedFsm("Door")
    fsm.add_state("Closed").add_action(Probe("closed", [], on_update=fail))
    with pytest.raises(OopsError):
        drive(fsm, [fsm.start, 1])
    fsm.stop()
    fsm.start()
    assert fsm.observer.journal == ["enter Closed", "Probe entered", "update 1", "error OopsError"]


def test_a_probe_notes_its_callbacks() -> None:
    journal: list[str] = []
    fsm = door()
    fsm.states["Closed"].add_action(Probe("hinge", journal))
    drive(fsm, [fsm.start, 1, 1, "OPEN", 1, "CLOSE"])
    assert journal == [
        "enter hinge",
        "update hinge",
        "update hinge",
        "exit hinge",
        "enter hinge",
    ]


def test_a_probe_sends_an_event_or_calls_a_function_in_any_callback() -> None:
    journal: list[str] = []
    fsm = door()
    fsm.states["Closed"].add_action(
        Probe(
            "closed",
            journal,
            on_enter=lambda probe: journal.append(f"{probe.name} is in {probe.state.name}"),
            on_update="OPEN",
            on_exit=lambda _probe: journal.append("bye"),
        )
    )
    fsm.states["Open"].add_action(Probe("open", journal, on_enter="CLOSE"))
    fsm.start()
    fsm.update(1)
    assert journal == [
        "enter closed",
        "closed is in Closed",
        "update closed",
        "exit closed",
        "bye",
        "enter open",
        "exit open",
        "enter closed",
        "closed is in Closed",
    ]


def test_a_probe_consumes_what_it_is_told_to() -> None:
    journal: list[str] = []
    fsm = door()
    probe = fsm.states["Closed"].add_action(Probe("guard", journal, takes=["OPEN"]))
    fsm.start()
    assert fsm.send_event("OPEN")
    assert not fsm.send_event("CLOSE")
    assert journal == ["enter guard", "guard takes OPEN"]
    assert probe.state is fsm.current_state


def test_an_error_that_becomes_an_event_is_noted_before_it() -> None:
    fsm = door()
    fsm.states["Open"].add_action(Probe("open", [], on_update=fail))
    fsm.add_global_transition(ERROR, "Closed")
    fsm.start()
    fsm.send_event("OPEN")
    assert drive(fsm, [1]) == [
        "update 1",
        "error OopsError",
        "event ERROR: changed",
        "Probe left",
        "leave Open",
        "enter Closed",
    ]


def test_driving_starts_a_machine_that_has_never_run() -> None:
    fsm = door()
    assert drive(fsm, ["OPEN", fsm.stop, "CLOSE", 1]) == [
        "enter Closed", "event OPEN: changed", "leave Closed", "enter Open",
        "leave Open", "event CLOSE: ignored",
    ]  # fmt: skip


@pytest.mark.parametrize("step", [None, ("OPEN",), (1, 2), ("A", "B", "C"), [0.5], object()])
def test_what_is_not_a_step_is_refused(step: object) -> None:
    with pytest.raises(TypeError, match="drive: a step must be a number of seconds, an event, an"):
        drive(door(), [step])  # type: ignore[list-item]


def test_what_is_not_a_machine_cannot_be_driven_or_recorded() -> None:
    with pytest.raises(TypeError, match="The machine to record must be an Fsm, got 'door'"):
        drive("door", [0.5])  # type: ignore[arg-type]


def test_suspensions_and_refusals_are_in_the_journal() -> None:
    fsm = door()
    closed, opened = fsm.states["Closed"], fsm.states["Open"]
    closed.add_transition("KNOCK", opened, suspend=True)
    closed.add_transition("BREAK", opened, when=lambda: False)
    opened.add_transition("BACK", BACK)
    probes: list[str] = []
    closed.add_action(Probe("hinge", probes, on_resume=Probe.finish))
    fsm.start()
    with Recorder(fsm) as recorder:
        for event in ("BREAK", "KNOCK", "BACK"):
            fsm.send_event(event)
    assert recorder.journal == [
        "event BREAK: refused",
        "event KNOCK: changed",
        "suspend Closed",
        "enter Open",
        "event BACK: changed",
        "leave Open",
        "Probe finished",
        "resume Closed",
    ]
    assert recorder.path == ["Open", "Closed"]
    assert probes == ["enter hinge", "suspend hinge", "resume hinge"]
