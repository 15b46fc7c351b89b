"""What a page can do: pause, step, send, force, break, go back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, current_thread
from time import sleep
from typing import Any

import pytest

from actions import DelegateAction, MoveBy, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.recording import Recording, replay
from fsmkit.space import Transform


class Guard:
    def __init__(self) -> None:
        self.transform = Transform((0.0, 0.0))
        self.steps = 0


def build() -> Fsm[Guard]:
    guard = Guard()
    fsm = Fsm("Guard", context=guard, on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(MoveBy(guard.transform, (16.0, 0.0), duration=16.0))
    patrol.add_action(DelegateAction(on_update=count_steps))
    rest.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition(FINISHED, patrol)
    rest.add_transition("WAKE", patrol)
    return fsm


def count_steps(state: Any) -> None:
    state.context.steps += 1


def running() -> Fsm[Guard]:
    fsm = build()
    fsm.start()
    return fsm


@contextmanager
def game(update: Callable[[], object]) -> Iterator[Thread]:
    """A loop in a thread of its own, for when it is held."""
    going_on = True

    def loop() -> None:
        while going_on:
            update()
            sleep(0.001)

    thread = Thread(target=loop)
    thread.start()
    try:
        yield thread
    finally:
        going_on = False
        thread.join(10.0)
        assert not thread.is_alive()


def test_pause_holds_the_machine_and_step_makes_one_update(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("pause")
    before = fsm.context.steps
    for _ in range(20):
        page.update()
    assert fsm.context.steps == before
    page.ask("step")
    for _ in range(20):
        page.update()
    assert fsm.context.steps == before + 1
    page.ask("resume")
    assert fsm.context.steps > before + 1


def test_speed_scales_the_time_in_updates_that_are_no_longer(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("speed", factor=2.5)
    time, steps = fsm.time, fsm.context.steps
    page.update()
    assert (fsm.time - time, fsm.context.steps - steps) == (pytest.approx(2.5 / 64), 3)
    page.ask("speed", factor=0.5)
    time = fsm.time
    page.update()
    assert fsm.time - time == pytest.approx(0.5 / 64)


def test_an_event_is_sent_by_the_loop_and_the_answer_says_what_it_does(
    inspected: Callable[..., Any],
) -> None:
    fsm = running()
    page = inspected(fsm)
    assert page.ask("ask", machine="Guard", event="TIRED")["why"] == (
        "'TIRED' leads from 'Patrol' to 'Rest'."
    )
    answer = page.ask("send", machine="Guard", event="TIRED", data={"by": 3})
    assert answer["outcome"] == "'TIRED' leads from 'Patrol' to 'Rest'."
    assert (fsm.current_state.name, fsm.event_data) == ("Rest", {"by": 3})
    answer = page.ask("send", machine="Guard", event="TIERD")
    assert answer["ok"]
    assert answer["outcome"].startswith("Nothing: 'Rest' has no transition for 'TIERD'")


def test_no_callback_runs_in_the_thread_of_the_server(inspected: Callable[..., Any]) -> None:
    threads = set()
    fsm: Fsm[Any] = Fsm("Guard", on_unhandled="ignore")
    for name in ("A", "B"):
        fsm.add_state(name).add_action(
            DelegateAction(on_enter=lambda _: threads.add(current_thread()))
        )
    fsm.states["A"].add_transition("GO", "B")
    fsm.start()
    page = inspected(fsm)
    page.ask("send", machine="Guard", event="GO")
    page.ask("force", machine="Guard", state="A")
    assert threads == {current_thread()}


def test_force_starts_the_machine_in_a_state(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    assert page.ask("force", machine="Guard", state="Rest")["ok"]
    assert fsm.current_state.name == "Rest"
    assert page.ask("force", machine="Guard", state="Nowhere")["error"] == (
        "'Guard' has no state 'Nowhere'."
    )


@pytest.mark.parametrize(("kind", "name"), [("state", "Rest"), ("event", "TIRED")])
def test_a_breakpoint_holds_the_loop_before_the_change(
    kind: str, name: str, inspected: Callable[..., Any]
) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind=kind, name=name, on=True)
    assert page.frame(lambda frame: "breakpoints" in frame)["breakpoints"] == [
        ["Guard", kind, name]
    ]
    fsm.post_event("TIRED")
    loop, page.update = page.update, lambda: None
    with game(loop):
        held = page.frame(lambda frame: frame["held"])["held"]
        assert held == {"machine": "Guard", "event": "TIRED", "state": "Patrol", "target": "Rest"}
        assert fsm.current_state.name == "Patrol"
        assert "middle of a change" in page.ask("send", machine="Guard", event="WAKE")["error"]
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == "Rest")


def test_step_at_a_breakpoint_carries_the_change_out_and_pauses(
    inspected: Callable[..., Any],
) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="state", name="Rest", on=True)
    fsm.post_event("TIRED")
    loop, page.update = page.update, lambda: None
    with game(loop):
        page.frame(lambda frame: frame["held"])
        page.ask("step")
        frame = page.frame(lambda frame: frame["detail"]["state"] == "Rest" and frame["paused"])
        assert frame["held"] is None


def test_a_loop_is_not_held_when_the_inspector_is_closed(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="state", name="Rest", on=True)
    fsm.post_event("TIRED")
    loop, page.update = page.update, lambda: None
    with game(loop):
        page.frame(lambda frame: frame["held"])
        page.inspector.close()
        while fsm.current_state.name != "Rest":
            sleep(0.001)


def test_a_breakpoint_can_be_taken_away(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    for on in (True, False):
        page.ask("break", machine="Guard", kind="event", name="TIRED", on=on)
    page.ask("send", machine="Guard", event="TIRED")
    assert fsm.current_state.name == "Rest"


def test_going_back_puts_the_machine_and_its_world_where_they_were(
    inspected: Callable[..., Any],
) -> None:
    fsm = running()
    page = inspected(fsm)
    for _ in range(128):
        page.update()
    page.ask("send", machine="Guard", event="TIRED")
    moment = page.ask("moment", machine="Guard", time=1.0)["moment"]
    page.ask("pause")
    assert page.ask("go_on", machine="Guard", seq=moment["seq"])["ok"]
    assert fsm.current_state.name == "Patrol"
    assert fsm.time == moment["detail"]["time"] < 1.1
    assert fsm.context.transform.position == (pytest.approx(fsm.time), 0.0)
    assert fsm.context.steps == round(fsm.time * 64)


def test_a_snapshot_is_saved_and_loaded(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    session = page.inspector.session
    from fsmkit.inspector.requests import Request

    saved: list[Any] = []
    session.ask(Request("snapshot", {"machine": None}, reply=saved.append))
    page.update()
    page.ask("send", machine="Guard", event="TIRED")
    session.ask(Request("restore", {"machine": None, "data": saved[0]["snapshot"]}))
    page.update()
    assert fsm.current_state.name == "Patrol"
    session.ask(Request("restore", {"machine": None, "data": {"no": 1}}, reply=saved.append))
    page.update()
    assert "error" in saved[1]
    assert fsm.current_state.name == "Patrol"


def test_the_recording_replays(inspected: Callable[..., Any]) -> None:
    fsm = build()
    page = inspected(fsm)
    fsm.start()
    page.ask("speed", factor=2.0)
    page.ask("send", machine="Guard", event="TIRED")
    page.ask("force", machine="Guard", state="Patrol")
    path = page.inspector.session.tape.path
    recording = Recording.load(path)
    assert [step.call for step in recording.steps if step.call != "update"] == [
        "start", "offer_event", "start",
    ]  # fmt: skip
    assert str(replay(build, recording)) == f"{len(recording.steps)} steps, all equal"
    page.inspector.close()
    assert not Path(path).exists()


def test_many_machines_are_recorded_only_if_it_is_asked_for(
    inspected: Callable[..., Any],
) -> None:
    group = FsmGroup(running() for _ in range(40))
    assert not inspected(group).hello["recorded"]


def test_an_error_of_the_machine_reaches_its_caller_and_is_told_of(
    inspected: Callable[..., Any],
) -> None:
    fsm: Fsm[Any] = Fsm("Guard", context=1)
    fsm.add_state("Work").add_action(DelegateAction(on_update=lambda state: 1 / state.context))
    fsm.start()
    page = inspected(fsm)
    fsm.context = 0
    with pytest.raises(ZeroDivisionError):
        page.update()
    fsm.context = 1
    frame = page.frame(lambda frame: frame["log"] and frame["log"][-1]["kind"] == "error")
    assert frame["log"][-1]["text"].startswith("ZeroDivisionError: division by zero\nFsm 'Guard'")


def test_a_machine_that_is_let_go_is_as_it_was_before(inspected: Callable[..., Any]) -> None:
    fsm = running()
    kind = type(fsm)
    group = FsmGroup([fsm])
    page, other = inspected(fsm), inspected(group)
    page.inspector.close()
    other.inspector.close()
    assert (type(fsm), type(group), fsm._observers) == (kind, FsmGroup, None)


def test_a_group_is_inspected_once_at_a_time(inspected: Callable[..., Any]) -> None:
    group = FsmGroup([running()])
    inspected(group)
    with pytest.raises(ValueError, match="is inspected already. Close that inspector first"):
        inspected(group)
