"""Rules 13 and 16: time is handed in; posted and delayed events."""

import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from fsmkit import Fsm, FsmAction
from fsmkit.testing import Probe, Recorder, drive


def machine() -> Fsm:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    b.add_transition("BACK", a)
    a.add_transition("AGAIN", a)
    return fsm


@pytest.mark.parametrize("dt", [-0.1, float("nan"), float("inf"), -float("inf")])
def test_time_is_finite_and_does_not_run_backwards(dt: float) -> None:
    fsm = machine()
    fsm.start()
    with pytest.raises(ValueError, match="dt must be a finite number of seconds >= 0"):
        fsm.update(dt)
    with pytest.raises(ValueError, match="delay must be a finite number of seconds >= 0"):
        fsm.send_event_after(dt, "GO")
    assert fsm.time == 0


def test_time_in_all_and_in_the_state() -> None:
    fsm = machine()
    fsm.start()
    fsm.update(0.5)
    fsm.update(0.25)
    assert (fsm.time, fsm.time_in_state, fsm.delta_time) == (0.75, 0.75, 0.25)
    fsm.send_event("GO")
    assert (fsm.time, fsm.time_in_state) == (0.75, 0.0)
    fsm.update(1)
    assert (fsm.time, fsm.time_in_state) == (1.75, 1.0)
    fsm.stop()
    assert fsm.time_in_state == 0


def test_a_machine_that_does_not_run_ignores_update() -> None:
    fsm = machine()
    fsm.post_event("GO")
    fsm.update(1)
    assert fsm.time == 0
    fsm.start()
    fsm.update(1)
    assert fsm.current_state is fsm.states["B"]


def test_posted_events_are_sent_in_order_before_the_walk() -> None:
    journal: list[str] = []
    fsm = machine()
    fsm.states["A"].add_action(Probe("a", journal))
    fsm.start()
    for event in ("GO", "BACK", "NOBODY"):
        fsm.post_event(event)
    journal.clear()
    assert [line for line in drive(fsm, [1]) if "event" in line] == [
        "event GO: changed", "event BACK: changed", "event NOBODY: ignored",
    ]  # fmt: skip
    assert journal == ["exit a", "enter a"]


def test_the_walk_is_left_out_only_if_an_event_changed_the_state() -> None:
    journal: list[str] = []
    fsm = machine()
    fsm.states["A"].add_action(Probe("a", journal))
    fsm.start()
    fsm.post_event("NOBODY")
    fsm.update(0)
    fsm.post_event("AGAIN")
    fsm.update(0)
    assert journal == ["enter a", "update a", "exit a", "enter a"]


def test_what_is_posted_while_posted_events_are_sent_waits_for_the_next_update() -> None:
    fsm = machine()
    fsm.states["B"].add_action(Probe("b", [], on_enter=lambda probe: probe.fsm.post_event("BACK")))
    fsm.start()
    fsm.post_event("GO")
    fsm.update(1)
    assert fsm.current_state is fsm.states["B"]
    fsm.update(1)
    assert fsm.current_state is fsm.states["A"]


def test_events_posted_by_many_threads_all_arrive() -> None:
    fsm = Fsm("M")
    counted: list[object] = []
    state = fsm.add_state("A")
    state.add_transition("TICK", state)
    state.add_action(Probe("p", [], on_enter=lambda probe: counted.append(probe.fsm.event_data)))
    fsm.start()
    threads = [
        threading.Thread(target=lambda: [fsm.post_event("TICK", n) for n in range(500)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        fsm.update(0.01)
    for thread in threads:
        thread.join()
    fsm.update(0.01)
    assert sorted(counted[1:]) == sorted(list(range(500)) * 4)


@pytest.mark.parametrize("delay", ["1", None, []])
def test_a_delay_is_a_number(delay: Any) -> None:
    fsm = Fsm("M")
    with pytest.raises(TypeError, match="Fsm 'M': delay must be a number of seconds, got"):
        fsm.send_event_after(delay, "GO")


def test_a_delayed_event_comes_with_its_data_when_it_is_due() -> None:
    fsm = machine()
    fsm.start()
    delayed = fsm.send_event_after(1.0, "GO", "data")
    fsm.update(0.75)
    assert (fsm.current_state.name, delayed.pending) == ("A", True)
    fsm.update(0.25)
    assert (fsm.current_state.name, fsm.event_data, delayed.pending) == ("B", "data", False)


def test_ten_steps_of_a_tenth_make_a_second() -> None:
    fsm = machine()
    fsm.start()
    fsm.send_event_after(1.0, "GO")
    for _ in range(10):
        fsm.update(0.1)
    assert fsm.current_state is fsm.states["B"]


def test_delayed_events_are_delivered_by_due_time_and_after_posted_ones() -> None:
    fsm = machine()
    fsm.start()
    for delay, event in ((0.3, "THIRD"), (0.1, "FIRST"), (0.2, "SECOND"), (0.3, "FOURTH")):
        fsm.send_event_after(delay, event)
    fsm.post_event("POSTED")
    assert [line.split()[1] for line in drive(fsm, [1]) if "event" in line] == [
        "POSTED:", "FIRST:", "SECOND:", "THIRD:", "FOURTH:",
    ]  # fmt: skip


def test_a_delayed_event_is_dropped_when_the_state_is_left_unless_it_is_kept() -> None:
    fsm = machine()
    fsm.start()
    dropped = fsm.send_event_after(1.0, "DROPPED")
    kept = fsm.send_event_after(1.0, "KEPT", keep=True)
    fsm.send_event("AGAIN")
    assert (dropped.pending, kept.pending) == (False, True)
    assert [line for line in drive(fsm, [1]) if "event" in line] == ["event KEPT: ignored"]


def test_an_earlier_event_that_leaves_the_state_drops_a_later_one_of_the_same_update() -> None:
    fsm = machine()
    fsm.start()
    fsm.send_event_after(0.1, "GO")
    fsm.send_event_after(0.2, "BACK")
    fsm.update(1)
    assert fsm.current_state is fsm.states["B"]


def test_a_cancelled_event_never_comes() -> None:
    fsm = machine()
    fsm.start()
    delayed = fsm.send_event_after(0.1, "GO")
    delayed.cancel()
    delayed.cancel()
    fsm.update(1)
    assert fsm.current_state is fsm.states["A"]


def test_what_is_delayed_by_nothing_in_an_update_waits_for_the_next() -> None:
    fsm = machine()
    for name, event in (("A", "GO"), ("B", "BACK")):
        fsm.states[name].add_action(
            Probe("p", [], on_enter=lambda p, event=event: p.fsm.send_event_after(0, event))
        )
    fsm.start()
    with Recorder(fsm) as recorder:
        for _ in range(3):
            fsm.update(0)
    assert recorder.path == ["B", "A", "B"]


def test_what_is_delayed_on_exit_is_dropped_with_the_state() -> None:
    fsm = machine()
    fsm.states["A"].add_action(
        Probe("p", [], on_exit=lambda probe: probe.fsm.send_event_after(0, "BACK"))
    )
    fsm.start()
    fsm.send_event("GO")
    fsm.update(1)
    assert fsm.current_state is fsm.states["B"]


@pytest.mark.parametrize("kind", ["float32", "float16", "array", Decimal, Fraction, int, bool])
def test_a_step_of_any_kind_of_number_is_taken_at_full_precision(kind: Any) -> None:
    if isinstance(kind, str):
        numpy = pytest.importorskip("numpy")
        step = numpy.array([0.25]) if kind == "array" else getattr(numpy, kind)(0.25)
    else:
        step = kind(1)
    fsm = Fsm("Clock")
    fsm.add_state("Ticking")
    fsm.start()
    fsm.update(1e6)
    for _ in range(100):
        fsm.update(step)
    assert type(fsm.time) is type(fsm.delta_time) is float
    assert fsm.time == 1e6 + 100 * float(step.item() if hasattr(step, "item") else step)


@pytest.mark.parametrize("dt", ["0.1", None, [0.1], b"1", object()])
def test_a_step_that_is_no_number_is_refused_in_words(dt: Any) -> None:
    fsm = Fsm("Clock")
    fsm.add_state("Ticking")
    fsm.start()
    with pytest.raises(TypeError, match="Fsm 'Clock': dt must be a number of seconds, got"):
        fsm.update(dt)
    with pytest.raises(TypeError, match="Fsm 'Clock': delay must be a number of seconds, got"):
        fsm.send_event_after(dt, "X")
    assert fsm.time == 0.0


@pytest.mark.slow
def test_a_backlog_of_posted_events_is_sent_in_order_and_an_error_leaves_the_rest() -> None:
    got: list[object] = []

    class Take(FsmAction):
        def on_event(self, event: str, data: object) -> bool:
            got.append(data)
            if data == 1000:
                raise ZeroDivisionError
            return True

    fsm = Fsm("Inbox")
    fsm.add_state("Open").add_action(Take())
    fsm.start()
    for number in range(100_000):
        fsm.post_event("POST", number)
    with pytest.raises(ZeroDivisionError):
        fsm.update(0.1)
    fsm.post_event("POST", 100_000)
    assert got == list(range(1001))
    fsm.update(0.1)
    assert got == list(range(100_001))


def test_the_time_can_only_be_set_to_a_time() -> None:
    fsm = Fsm("Clock")
    for seconds, error in ((-5.0, ValueError), (float("nan"), ValueError), ("1", TypeError)):
        with pytest.raises(error, match="Fsm 'Clock': time must be a"):
            fsm.time = seconds
    with pytest.raises(TypeError, match="carry_time must be True or False, got 'x'"):
        fsm.carry_time = "x"  # type: ignore[assignment]
    fsm.time = 3
    assert (fsm.time, type(fsm.time)) == (3.0, float)
