"""Defer(carry=True): kept events travel from state to state until one takes them."""

import copy
import pickle
from itertools import pairwise
from typing import Any

import pytest

from actions import Defer, DelegateAction, OnEvent, Parallel, RunFsm, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm
from fsmkit.checking import check
from fsmkit.recording import Recording, replay, restore, snapshot, why
from fsmkit.testing import Recorder


def line(*names: str, **keywords: Any) -> Any:
    """States that GO leads through, one after the other; E is known in the last one."""
    fsm = Fsm("Line", on_unhandled="raise", **keywords)
    states = [fsm.add_state(name) for name in names]
    for state, following in pairwise(states):
        state.add_transition("GO", following)
    done = fsm.add_state("Done")
    states[-1].add_transition("E", done)
    return fsm


def deferring(fsm: Fsm, *names: str, **options: Any) -> None:
    for name in names:
        fsm.states[name].add_action(Defer("E", "F", carry=True, **options))


def at(fsm: Fsm) -> tuple[str | None, object]:
    return (fsm.current_state.name if fsm.current_state else None, fsm.event_data)


# What was reported elsewhere


def test_an_event_is_recalled_in_the_next_state() -> None:
    """As in spring-statemachine#1110: deferred while busy, handled when ready."""
    fsm = line("Busy", "Ready")
    deferring(fsm, "Busy")
    recorder = Recorder(fsm)
    fsm.start()
    assert fsm.send_event("E", 1)
    assert fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)
    assert recorder.path == ["Busy", "Ready", "Done"]


def test_it_outlives_a_state_that_does_not_know_it() -> None:
    """As in boost-ext/sml#230 and #586: nothing is dropped on the way, nobody is warned."""
    fsm = line("Busy", "Between", "Ready")
    deferring(fsm, "Busy")
    fsm.start()
    fsm.send_event("E", 1)
    fsm.send_event("GO")
    assert at(fsm) == ("Between", None)
    fsm.update(1.0)
    fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)


def test_it_is_deferred_again_by_the_next_state() -> None:
    """As in boost-ext/sml#611: the order stays, over several states that defer."""
    fsm = line("One", "Two", "Three")
    deferring(fsm, "One", "Two")
    got: list[object] = []
    fsm.states["Done"].add_action(OnEvent("E", lambda _, data: got.append(data)))
    fsm.start()
    for number in range(2):
        fsm.send_event("E", number)
    fsm.send_event("GO")
    fsm.send_event("E", 2)
    assert at(fsm) == ("Two", None)
    fsm.send_event("GO")
    assert (at(fsm), got) == (("Done", 0), [1, 2])


def test_several_events_each_find_their_state() -> None:
    """As in msm's PR#152: what the first state that comes does not take stays in the queue."""
    fsm = line("Busy", "Ready")
    deferring(fsm, "Busy")
    over = fsm.add_state("Over")
    fsm.states["Done"].add_transition("GO", over)
    over.add_transition("F", "Busy")
    fsm.start()
    fsm.send_event("F", "f")
    fsm.send_event("E", "e")
    fsm.send_event("GO")
    assert at(fsm) == ("Done", "e")
    fsm.send_event("GO")
    assert at(fsm) == ("Busy", "f")


# When the state itself is done


def test_what_its_own_state_takes_is_sent_when_the_work_is_done() -> None:
    fsm = line("Swing", "Hit", "Rest")
    fsm.states["Swing"].add_transition("E", "Rest")
    deferring(fsm, "Swing")
    fsm.states["Swing"].add_action(TimedWait(0.5))
    fsm.start()
    fsm.send_event("E", 1)
    fsm.update(0.25)
    assert at(fsm) == ("Swing", None)
    fsm.update(0.25)
    fsm.update(0.0)
    assert at(fsm) == ("Rest", 1)


def test_what_its_own_state_would_take_is_carried_if_it_is_cut_short() -> None:
    fsm = line("Swing", "Rest")
    fsm.states["Swing"].add_transition("E", "Swing")
    deferring(fsm, "Swing")
    fsm.states["Swing"].add_action(TimedWait(0.5))
    fsm.start()
    fsm.send_event("E", 1)
    fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)


def test_once_the_wait_is_over_only_what_leads_nowhere_is_kept() -> None:
    ready: list[bool] = []
    fsm = line("Busy", "Ready")
    fsm.states["Busy"].add_transition("F", "Ready", when=lambda: bool(ready))
    deferring(fsm, "Busy", until=lambda: True)
    got: list[object] = []
    fsm.states["Done"].add_action(OnEvent("F", lambda _, data: got.append(data)))
    fsm.start()
    assert fsm.send_event("F", 1)
    assert fsm.send_event("E", 2)
    ready.append(True)
    assert fsm.send_event("F", 3)
    assert (at(fsm), got) == (("Done", 2), [1])


def test_until_holds_it_back_in_its_own_state() -> None:
    world = {"open": False}
    fsm = line("Busy", "Ready")
    fsm.states["Busy"].add_transition("E", "Ready")
    deferring(fsm, "Busy", until=lambda: world["open"])
    fsm.start()
    fsm.send_event("E", 1)
    fsm.update(1.0)
    assert at(fsm) == ("Busy", None)
    world["open"] = True
    fsm.update(0.0)
    assert at(fsm) == ("Ready", 1)


def test_with_latest_only_the_last_of_each_goes_on() -> None:
    fsm = line("Busy", "Again", "Ready")
    deferring(fsm, "Busy", "Again", latest=True)
    got: list[object] = []
    fsm.states["Done"].add_action(DelegateAction(on_event=lambda state, data: got.append(data)))
    fsm.start()
    for number in range(3):
        fsm.send_event("E", number)
    fsm.send_event("F", "f")
    fsm.send_event("GO")
    fsm.send_event("E", 3)
    fsm.send_event("GO")
    assert (at(fsm), got) == (("Done", 3), ["f"])


# What takes it


def test_a_refusal_of_a_guard_is_no_end() -> None:
    fsm = line("Busy", "Closed", "Ready")
    deferring(fsm, "Busy")
    asked: list[object] = []
    fsm.states["Closed"].add_transition("E", "Done", when=lambda _, data: bool(asked.append(data)))
    fsm.start()
    fsm.send_event("E", 1)
    fsm.send_event("GO")
    assert (at(fsm), asked) == (("Closed", None), [1])
    fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)


def test_a_listener_or_a_nested_machine_may_take_it() -> None:
    inner = line("Ready")
    fsm = line("Busy", "Inside")
    deferring(fsm, "Busy")
    fsm.states["Inside"].add_action(RunFsm(inner))
    fsm.start()
    fsm.send_event("E", 1)
    fsm.send_event("GO")
    assert (fsm.path, inner.event_data) == (("Inside", "Done"), 1)


def test_a_global_transition_takes_it() -> None:
    fsm = line("Busy", "Ready")
    deferring(fsm, "Busy")
    fsm.add_global_transition("F", "Done")
    fsm.start()
    fsm.send_event("F", 1)
    assert at(fsm) == ("Done", 1)  # with nothing to wait for it passes at once


def test_it_comes_before_what_was_sent_later() -> None:
    fsm = line("Busy", "Ready")
    deferring(fsm, "Busy")
    got: list[str] = []
    ready = fsm.states["Ready"]
    ready.remove_transition("E")
    for event in ("E", "F", "G"):
        ready.add_action(OnEvent(event, lambda event=event: got.append(event)))
    fsm.states["Busy"].add_action(
        OnEvent("LEAVE", lambda state: [state.send_event(each) for each in ("GO", "G")])
    )
    fsm.start()
    for event in ("E", "F", "LEAVE"):
        fsm.send_event(event)
    assert got == ["E", "F", "G"]


# Interruptions, stops and restarts


def test_it_stays_with_its_state_while_that_is_suspended() -> None:
    fsm = line("Busy", "Ready")
    deferring(fsm, "Busy")
    pause = fsm.add_state("Pause")
    fsm.add_global_transition("PAUSE", pause, suspend=True)
    pause.add_transition("E", "Done")
    pause.add_transition("GO", BACK)
    fsm.start()
    fsm.send_event("E", 1)
    fsm.send_event("PAUSE")
    assert at(fsm) == ("Pause", None)
    fsm.send_event("GO")
    fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)


def test_what_has_left_its_state_is_offered_to_an_interruption_too() -> None:
    fsm = line("Busy", "Between", "Ready")
    deferring(fsm, "Busy")
    pause = fsm.add_state("Pause")
    got: list[object] = []
    fsm.add_global_transition("PAUSE", pause, suspend=True)
    pause.add_action(OnEvent("E", lambda _, data: got.append(data)))
    fsm.start()
    fsm.send_event("E", 1)
    fsm.send_event("GO")
    fsm.send_event("PAUSE")
    assert (at(fsm), got) == (("Pause", None), [1])


def test_it_is_offered_to_a_state_that_is_resumed() -> None:
    fsm = line("Busy", "Ready")
    fsm.states["Busy"].remove_transition("GO")
    fsm.states["Busy"].add_transition("E", "Done")
    pause = fsm.add_state("Pause")
    deferring(fsm, "Pause")
    fsm.add_global_transition("PAUSE", pause, suspend=True)
    pause.add_transition("GO", BACK)
    fsm.start()
    fsm.send_event("PAUSE")
    fsm.send_event("E", 1)
    fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)


@pytest.mark.parametrize("is_under_way", [False, True])
def test_a_stop_drops_it(is_under_way: bool) -> None:
    fsm = line("Busy", "Between", "Ready")
    deferring(fsm, "Busy")
    fsm.start()
    fsm.send_event("E", 1)
    if is_under_way:
        fsm.send_event("GO")
    fsm.stop()
    fsm.start("Ready")
    assert (at(fsm), fsm.next_due) == (("Ready", None), float("inf"))


def test_a_start_somewhere_else_is_a_change_like_others() -> None:
    fsm = line("Busy", "Between", "Ready")
    deferring(fsm, "Busy")
    fsm.start()
    fsm.send_event("E", 1)
    fsm.start("Ready")
    assert at(fsm) == ("Done", 1)


def test_an_error_on_the_way_leaves_it_queued() -> None:
    fsm = line("Busy", "Ready")
    deferring(fsm, "Busy")
    fsm.states["Ready"].add_action(DelegateAction(on_enter=lambda: 1 / 0))
    fsm.start()
    fsm.send_event("E", 1)
    with pytest.raises(ZeroDivisionError):
        fsm.send_event("GO")
    fsm.update(0.0)
    assert at(fsm) == ("Done", 1)


# Inside others


def test_inside_a_composition_it_goes_on_with_the_next_state() -> None:
    fsm = line("Busy", "Ready")
    inner = Parallel(Defer("E", carry=True), TimedWait(1.0))
    fsm.states["Busy"].add_action(Sequence(inner, TimedWait(1.0)))
    fsm.start()
    fsm.send_event("E", 1)
    fsm.update(1.0)
    fsm.update(0.5)
    assert at(fsm) == ("Busy", None)
    fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)


def test_a_state_that_finishes_at_once_passes_it_on() -> None:
    fsm = line("Busy", "Through", "Ready")
    deferring(fsm, "Busy")
    fsm.states["Through"].add_transition(FINISHED, "Ready")
    fsm.start()
    fsm.send_event("E", 1)
    fsm.send_event("GO")
    assert at(fsm) == ("Done", 1)


@pytest.mark.parametrize("carry_time", [False, True])
def test_a_change_in_an_update_hands_it_on(carry_time: bool) -> None:
    fsm = line("Busy", "Between", "Ready", carry_time=carry_time)
    deferring(fsm, "Busy")
    for name, following in (("Busy", "Between"), ("Between", "Ready")):
        fsm.states[name].add_action(TimedWait(1.0))
        fsm.states[name].add_transition(FINISHED, following)
    fsm.start()
    fsm.send_event("E", 1)
    fsm.update(1.0)
    assert (at(fsm), fsm.next_due) == (("Between", None), 1.0)
    fsm.update(1.0)
    assert at(fsm) == ("Done", 1)


# Copies, snapshots, recordings


@pytest.mark.parametrize("is_under_way", [False, True])
@pytest.mark.parametrize("how", ["copied", "pickled", "saved"])
def test_a_copy_goes_on_with_it(how: str, is_under_way: bool) -> None:
    def build() -> Fsm:
        fsm = line("Busy", "Between", "Ready")
        deferring(fsm, "Busy")
        return fsm

    fsm = build()
    fsm.start()
    fsm.send_event("E", 1)
    if is_under_way:
        fsm.send_event("GO")
    if how == "copied":
        twin = copy.deepcopy(fsm)
    elif how == "pickled":
        twin = pickle.loads(pickle.dumps(fsm))
    else:
        twin = build()
        restore(twin, snapshot(fsm))
    for machine in (fsm, twin):
        assert machine.next_due == float("inf")
        for _ in range(1 if is_under_way else 2):
            machine.send_event("GO")
        assert at(machine) == ("Done", 1)


def test_a_recording_repeats_it() -> None:
    def build() -> Fsm:
        fsm = line("Busy", "Between", "Ready")
        deferring(fsm, "Busy")
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.send_event("E", 1)
        for _ in range(2):
            fsm.send_event("GO")
            fsm.update(0.5)
    assert at(fsm) == ("Done", 1)
    assert replay(build, recording)


# What tools say


def test_why_says_that_it_is_kept() -> None:
    fsm = line("Busy", "Ready")
    deferring(fsm, "Busy", until=lambda: False)
    fsm.states["Busy"].add_action(TimedWait(1.0))
    fsm.start()
    assert not why(fsm, "E").certain
    assert fsm.send_event("E")


def test_check_finds_nothing_wrong() -> None:
    fsm = line("Busy", "Between", "Ready")
    deferring(fsm, "Busy")
    fsm.add_global_transition("END", fsm.add_state("End", final=True))
    assert check(fsm) == []


def test_what_is_no_name_of_an_event_is_not_carried() -> None:
    fsm = Fsm("Printer")
    fsm.add_state("Idle")
    fsm.start()
    with pytest.raises(TypeError, match="Fsm 'Printer': an event must be a str, got 3"):
        fsm.carry_event(3)  # type: ignore[arg-type]
