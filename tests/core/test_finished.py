"""Rule 10: when actions and states finish."""

from collections.abc import Callable
from typing import Any

import pytest
from every import every

from actions import OnEvent, Parallel, Retry, RunFsm, Sequence, TimedWait
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmGroup, UnhandledEventError
from fsmkit.testing import Probe, Recorder, drive


class Instant(FsmAction):
    def on_enter(self) -> None:
        self.finish()


class After(FsmAction):
    """Finishes in its n-th update and says so."""

    def __init__(self, updates: int, finish_event: str | None = None) -> None:
        self.updates = updates
        self.finish_event = finish_event
        self.left = 0

    def on_enter(self) -> None:
        self.left = self.updates

    def on_update(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.finish()


def two_states() -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_transition(FINISHED, fsm.add_state("B"))
    return fsm


def test_finished_is_sent_when_the_last_action_finishes() -> None:
    fsm = two_states()
    for updates in (3, 1, 2):
        fsm.states["A"].add_action(After(updates))
    fsm.start()
    assert [line for line in drive(fsm, [1, 1, 1]) if line[:5] != "leave"] == [
        "update 1", "After finished",
        "update 1", "After finished",
        "update 1", "After finished", "event FINISHED: changed",
        "After left", "After left", "After left", "enter B",
    ]  # fmt: skip


def test_a_state_without_actions_has_finished_when_entered() -> None:
    fsm = two_states()
    fsm.start()
    assert fsm.current_state is fsm.states["B"]
    assert fsm.last_event == FINISHED


def test_finished_needs_a_transition_and_is_not_unhandled_without_one() -> None:
    fsm = Fsm("M", on_unhandled="raise")
    fsm.add_state("A").add_action(Instant())
    fsm.start()
    assert fsm.current_state is fsm.states["A"]


def test_a_global_transition_for_finished_will_do() -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.add_global_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    assert fsm.current_state is fsm.states["B"]


def test_a_finished_action_is_not_updated_but_exited() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal, on_update=Probe.finish))
    state.add_action(Probe("q", journal))
    fsm.start()
    fsm.update(1)
    fsm.update(1)
    fsm.stop()
    assert journal == [
        "enter p", "enter q", "update p", "update q", "update q", "exit p", "exit q",
    ]  # fmt: skip


def test_an_action_finished_by_an_earlier_one_misses_the_same_walk() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal, on_update=lambda p: p.state.actions[2].finish()))
    for name in "qrs":
        state.add_action(Probe(name, journal))
    fsm.start()
    journal.clear()
    fsm.update(1)
    fsm.update(1)
    assert journal == ["update p", "update q", "update s"] * 2


def test_an_action_finished_by_a_later_one_does_not_disturb_the_walk() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal))
    state.add_action(Probe("q", journal, on_update=lambda p: p.state.actions[0].finish()))
    state.add_action(Probe("r", journal))
    fsm.start()
    journal.clear()
    fsm.update(1)
    fsm.update(1)
    assert journal == ["update p", "update q", "update r", "update q", "update r"]


def test_finish_counts_once_per_visit() -> None:
    fsm = two_states()
    p = fsm.states["A"].add_action(Probe("p", []))
    fsm.states["A"].add_action(Probe("q", []))
    fsm.start()
    p.finish()
    p.finish()
    assert fsm.current_state is fsm.states["A"]
    assert p.finished


def test_finish_outside_a_visit_does_nothing() -> None:
    fsm = two_states()
    action = fsm.states["B"].add_action(Probe("p", []))
    Instant().finish()
    fsm.states["A"].add_action(Probe("q", []))
    fsm.start()
    action.finish()
    assert not action.finished


def test_an_action_can_be_finished_from_outside_the_machine() -> None:
    fsm = two_states()
    action = fsm.states["A"].add_action(Probe("p", []))
    fsm.start()
    action.finish()
    assert fsm.current_state is fsm.states["B"]
    assert not action.finished


def test_the_finish_event_is_sent_before_finished() -> None:
    fsm = two_states()
    fsm.states["A"].add_transition("ARRIVED", fsm.add_state("C"))
    fsm.states["A"].add_action(After(1, "ARRIVED"))
    fsm.start()
    fsm.update(1)
    assert (fsm.current_state.name, fsm.last_event) == ("C", "ARRIVED")


def test_finished_is_not_sent_once_a_change_has_been_decided() -> None:
    fsm = Fsm("M", on_unhandled="raise")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    a.add_transition("GO", b)
    a.add_transition(FINISHED, c)
    b.add_transition(FINISHED, c)
    b.add_action(Probe("wait", []))

    def go_and_finish(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.finish()

    a.add_action(Probe("p", [], on_update=go_and_finish))
    fsm.start()
    fsm.update(1)
    assert fsm.current_state is b


def test_disabled_actions_take_no_part_and_count_as_finished() -> None:
    journal: list[str] = []
    fsm = two_states()
    off = fsm.states["A"].add_action(Probe("off", journal))
    fsm.states["A"].add_action(Probe("on", journal, on_update=Probe.finish))
    off.enabled = False
    fsm.start()
    off.finish()
    fsm.update(1)
    assert journal == ["enter on", "update on", "exit on"]
    assert fsm.current_state is fsm.states["B"]


def test_enabled_is_read_when_the_state_is_entered() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    action = fsm.add_state("A").add_action(Probe("p", journal))
    fsm.start()
    action.enabled = False
    fsm.update(1)
    fsm.start()
    fsm.update(1)
    assert journal == ["enter p", "update p", "exit p"]


def test_a_state_of_disabled_actions_only_has_finished_when_entered() -> None:
    fsm = two_states()
    fsm.states["A"].add_action(Probe("p", [])).enabled = False
    fsm.start()
    assert fsm.current_state is fsm.states["B"]


@pytest.mark.parametrize("rounds", [1, 2])
def test_finished_is_forgotten_when_the_state_is_left(rounds: int) -> None:
    fsm = two_states()
    fsm.states["B"].add_transition("AGAIN", "A")
    action = fsm.states["A"].add_action(After(1))
    fsm.states["B"].add_action(Probe("p", []))
    fsm.start()
    for _ in range(rounds):
        assert not action.finished
        fsm.update(1)
        assert fsm.current_state.name == "B"
        fsm.send_event("AGAIN")


def test_removing_the_last_action_that_had_not_finished_finishes_the_state() -> None:
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Probe("done", [], on_enter=Probe.finish))
    waits = a.add_action(Probe("waits", [], on_update=lambda probe: None))
    a.add_transition(FINISHED, b)
    fsm.start()
    a.remove_action(waits)
    assert fsm.current_state is b


@pytest.mark.parametrize("first", [True, False])
def test_an_action_in_the_background_does_not_hold_finished_back(first: bool) -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    watch = Probe("watch", journal, on_update=lambda probe: None)
    watch.background = True
    work = Probe("work", journal, on_update=Probe.finish)
    for action in (watch, work) if first else (work, watch):
        a.add_action(action)
    a.add_transition(FINISHED, b)
    fsm.start()
    fsm.update(0.1)
    assert fsm.current_state is b
    assert journal[-2:] == (["exit watch", "exit work"] if first else ["exit work", "exit watch"])


def test_a_state_with_nothing_but_background_finishes_once_all_are_entered() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    for name in "pq":
        probe = a.add_action(Probe(name, journal))
        probe.background = True
    a.add_transition(FINISHED, b)
    fsm.start()
    assert (fsm.current_state, journal) == (b, ["enter p", "enter q", "exit p", "exit q"])


# What goes wrong with a finish_event does not take FINISHED along (rules 10 and 12)


def fails_to_end(action: FsmAction, event: str, how: str) -> Fsm:
    """A to B by FINISHED; `event` is handled by nobody, or by a guard or an action that fails."""
    fsm = Fsm("M", on_unhandled="raise")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    a.add_transition(FINISHED, b)
    if how == "guard":
        a.add_transition(event, c, when=lambda: 1 / 0)
    elif how == "listener":
        a.add_action(OnEvent(event, lambda: 1 / 0))
    a.add_action(action)
    b.add_action(Probe("stays", []))
    b.add_transition("AGAIN", a)
    return fsm


def nested_end(event: str) -> FsmAction:
    """A RunFsm that has finished after a second."""
    inner = Fsm("Inner")
    inner.add_state("Run").add_action(TimedWait(1.0))
    inner.states["Run"].add_transition(FINISHED, inner.add_state("End", final=True))
    return RunFsm(inner, finish_event=event)


ENDS: dict[str, Callable[[str], FsmAction[Any]]] = {
    "of its own": lambda event: After(1, event),
    "timed": lambda event: TimedWait(1.0, event),
    "composite": lambda event: Sequence(TimedWait(1.0), finish_event=event),
    "child": lambda event: Parallel(TimedWait(1.0, event)),
    "nested": nested_end,
}
each_end = every("ends", ENDS.values())
NEXT_CALLS: dict[str, Callable[[Fsm], object]] = {
    "update": lambda fsm: fsm.update(0.1),
    "send_event": lambda fsm: fsm.send_event("AGAIN"),
    "offer_event": lambda fsm: fsm.offer_event("NOBODY"),
}
EXPECTED = {
    "unhandled": UnhandledEventError,
    "guard": ZeroDivisionError,
    "listener": ZeroDivisionError,
}


@each_end
@every("how", EXPECTED)
def test_finished_is_sent_in_the_next_call_where_the_finish_event_fails(
    ends: Callable[[str], FsmAction], how: str
) -> None:
    fsm = fails_to_end(ends("DONE"), "DONE", how)
    fsm.start()
    if how == "listener":
        fsm.states["A"].actions[0].finish()  # it keeps listening
    with pytest.raises(EXPECTED[how]):
        fsm.update(1.0)
    recorder = Recorder(fsm)
    assert fsm.current_state.name == "A"
    fsm.update(0.0)
    fsm.update(0.0)
    sent = [line for line in recorder.journal if "event" in line]
    assert (sent, fsm.current_state.name) == (["event FINISHED: changed"], "B")


@every("observed", [False, True])
@every("call", NEXT_CALLS)
@every("how", ["unhandled", "guard"])
def test_whatever_the_next_call_is_finished_comes_first(
    how: str, call: str, observed: bool
) -> None:
    fsm = fails_to_end(TimedWait(1.0, "DONE"), "DONE", how)
    if observed:
        Recorder(fsm)
    fsm.start()
    with pytest.raises(EXPECTED[how]):
        fsm.update(1.0)
    path = Recorder(fsm).path
    NEXT_CALLS[call](fsm)
    assert path == (["B", "A"] if call == "send_event" else ["B"])


@pytest.mark.parametrize("how", ["unhandled", "guard"])
def test_finish_from_outside_does_not_stick_either(how: str) -> None:
    fsm = fails_to_end(After(9, "DONE"), "DONE", how)
    fsm.start()
    with pytest.raises(EXPECTED[how]):
        fsm.states["A"].actions[0].finish()
    fsm.update(0.0)
    assert fsm.current_state.name == "B"


@pytest.mark.parametrize("how", ["unhandled", "guard"])
def test_a_finish_event_that_fails_while_the_state_is_entered_does_not_stick(how: str) -> None:
    class Entering(FsmAction):
        finish_event = "DONE"

        def on_enter(self) -> None:
            self.finish()

    fsm = fails_to_end(Entering(), "DONE", how)
    with pytest.raises(EXPECTED[how]):
        fsm.start()
    assert fsm.current_state.name == "A"
    fsm.stop()
    assert not fsm.is_running


def test_where_error_has_a_transition_that_goes_before_finished() -> None:
    fsm = fails_to_end(TimedWait(1.0, "DONE"), "DONE", "guard")
    fsm.states["A"].add_transition(ERROR, "C")
    fsm.start()
    assert drive(fsm, [1.0, 0.0]) == [
        "update 1", "TimedWait finished", "error ZeroDivisionError", "event ERROR: changed",
        "TimedWait left", "leave A", "enter C", "update 0",
    ]  # fmt: skip


def test_a_state_is_not_owed_finished_in_its_next_visit() -> None:
    fsm = fails_to_end(TimedWait(1.0, "DONE"), "DONE", "unhandled")
    fsm.start()
    with pytest.raises(UnhandledEventError):
        fsm.update(1.0)
    fsm.start("A")
    assert drive(fsm, [0.5]) == ["update 0.5"]
    assert fsm.current_state.name == "A"


def test_a_state_that_is_suspended_by_the_error_finishes_when_it_is_resumed() -> None:
    fsm = fails_to_end(TimedWait(1.0, "DONE"), "DONE", "guard")
    fsm.add_global_transition(ERROR, "C", suspend=True)
    fsm.states["C"].add_action(Probe("p", []))
    fsm.states["C"].add_transition("OK", BACK)
    fsm.start()
    assert drive(fsm, [1.0, 1.0, "OK"]) == [
        "update 1", "TimedWait finished", "error ZeroDivisionError", "event ERROR: changed",
        "suspend A", "enter C", "Probe entered", "update 1", "event OK: changed", "Probe left",
        "leave C", "resume A", "event FINISHED: changed", "TimedWait left", "leave A", "enter B",
        "Probe entered",
    ]  # fmt: skip


def test_finished_comes_in_the_next_call_too_where_a_retry_puts_up_with_the_error() -> None:
    class Hasty(FsmAction):
        def on_update(self) -> None:
            everything.finish()

    everything = Parallel(Retry(Hasty(), 3), After(9), finish_event="DONE")
    fsm = fails_to_end(everything, "DONE", "guard")
    fsm.start()
    assert drive(fsm, [1.0, 1.0]) == [
        "update 1", "Parallel finished", "Hasty left", "Hasty entered",
        "update 1", "event FINISHED: changed", "Hasty left", "Retry left", "After left",
        "Parallel left", "leave A", "enter B", "Probe entered",
    ]  # fmt: skip


def test_no_machine_of_a_group_that_fails_to_end_is_stuck() -> None:
    group = FsmGroup()
    for how in ("unhandled", "guard", "unhandled"):
        group.add(fails_to_end(TimedWait(1.0, "DONE"), "DONE", how))
    for fsm in group:
        fsm.start()
    with pytest.raises(ExceptionGroup) as raised:
        group.update(1.0)
    assert [type(each) for each in raised.value.exceptions] == [
        UnhandledEventError, ZeroDivisionError, UnhandledEventError,
    ]  # fmt: skip
    group.update(0.0)
    assert [fsm.current_state.name for fsm in group] == ["B", "B", "B"]


# FINISHED is sent once in a visit


class Ears(FsmAction):
    """Finishes when it hears an event, which it takes."""

    def __init__(self, event: str) -> None:
        self.event = event

    def on_event(self, event: str, data: object) -> bool:
        if event == self.event:
            self.finish()
        return event == self.event


def machine_that_ends_by(event: str) -> FsmAction:
    """A RunFsm whose machine reaches its end by an event."""
    inner = Fsm("Inner")
    inner.add_state("Run").add_transition(event, inner.add_state("End", final=True))
    return RunFsm(inner)


LISTENERS: dict[str, Callable[[str], FsmAction[Any]]] = {
    "action": Ears,
    "child": lambda event: Parallel(Ears(event)),
    "nested machine": machine_that_ends_by,
}
SENDERS: dict[str, Callable[[str], FsmAction[Any]]] = {
    **{name: end for name, end in ENDS.items() if name != "child"},
    "retried": lambda event: Retry(TimedWait(1.0), 2, finish_event=event),
}


@every("listens", LISTENERS.values())
@every("sends", SENDERS.values())
@every("sender_first", [True, False])
def test_finished_is_sent_once_although_a_finish_event_makes_another_action_finish(
    sends: Callable[[str], FsmAction], listens: Callable[[str], FsmAction], sender_first: bool
) -> None:
    asked: list[float] = []
    fsm = Fsm("M", on_unhandled="raise")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    actions = [sends("DONE"), listens("DONE")]
    for action in actions if sender_first else reversed(actions):
        a.add_action(action)
    a.add_transition(FINISHED, b, when=lambda state: bool(asked.append(state.fsm.time)))
    a.add_transition("AGAIN", a)
    recorder = Recorder(fsm)
    fsm.start()
    for _ in range(3):
        fsm.update(1.0)
    assert asked == [1.0]
    sent = [line for line in recorder.take() if line.startswith("event")]
    assert sent == ["event FINISHED: refused", "event DONE: consumed"]
    fsm.send_event("AGAIN")
    fsm.update(1.0)
    assert asked == [1.0, 4.0]


def test_a_chain_of_finish_events_sends_finished_once() -> None:
    fsm = Fsm("M", on_unhandled="raise")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    b.add_action(Probe("stays", []))
    a.add_action(After(1, "ONE"))
    for heard, said in (("ONE", "TWO"), ("TWO", "THREE"), ("THREE", None)):
        a.add_action(Ears(heard)).finish_event = said
    a.add_transition(FINISHED, b, when=lambda: False)
    fsm.start()
    assert [line for line in drive(fsm, [1.0, 1.0]) if line.startswith("event")] == [
        "event FINISHED: refused", "event THREE: consumed", "event TWO: consumed",
        "event ONE: consumed",
    ]  # fmt: skip


# A machine that could not be started has not finished (rule 12)


def robot(run: FsmAction) -> Fsm:
    """Runs it in A; whoever finishes says DOCKED, which leads to B, an error to Failed."""
    fsm = Fsm("Robot", on_unhandled="ignore")
    a, b, failed = (fsm.add_state(name) for name in ("A", "B", "Failed"))
    a.add_action(run)
    a.add_transition("DOCKED", b)
    a.add_transition(FINISHED, b)
    a.add_transition(ERROR, failed)
    for state in (b, failed):
        state.add_action(Probe("stays", []))
    return fsm


def dock(tries: list[int], successful: int) -> RunFsm:
    """A machine that can be started in the n-th try."""

    def start_motor(_: object) -> None:
        tries.append(len(tries) + 1)
        if len(tries) < successful:
            raise OSError("no answer")

    inner = Fsm("Dock")
    inner.add_state("Run").add_action(Probe("motor", [], on_enter=start_motor))
    return RunFsm(inner, finish_event="DOCKED")


def test_a_machine_that_cannot_be_started_has_not_finished() -> None:
    fsm = robot(dock([], 2))
    fsm.states["A"].remove_transition(ERROR)
    recorder = Recorder(fsm)
    with pytest.raises(OSError, match="no answer"):
        fsm.start()
    assert recorder.journal == ["enter A", "error OSError"]
    fsm.start()
    assert (fsm.path, fsm.states["A"].actions[0].finished) == (("A", "Run"), False)


@pytest.mark.parametrize(("successful", "ends_in"), [(3, "A"), (4, "Failed")])
def test_retry_starts_a_machine_as_often_as_it_may(successful: int, ends_in: str) -> None:
    tries: list[int] = []
    fsm = robot(Retry(dock(tries, successful), times=3))
    fsm.start()
    for _ in range(3):
        fsm.update(0.1)
    assert (tries, fsm.current_state.name) == ([1, 2, 3], ends_in)
