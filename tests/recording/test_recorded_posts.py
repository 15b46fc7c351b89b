"""What is posted while a recording is attached: at once to the machine, and once in the steps."""

import copy
import pickle
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from actions import DelegateAction, RunFsm
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.observer import Observer
from fsmkit.recording import Recording, replay, restore, snapshot
from fsmkit.testing import Probe

LONG = 20.0
"""Seconds after which a test gives up waiting for a thread: far more than it ever takes."""


def door(*actions: FsmAction[Any]) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Door", on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition("CLOSE", closed)
    for action in actions:
        closed.add_action(action)
    return fsm


def calls(recording: Recording) -> list[str]:
    return [str(step).partition("  ")[2] for step in recording.steps]


def in_a_thread(act: Callable[[], object]) -> None:
    """Do something in another thread, and wait for it."""
    thread = Thread(target=act, daemon=True)
    thread.start()
    thread.join(LONG)
    assert not thread.is_alive(), "the thread waits for the machine"


@pytest.mark.parametrize("post", [in_a_thread, lambda act: act()], ids=["thread", "same"])
def test_a_save_game_holds_what_was_posted(post: Callable[[Callable[[], object]], None]) -> None:
    fsm, other = door(), door()
    with Recording(fsm) as recording:
        fsm.start()
        post(lambda: fsm.post_event("OPEN", {"by": "hand"}))
        assert calls(recording)[1:] == ["Door.post_event('OPEN', {'by': 'hand'})"]
        restore(other, snapshot(fsm))
        other.update(0.1)
        fsm.update(0.1)
    assert [each.current_state.name for each in (fsm, other)] == ["Open", "Open"]
    assert replay(door, recording)


def test_what_was_posted_before_a_save_game_is_loaded_is_dropped() -> None:
    fsm = door()
    with Recording(fsm):
        fsm.start()
        saved = snapshot(fsm)
        fsm.post_event("OPEN")
        restore(fsm, saved)
        fsm.update(0.1)
    assert fsm.current_state.name == "Closed"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda fsm: pickle.loads(pickle.dumps(fsm))])
def test_a_copy_holds_what_was_posted(copied: Callable[[Fsm[Any]], Fsm[Any]]) -> None:
    fsm = door()
    with Recording(fsm, keep=True):
        fsm.start()
        fsm.post_event("OPEN")
        other = copied(fsm)
    other.update(0.1)
    assert other.current_state.name == "Open"


def test_a_post_to_a_nested_machine_goes_to_that_machine() -> None:
    def build() -> FsmGroup:
        return FsmGroup([door(RunFsm(door())), door()])

    group = build()
    outer, other = group
    (inner,) = outer.states["Closed"].actions[0].machines
    with Recording(group) as recording:
        for fsm in group:
            fsm.start()
        inner.post_event("OPEN")
        other.post_event("OPEN")
        saved = snapshot(group)
        group.update(0.1)
    assert calls(recording)[2:] == [
        "Door/Door.post_event('OPEN')", "Door #2.post_event('OPEN')",
        "Door.update(0.1)", "Door #2.update(0.1)",
    ]  # fmt: skip
    assert replay(build, recording)
    again = build()
    restore(again, saved)
    again.update(0.1)
    (again_inner,) = next(iter(again)).states["Closed"].actions[0].machines
    assert again_inner.current_state.name == inner.current_state.name == "Open"


# Other threads, in the middle of a call


def posting(fsm: Fsm[Any], *events: str) -> Callable[[], None]:
    def post() -> None:
        for event in events:
            fsm.post_event(event)

    return post


def test_a_post_in_the_middle_of_a_call_is_a_step_after_it_and_nobody_waits() -> None:
    fsm = door(DelegateAction(None, lambda _: in_a_thread(posting(fsm, "OPEN", "KNOCK"))))
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
        waiting = snapshot(fsm)["machines"][0]["posted"]
        fsm.update(1.0)
    assert calls(recording) == [
        "Door.start()", "Door.update(1.0)", "Door.post_event('OPEN')", "Door.post_event('KNOCK')",
        "Door.update(1.0)",
    ]  # fmt: skip
    assert waiting == [["OPEN", None], ["KNOCK", None]]
    assert fsm.current_state.name == "Open"
    assert replay(lambda: door(DelegateAction(None, lambda _: None)), recording)


def test_a_post_in_the_middle_of_a_finish_is_not_lost_either() -> None:
    def build(act: Callable[[Any], object]) -> Fsm[Any]:
        fsm = door()
        fsm.states["Open"].add_action(DelegateAction(None, str, act)).finish_event = "CLOSE"
        return fsm

    fsm = build(lambda _: in_a_thread(posting(fsm, "OPEN")))
    with Recording(fsm) as recording:
        fsm.start("Open")
        fsm.states["Open"].actions[0].finish()
        assert snapshot(fsm)["machines"][0]["posted"] == [["OPEN", None]]
        fsm.update(1.0)
    assert calls(recording) == [
        "Door.start('Open')", "Door.finish(['Open', 0])", "Door.post_event('OPEN')",
        "Door.update(1.0)",
    ]  # fmt: skip
    assert replay(lambda: build(lambda _: None), recording)


def test_a_recording_that_ends_in_the_middle_of_a_call_leaves_no_post_behind() -> None:
    def post_and_detach(_: Probe) -> None:
        in_a_thread(posting(fsm, "OPEN"))
        recording.detach()

    fsm = door(Probe("p", [], on_update=post_and_detach))
    recording = Recording(fsm)
    fsm.start()
    fsm.update(1.0)
    fsm.update(1.0)
    assert fsm.current_state.name == "Open"
    assert calls(recording) == ["Door.start()"]


def test_what_a_callback_posts_is_part_of_its_call() -> None:
    def build() -> Fsm[Any]:
        return door(Probe("p", [], on_enter=lambda probe: probe.fsm.post_event("OPEN")))

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
    assert calls(recording) == ["Door.start()", "Door.update(1.0)"]
    assert replay(build, recording)


class Opener(Observer):
    """Opens the door again whenever it is closed, as a tool may: by posting."""

    def state_entered(self, fsm: Fsm[Any], state: Any, event: str | None) -> None:
        if state.name == "Closed":
            fsm.post_event("OPEN")


def test_what_an_observer_posts_is_part_of_the_call_that_it_observed() -> None:
    def build() -> Fsm[Any]:
        fsm = door()
        fsm.observe(Opener())
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
    assert calls(recording) == ["Door.start()", "Door.update(1.0)"]
    assert fsm.current_state.name == "Open"
    assert replay(build, recording)


def test_several_recordings_each_have_every_post_once() -> None:
    fsm, other = door(Probe("p", [], on_update=lambda _: in_a_thread(post))), door()
    group = FsmGroup([other])

    def post() -> None:
        fsm.post_event("OPEN")
        other.post_event("OPEN")

    first = Recording(FsmGroup([fsm, other]))
    second, third = Recording(fsm), Recording(group)
    fsm.start()
    other.start()
    fsm.update(1.0)
    post()
    group.update(1.0)
    assert calls(first) == [
        "Door.start()", "Door #2.start()", "Door.update(1.0)",
        "Door #2.post_event('OPEN')", "Door.post_event('OPEN')",
        "Door.post_event('OPEN')", "Door #2.post_event('OPEN')", "Door #2.update(1.0)",
    ]  # fmt: skip
    assert calls(second) == [
        "Door.start()", "Door.update(1.0)", "Door.post_event('OPEN')", "Door.post_event('OPEN')",
    ]  # fmt: skip
    assert calls(third) == [
        "Door.start()", "Door.post_event('OPEN')", "Door.post_event('OPEN')", "Door.update(1.0)",
    ]  # fmt: skip


def test_many_threads_that_post_while_the_machine_runs_are_replayed() -> None:
    def build() -> FsmGroup:
        return FsmGroup([door(), door()])

    group = build()
    first, second = group

    def post(number: int) -> None:
        for turn in range(200):
            (first, second)[turn % 2].post_event(("OPEN", "CLOSE")[turn // 2 % 2], (number, turn))
        done.append(number)

    done: list[int] = []
    with Recording(group) as recording:
        first.start()
        second.start()
        threads = [Thread(target=post, args=(n,), daemon=True) for n in range(4)]
        for thread in threads:
            thread.start()
        while len(done) < 4:
            group.update(0.01)
        for thread in threads:
            thread.join(LONG)
        group.update(0.01)
    posts = [step.arguments["data"] for step in recording.steps if step.call == "post_event"]
    assert sorted(posts) == [(n, turn) for n in range(4) for turn in range(200)]
    for number in range(4):
        assert [turn for n, turn in posts if n == number] == [*range(200)]
    assert replay(build, recording)


# Wrong ones


@pytest.mark.parametrize("wrong", [1, None, b"OPEN", ["OPEN"]])
def test_a_wrong_event_raises_where_it_is_posted(wrong: Any) -> None:
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        with pytest.raises(TypeError, match="event"):
            fsm.post_event(wrong)
        fsm.update(1.0)
    assert [(step.call, step.raised[:9]) for step in recording.steps] == [
        ("start", ""), ("post_event", "TypeError"), ("update", ""),
    ]  # fmt: skip
    assert replay(door, recording)


def test_a_wrong_event_of_another_thread_raises_there() -> None:
    errors: list[TypeError] = []

    def post() -> None:
        try:
            fsm.post_event(1)  # type: ignore[arg-type]
        except TypeError as error:
            errors.append(error)

    fsm = door(Probe("p", [], on_update=lambda _: in_a_thread(post)))
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
    assert len(errors) == 1
    assert [step.call for step in recording.steps] == ["start", "update", "post_event"]
    assert replay(lambda: door(Probe("p", [])), recording)
