"""Handles of delayed events that actions keep, through a snapshot: each cancels its own event."""

import json
import pickle
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from actions import RunFsm, TimedWait
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.recording import (
    Recording,
    SnapshotError,
    SnapshotMismatchError,
    restore,
    snapshot,
)
from fsmkit.testing import drive


class Fuse(FsmAction):
    """Lights a fuse on entering, and puts it out on leaving: what anybody writes."""

    def __init__(self, seconds: float = 2.0, keep: bool = False) -> None:
        self.seconds = seconds
        self.keep = keep
        self.handle: Any = None

    def on_enter(self) -> None:
        self.handle = self.fsm.send_event_after(self.seconds, "BOOM", {"size": 3}, keep=self.keep)

    def on_exit(self) -> None:
        self.handle.cancel()


class Watch(FsmAction):
    """Keeps whatever it is given later."""

    def __init__(self) -> None:
        self.seen: Any = None


def bomb(*, keep: bool = False) -> Fsm:
    fsm = Fsm("Bomb", on_unhandled="ignore")
    lit, out = fsm.add_state("Lit"), fsm.add_state("Out")
    lit.add_action(Fuse(keep=keep))
    lit.add_action(Watch())
    lit.add_transition("CUT", out)
    lit.add_transition("LOOK", fsm.add_state("Look"), suspend=True)
    fsm.states["Look"].add_transition("DONE", BACK)
    out.add_transition("LIGHT", lit)
    fsm.add_global_transition("BOOM", fsm.add_state("Crater"))
    return fsm


def saved(fsm: Fsm) -> dict[str, Any]:
    return json.loads(json.dumps(snapshot(fsm)))


def fuse(fsm: Fsm) -> Any:
    return fsm.states["Lit"].actions[0]


def watch(fsm: Fsm) -> Any:
    return fsm.states["Lit"].actions[1]


def remembered(data: dict[str, Any], place: str = "0") -> Any:
    return data["machines"][0]["actions"]["Lit"][place]["remembers"]


def test_the_handle_of_a_delayed_event_is_saved_as_a_reference() -> None:
    fsm = bomb()
    fsm.send_event_after(1.0, "EARLY", keep=True)
    fsm.start()
    data = saved(fsm)
    assert [event for _, event, _, _ in data["machines"][0]["delayed"]] == ["EARLY", "BOOM"]
    assert remembered(data) == {"handle": {"$delayed": [0, 1]}}


@pytest.mark.parametrize("keep", [False, True])
def test_a_restored_action_cancels_its_event_when_it_is_left(keep: bool) -> None:
    fsm, other, left = bomb(keep=keep), bomb(keep=keep), bomb(keep=keep)
    fsm.start()
    fsm.update(0.5)
    restore(other, saved(fsm))
    restore(left, saved(fsm))
    left.send_event("CUT")
    assert drive(other, [1.0, 1.0]) == drive(fsm, [1.0, 1.0])
    assert other.current_state is other.states["Crater"]
    assert drive(left, [1.0, 1.0]) == ["update 1", "update 1"]


def test_two_that_had_the_same_handle_have_the_same_again() -> None:
    fsm, other = bomb(), bomb()
    fsm.start()
    watch(fsm).seen = {"which": [fuse(fsm).handle, fuse(fsm).handle]}
    restore(other, saved(fsm))
    first, second = watch(other).seen["which"]
    assert first is second is fuse(other).handle
    assert (first.pending, first.event, first.due, first.data) == (True, "BOOM", 2.0, {"size": 3})
    first.cancel()
    assert saved(other)["machines"][0].get("delayed", []) == []


def test_a_handle_may_be_the_data_of_an_event() -> None:
    fsm, other = bomb(), bomb()
    fsm.start()
    fsm.post_event("LOOK_AT", fuse(fsm).handle)
    fsm.send_event_after(1.0, "LOOK_AT", fuse(fsm).handle)
    restore(other, saved(fsm))
    assert snapshot(other) == snapshot(fsm)
    assert fuse(other).handle.pending


def test_an_event_on_its_way_to_a_suspended_state_is_cancelled_as_well() -> None:
    fsm, other = bomb(), bomb()
    fsm.start()
    fsm.update(0.5)
    fsm.send_event("LOOK")
    fsm.update(5.0)
    data = saved(fsm)
    assert remembered(data) == {"handle": {"$delayed": [0, 0, 0]}}
    restore(other, data)
    assert fuse(other).handle.pending
    assert drive(other, ["DONE", 1.0, 1.0]) == drive(fsm, ["DONE", 1.0, 1.0])
    restore(other, data)
    other.send_event("DONE")
    fuse(other).handle.cancel()
    assert drive(other, [5.0]) == ["update 5"]


def test_a_machine_inside_keeps_the_handles_of_its_own_events_and_of_the_outer_one() -> None:
    def build() -> tuple[Fsm, Fsm]:
        inner, outer = bomb(), Fsm("Outer", on_unhandled="ignore")
        outer.add_state("Run").add_action(RunFsm(inner))
        return outer, inner

    (fsm, inside), (other, inner) = build(), build()
    fsm.start()
    watch(inside).seen = fsm.send_event_after(9.0, "LATE")
    restore(other, saved(fsm))
    assert watch(inner).seen.pending
    assert watch(inner).seen.event == "LATE"
    watch(inner).seen.cancel()
    inner.send_event("CUT")
    assert [machine.get("delayed") for machine in saved(other)["machines"]] == [None, None]


def delivered(fsm: Fsm) -> None:
    fsm.update(3.0)


def cancelled(fsm: Fsm) -> None:
    fuse(fsm).handle.cancel()


def dropped(fsm: Fsm) -> None:
    fsm.remove_state(fsm.states["Crater"])
    fsm.states["Lit"].add_transition("BOOM", fsm.add_state("Crater"))
    fsm.send_event("CUT")


@pytest.mark.parametrize("end", [delivered, cancelled, dropped])
def test_the_handle_of_an_event_that_is_over_can_be_saved_too(end: Callable[[Fsm], None]) -> None:
    fsm, other = bomb(), bomb()
    fsm.start()
    fsm.send_event_after(9.0, "LATE", keep=True)
    end(fsm)
    data = saved(fsm)
    assert remembered(data) == {"handle": {"$past": ["BOOM", 2.0]}}
    restore(other, data, migrate=lambda data: data)
    handle = fuse(other).handle
    assert (handle.pending, handle.event, handle.due) == (False, "BOOM", 2.0)
    handle.cancel()
    assert snapshot(other)["machines"] == data["machines"] or end is dropped


def test_a_handle_that_the_game_holds_is_that_of_the_restored_event() -> None:
    fsm = bomb()
    fsm.start()
    handle, data = fuse(fsm).handle, saved(fsm)
    fsm.send_event("CUT")
    assert not handle.pending
    fsm.send_event("LIGHT")
    later = fuse(fsm).handle
    restore(fsm, data)
    assert (fuse(fsm).handle.pending, later.pending, handle.pending) == (True, True, False)
    assert fuse(fsm).handle is later


def test_the_event_of_another_machine_cannot_be_saved() -> None:
    fsm, foreign = bomb(), bomb()
    fsm.start()
    foreign.start()
    watch(fsm).seen = fuse(foreign).handle
    with pytest.raises(
        SnapshotError,
        match=r"seen: <DelayedEvent 'BOOM' due at 2 s> belongs to a machine that is not saved with",
    ):
        snapshot(fsm)
    fuse(foreign).handle.cancel()
    assert remembered(snapshot(fsm), "1") == {"seen": {"$past": ["BOOM", 2.0]}}


@pytest.mark.parametrize("place", [[0, 1], [0, -1], [1, 0], [0, 0, 0], [0, 0, -1]])
def test_a_reference_to_no_delayed_event_is_a_mismatch(place: list[int]) -> None:
    fsm, other = bomb(), bomb()
    fsm.start()
    data = saved(fsm)
    remembered(data)["handle"] = {"$delayed": place}
    del data["checksum"]
    with pytest.raises(SnapshotMismatchError, match=r"handle: there is no (delayed event|machine)"):
        restore(other, data, migrate=lambda data: data)
    assert not other.is_running


# While a recording is attached, and copies


def test_a_handle_that_was_given_out_while_recording_is_saved_all_the_same() -> None:
    fsm, other = bomb(), bomb()
    with Recording(fsm):
        fsm.start()
        watch(fsm).seen = fsm.send_event_after(1.0, "LATE")
        data = saved(fsm)
        watch(fsm).seen.cancel()
    assert remembered(data) == {"handle": {"$delayed": [0, 1]}}
    assert remembered(data, "1") == {"seen": {"$delayed": [0, 0]}}
    with Recording(other):
        restore(other, data)
        assert drive(other, ["CUT", 5.0]) == drive(fsm, ["CUT", 5.0])


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("copied", [deepcopy, lambda fsm: pickle.loads(pickle.dumps(fsm))])
def test_a_copy_has_a_handle_of_its_own(copied: Callable[[Fsm], Fsm], recorded: bool) -> None:
    fsm = bomb()
    recording = Recording(fsm) if recorded else None
    fsm.start()
    steps = recording and len(recording.steps)
    copy = copied(fsm)
    copy.send_event("CUT")
    assert fuse(fsm).handle.pending
    assert (fuse(copy).handle.pending, copy.path) == (False, ("Out",))
    assert (recording and len(recording.steps)) == steps


@pytest.mark.slow
def test_very_many_delayed_events_are_restored_in_order() -> None:
    fsm, other = bomb(), bomb()
    for machine in (fsm, other):
        machine.add_state("A").add_action(TimedWait(1.0))
        for number in range(20_000):
            machine.send_event_after(float(number), "BOOM", number)
    restore(other, snapshot(fsm))
    assert snapshot(other) == snapshot(fsm)
