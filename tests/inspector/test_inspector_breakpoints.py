"""Breakpoints: the loop is held before the change, wherever in it the change comes from."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import BACK, Fsm, FsmGroup
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.inspector.reading.explanations import INTERVAL
from fsmkit.polled import PolledFsm, State, when

PATIENCE = 60.0


def running() -> Fsm[None]:
    fsm = Fsm("Guard", on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    rest.add_action(TimedWait(1000.0))
    patrol.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition("WAKE", patrol)
    fsm.start()
    return fsm


@contextmanager
def game(*calls: Callable[[], object]) -> Iterator[None]:
    """A loop in a thread of its own, since it may be held: it repeats the calls."""
    going_on = True

    def loop() -> None:
        while going_on:
            for call in calls:
                call()
            sleep(0.001)

    thread = Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        going_on = False
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def played(page: Any, *calls: Callable[[], object]) -> Iterator[None]:
    """The loop of the page, in a thread of its own, with more calls between the updates."""
    loop, page.update = page.update, lambda: None
    with game(loop, *calls):
        yield


def once(call: Callable[[], object]) -> Callable[[], object]:
    """Return a function that calls `call` the first time only."""
    calls = [call]
    return lambda: calls and calls.pop()()


def held_at(page: Any) -> dict[str, Any]:
    held = page.frame(lambda frame: frame["held"])["held"]
    return {key: value for key, value in held.items() if key != "by"}  # see test_callers.py


def test_they_are_sent_to_every_page(inspected: Callable[..., Any]) -> None:
    page = inspected(running())
    page.ask("break", machine="Guard", kind="state", name="Rest", on=True)
    frame = page.frame(lambda frame: "breakpoints" in frame)
    [point] = frame["breakpoints"]
    assert (point["machine"], point["kind"], point["name"]) == ("Guard", "state", "Rest")


@pytest.mark.parametrize(("kind", "name"), [("state", "Rest"), ("event", "TIRED")])
@pytest.mark.parametrize("way", ["post_event", "send_event"])
def test_the_loop_is_held_before_the_change(
    kind: str, name: str, way: str, inspected: Callable[..., Any]
) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind=kind, name=name, on=True)
    with played(page, once(lambda: getattr(fsm, way)("TIRED"))):
        assert held_at(page) == {
            "machine": "Guard", "event": "TIRED", "state": "Patrol", "target": "Rest",
        }  # fmt: skip
        assert fsm.current_state is fsm.states["Patrol"]
        assert "middle of a change" in page.ask("send", machine="Guard", event="WAKE")["error"]
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == "Rest")


def test_a_machine_of_a_group_is_held_between_the_updates_of_the_group(
    inspected: Callable[..., Any],
) -> None:
    group = FsmGroup([running(), running()])
    page = inspected(group)
    page.ask("break", machine="Guard #2", kind="event", name="TIRED", on=True)
    with played(page, once(lambda: group.broadcast("TIRED"))):
        assert held_at(page)["machine"] == "Guard #2"
        assert [fsm.current_state.name for fsm in group if fsm.current_state] == ["Rest", "Patrol"]
        page.ask("resume")
        page.frame(lambda frame: frame["states"].get("Guard #2") == "Rest")


def test_a_thread_that_is_not_the_loop_is_not_held(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="event", name="TIRED", on=True)
    other = Thread(target=lambda: fsm.send_event("TIRED"))
    other.start()
    other.join(PATIENCE)
    assert not other.is_alive()
    assert fsm.current_state is fsm.states["Rest"]


def test_the_first_state_of_a_machine_inside_is_entered_after_the_breakpoint(
    inspected: Callable[..., Any],
) -> None:
    outer, inner = running(), Fsm("Dream")
    inner.add_state("Sheep").add_action(TimedWait(1000.0))
    outer.states["Rest"].add_action(RunFsm(inner))
    page = inspected(outer)
    page.ask("break", machine="Guard/Dream", kind="state", name="Sheep", on=True)
    with played(page, once(lambda: outer.send_event("TIRED"))):
        assert held_at(page) == {
            "machine": "Guard/Dream", "event": "", "state": None, "target": "Sheep",
        }  # fmt: skip
        assert not inner.is_running
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["inner"])
    assert inner.is_running


@pytest.mark.parametrize("start", ["Rest", None])
def test_a_machine_that_is_restarted_is_held_before_it_exits_its_state(
    start: str | None, inspected: Callable[..., Any]
) -> None:
    fsm = running()
    target = start or "Patrol"
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="state", name=target, on=True)
    with played(page, once(lambda: fsm.start(start))):
        assert held_at(page) == {
            "machine": "Guard", "event": "", "state": "Patrol", "target": target,
        }  # fmt: skip
        page.ask("resume")
        page.frame(lambda frame: frame["held"] is None)


def test_a_polled_machine_is_held_before_a_change_of_state(inspected: Callable[..., Any]) -> None:
    class Calm(State):
        pass

    class Angry(State):
        pass

    class Dog(PolledFsm):
        def setup_states(self) -> None:
            self.calm, self.angry = Calm(), Angry()
            self.calm.set_transitions(when(lambda: False, "is_hungry").to(self.angry))
            self.setup_first_state(self.calm)

    dog = Dog("Dog")
    page = inspected(dog.machine)
    page.ask("break", machine="Dog", kind="state", name="Angry", on=True)
    page.update = lambda: dog.update(1 / 64)
    with played(page, once(lambda: dog.change_state(dog.angry))):
        assert (held_at(page)["target"], dog.current_state) == ("Angry", dog.calm)
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == "Angry")


@pytest.mark.parametrize(
    ("do", "argument"), [("send", {"event": "TIRED"}), ("force", {"state": "Rest"})]
)
def test_a_page_that_hits_its_own_breakpoint_is_answered_at_once(
    do: str, argument: dict[str, str], inspected: Callable[..., Any]
) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="state", name="Rest", on=True)
    with played(page):
        answer = page.ask(do, machine="Guard", **argument)
        assert answer["outcome"] == "Held at the breakpoint on 'Rest'."
        assert held_at(page)["target"] == "Rest"
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == "Rest")


def test_requests_after_the_resume_wait_for_the_change(
    inspected: Callable[..., Any],
) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="event", name="TIRED", on=True)
    with played(page, once(lambda: fsm.send_event("TIRED"))):
        held_at(page)
        page.socket.send(json.dumps({"id": "resume", "do": "resume"}))
        answer = page.ask("send", machine="Guard", event="WAKE")
        assert answer["outcome"] == "'WAKE' leads from 'Rest' to 'Patrol'."
        page.frame(lambda frame: frame["detail"]["previous"] == "Rest")


def test_step_carries_the_change_out_and_pauses(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="state", name="Rest", on=True)
    with played(page, once(lambda: fsm.post_event("TIRED"))):
        held_at(page)
        page.ask("step")
        frame = page.frame(lambda frame: frame["detail"]["state"] == "Rest" and frame["paused"])
        assert frame["held"] is None


def test_a_loop_is_not_held_when_the_inspector_is_closed(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("break", machine="Guard", kind="state", name="Rest", on=True)
    with played(page, once(lambda: fsm.post_event("TIRED"))):
        held_at(page)
        page.inspector.close()
        end = monotonic() + PATIENCE
        while fsm.current_state is not fsm.states["Rest"]:
            assert monotonic() < end
            sleep(0.001)


def test_a_callback_while_held_may_fail_and_the_next_breakpoint_holds_again(
    inspected: Callable[..., Any],
) -> None:
    fsm, errors = running(), [ValueError("the window is gone")]

    def pump() -> None:
        if errors:
            raise errors.pop()

    page = inspected(fsm, while_held=pump)
    page.ask("break", machine="Guard", kind="event", name="TIRED", on=True)
    page.ask("break", machine="Guard", kind="event", name="WAKE", on=True)
    with pytest.raises(ValueError, match="the window is gone"):
        fsm.send_event("TIRED")
    with played(page, once(lambda: fsm.send_event("WAKE"))):
        # A frame of the first stop may still be pending.
        page.frame(lambda frame: frame["held"] and frame["held"]["event"] == "WAKE")
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == "Patrol")


class Door:
    """A door whose guards note when they are asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.is_locked = False
        self.fsm = fsm = Fsm("Door", on_unhandled="ignore")
        closed, opened, alarm = (fsm.add_state(name) for name in ("Closed", "Open", "Alarm"))
        closed.add_transition("PUSH", alarm, when=self.locked)
        closed.add_transition("PUSH", opened, when=self.free)
        closed.add_transition("RING", alarm, suspend=True)
        alarm.add_transition("QUIET", BACK)
        fsm.start()

    def locked(self) -> bool:
        self.asked.append("locked")
        return self.is_locked

    def free(self) -> bool:
        self.asked.append("free")
        return not self.is_locked


def test_where_guards_decide_an_event_is_held_before_the_change(
    inspected: Callable[..., Any],
) -> None:
    door = Door()
    page = inspected(door.fsm)
    page.ask("break", machine="Door", kind="event", name="PUSH", on=True)
    page.ask("break", machine="Door", kind="state", name="Open", on=True)
    with played(page, once(lambda: door.fsm.post_event("PUSH"))):
        assert held_at(page) == {
            "machine": "Door", "event": "PUSH", "state": "Closed", "target": "Alarm or Open",
        }  # fmt: skip
        assert door.fsm.current_state is door.fsm.states["Closed"]
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == "Open" and not frame["held"])
    assert door.asked == ["locked", "free"]


@pytest.mark.parametrize(("is_locked", "target"), [(True, "Alarm"), (False, "Open")])
def test_where_guards_decide_a_state_is_held_before_its_actions_are_entered(
    is_locked: bool, target: str, inspected: Callable[..., Any]
) -> None:
    door, entered = Door(), []
    door.is_locked = is_locked
    for state in ("Alarm", "Open"):
        door.fsm.states[state].add_action(
            DelegateAction(on_enter=lambda state: entered.append(state.name))
        )
    page = inspected(door.fsm)
    page.ask("break", machine="Door", kind="state", name=target, on=True)
    with played(page, once(lambda: door.fsm.post_event("PUSH"))):
        assert held_at(page) == {
            "machine": "Door", "event": "PUSH", "state": "Closed", "target": target,
        }  # fmt: skip
        assert entered == []
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == target and not frame["held"])
    assert entered == [target]
    assert len(door.asked) == (1 if is_locked else 2)


def test_a_refused_event_is_not_held(inspected: Callable[..., Any]) -> None:
    door = Door()
    door.fsm.states["Open"].add_transition("PUSH", "Closed", when=lambda: False)
    door.fsm.start("Open")
    page = inspected(door.fsm)
    page.ask("break", machine="Door", kind="event", name="PUSH", on=True)
    answer = page.ask("send", machine="Door", event="PUSH")
    assert answer["outcome"].startswith("Refused by ")
    assert page.frame()["held"] is None


def test_a_state_is_held_before_it_is_resumed(inspected: Callable[..., Any]) -> None:
    door = Door()
    door.fsm.send_event("RING")
    page = inspected(door.fsm)
    page.ask("break", machine="Door", kind="state", name="Closed", on=True)
    with played(page, once(lambda: door.fsm.send_event("QUIET"))):
        assert held_at(page) == {
            "machine": "Door", "event": "QUIET", "state": "Alarm", "target": "Closed",
        }  # fmt: skip
        assert door.fsm.current_state is door.fsm.states["Alarm"]
        page.ask("resume")
        page.frame(lambda frame: frame["detail"]["state"] == "Closed")


def test_the_machine_that_is_held_can_be_selected_and_read(inspected: Callable[..., Any]) -> None:
    def bite(_state: Any) -> None:
        raise ValueError("no teeth")

    dream = Fsm("Dream")
    dream.add_state("Sheep").add_action(DelegateAction(on_enter=bite))
    group = FsmGroup(running() for _ in range(20))
    ill = list(group)[7]
    ill.states["Rest"].add_action(RunFsm(dream))
    page = inspected(group)
    page.ask("set_breakpoint", kind="error")

    def fail() -> None:
        with pytest.raises(ValueError, match="no teeth"):
            ill.send_event("TIRED")

    with played(page, once(fail)):
        frame = page.frame(lambda frame: frame["held"])
        stop = frame["stop"]
        assert (frame["held"]["machine"], stop["machine"], stop["outermost"]) == (
            "Guard #8/Dream", "Guard #8/Dream", "Guard #8",
        )  # fmt: skip
        assert page.ask("select", machine="Guard #8")["ok"]
        is_selected = lambda frame: frame["detail"]["machine"] == "Guard #8"  # noqa: E731
        assert page.frame(is_selected)["detail"]["state"] == "Rest"
        page.ask("resume")
        page.frame(lambda frame: frame["held"] is None)


def test_a_breakpoint_can_be_removed(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    for on in (True, False):
        page.ask("break", machine="Guard", kind="event", name="TIRED", on=on)
    page.ask("send", machine="Guard", event="TIRED")
    assert fsm.current_state is fsm.states["Rest"]


@pytest.mark.slow
def test_an_agent_is_not_asked_why_while_it_is_held(inspected: Callable[..., Any]) -> None:
    asked: list[float] = []
    dig = GoapAction("Dig", 1, {}, {"hole": True}, run=lambda: [TimedWait(1000.0)])
    agent = GoapAgent(
        "Digger",
        actions=[dig],
        goals=[Goal("BeDone", {"hole": True})],
        sensors={"dark": lambda: asked.append(monotonic())},
    )
    agent.start()
    page = inspected(agent)
    page.ask("break", machine="Digger", kind="event", name="FAILED", on=True)
    page.frame(lambda frame: asked)
    with played(page, once(lambda: agent.send_event("FAILED"))):
        held_at(page)
        before, begun = len(asked), monotonic()
        frame = page.frame(lambda frame: monotonic() > begun + 3 * INTERVAL)
        assert (len(asked), frame["detail"]["why"][0]["doing"]) == (
            before,
            "does 'Dig', step 1 of 1",
        )
        page.ask("resume")
        page.frame(lambda frame: len(asked) > before)
