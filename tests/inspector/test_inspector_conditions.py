"""The details of a machine say what its conditions and guards answered last. None is asked."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from actions import Compare, InRange, SendEventWhen, WaitUntil
from fsmkit import FINISHED, Fsm
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.recording import Recording
from fsmkit.space import Transform


class Asked:
    """A guard that counts how often it is asked."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.count = 0

    def __call__(self, _state: object) -> bool:
        self.count += 1
        return self.answer


def guard(is_brave: Callable[..., object], is_weak: Callable[..., object]) -> Fsm[Any]:
    world = SimpleNamespace(body=Transform((0.0, 0.0)), thief=Transform((5.25, 0.0)), health=15)
    fsm: Fsm[Any] = Fsm("Guard", world, on_unhandled="ignore")
    patrol, chase, dead = (fsm.add_state(name) for name in ("Patrol", "Chase", "Dead"))
    near = InRange(world.body, world.thief, 4.0)
    patrol.add_action(SendEventWhen(near, "SEEN"))
    patrol.add_action(Compare(lambda: world.health, 20, greater="STRONG", every_update=True))
    patrol.add_action(WaitUntil(near))
    patrol.add_transition("SEEN", chase, when=is_brave)
    patrol.add_transition(FINISHED, chase)
    chase.add_transition("LOST", patrol)
    fsm.add_global_transition("HIT", dead, when=is_weak)
    fsm.add_global_transition("HIT", patrol)
    return fsm


def answers(frame: dict[str, Any]) -> list[list[Any]]:
    names = ("state", "event", "number", "guard", "answer", "time", "edge")
    return [[row.get(name) for name in names] for row in frame["detail"]["answers"]]


def test_an_action_shows_what_it_was_answered_and_how_near_it_was(
    inspected: Callable[..., Any],
) -> None:
    fsm = guard(Asked(True), Asked(True))
    fsm.start()
    page = inspected(fsm)
    detail = page.frame(lambda frame: frame["detail"])["detail"]
    assert [row["answers"] for row in detail["actions"]] == [
        [{"answer": "no, InRange(Transform, 4): 5.25 of 4", "share": None}],
        [{"answer": "15 < 20, by 5", "share": None}],
        [{"answer": "no, InRange(Transform, 4): 5.25 of 4", "share": None}],
    ]
    [waiting] = detail["waiting"]
    assert waiting["actions"][2]["text"] == "WaitUntil until InRange(Transform, 4): 5.25 of 4"


def test_a_guard_shows_what_it_said_last_and_is_not_asked_for_it(
    inspected: Callable[..., Any],
) -> None:
    is_brave = Asked(False)
    fsm = guard(is_brave, Asked(True))
    fsm.start()
    page = inspected(fsm)
    page.frame(lambda frame: frame["detail"])
    assert is_brave.count == 0
    fsm.send_event("SEEN")
    time = fsm.time
    frame = page.frame(lambda frame: frame["detail"] and frame["detail"]["answers"])
    [answer] = answers(frame)
    assert answer == ["Patrol", "SEEN", 1, "Asked", "no", time, "Guard__Patrol--Guard__Chase"]
    [seen, _, hit] = frame["detail"]["events"]
    assert seen["answered"] == {"answer": "no", "time": time}
    assert "answered" not in hit
    is_brave.answer = True
    fsm.send_event("SEEN")
    frame = page.frame(lambda frame: frame["detail"] and frame["detail"]["state"] == "Chase")
    assert [answer[4] for answer in answers(frame)] == ["yes"]
    assert is_brave.count == 2


def test_a_condition_as_a_guard_keeps_what_it_measured_when_it_was_asked(
    inspected: Callable[..., Any],
) -> None:
    hero = Transform((5.25, 0.0))
    near = InRange((0.0, 0.0), hero, 4.0)
    fsm: Fsm[Any] = Fsm("Door", on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_action(WaitUntil(near))  # measures anew in each update
    closed.add_transition("KNOCK", opened, when=near)
    fsm.start()
    page = inspected(fsm)
    page.frame(lambda frame: frame["detail"])
    fsm.send_event("KNOCK")
    hero.position = (9.0, 0.0)
    frame = page.frame(lambda frame: frame["detail"] and "9 of" in str(frame["detail"]["actions"]))
    [answer] = frame["detail"]["answers"]
    assert answer["answer"], answer["measured"] == ("no", "5.25 of 4")


@pytest.mark.slow
def test_a_replay_knows_what_the_guards_said() -> None:
    def build() -> Fsm[Any]:
        brave = iter([False, False, True, False, True])
        return guard(lambda: next(brave), lambda: False)

    machine, details = build(), {}
    with Recording(machine) as recording:
        machine.start()
        session = Session(machine, rate=30.0, record=False, while_held=None, signal=None)
        shown = session.subscribers.watched("Guard")
        for event in ("SEEN", "SEEN", "SEEN", "LOST", "SEEN", "SEEN", "HIT"):
            machine.send_event(event)
            details[machine.time] = shown.detail()["answers"]
            machine.update(0.25)
        session.close()
    run = OneRun(recording, build=build)
    for time in (*details, *reversed(details)):
        assert run.advance(time, inf)
        assert run.detail("Guard")["answers"] == details[time]
    last = [(row["state"], row["event"], row["answer"], row["time"]) for row in details[1.5]]
    assert last == [("Patrol", "SEEN", "yes", 1.25), ("", "HIT", "no", 1.5)]
    assert "answers" not in OneRun(recording).detail("Guard")
