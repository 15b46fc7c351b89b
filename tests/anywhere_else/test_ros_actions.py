"""A goal of ROS 2 is pursued while a state lasts; a stand-in answers from a thread."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import Timer
from types import SimpleNamespace
from typing import Any

from ros_actions import SUCCEEDED, send_goal

from actions import DelegateAction, TimedWait
from fsmkit import ERROR, FINISHED, Fsm
from fsmkit.timing import run_async

ABORTED = 6
SOON, NEVER = 0.01, 60.0
"""Seconds."""


class Client:
    """An action client whose server accepts, and ends, a goal after so many seconds."""

    def __init__(
        self,
        *,
        accepted: bool = True,
        status: int = SUCCEEDED,
        accepts_after: float = SOON,
        ends_after: float = SOON,
    ) -> None:
        self.answer = SimpleNamespace(status=status, result="at the table")
        self.handle = SimpleNamespace(
            accepted=accepted,
            get_result_async=lambda: self.later(ends_after, self.answer),
            cancel_goal_async=lambda: self.journal.append("cancelled"),
        )
        self.accepts_after = accepts_after
        self.journal: list[object] = []
        self.timers: list[Timer] = []

    def send_goal_async(self, goal: object) -> "Future[Any]":
        self.journal.append(goal)
        return self.later(self.accepts_after, self.handle)

    def later(self, seconds: float, result: object) -> "Future[Any]":
        future: Future[Any] = Future()
        timer = Timer(seconds, future.set_result, [result])
        timer.daemon = True
        timer.start()
        self.timers.append(timer)
        return future

    def join(self) -> None:
        for timer in self.timers:
            if timer.interval < NEVER:
                timer.join()


def outcome_of(client: Client, prepare: Callable[[Any], object] = lambda drive: None) -> object:
    """What led out of the state that pursues the goal: the data of the event, or its name."""
    fsm = Fsm[Any]("Robot", on_unhandled="raise")
    drive, over = fsm.add_state("Drive"), fsm.add_state("Over")
    drive.add_action(send_goal(client, "the table"))
    prepare(drive)
    for event in (FINISHED, ERROR, "STOP"):
        drive.add_transition(event, over)
    over.add_action(DelegateAction(fsm.stop))
    found: list[object] = []
    fsm.observe(SimpleNamespace(state_entered=lambda *_: found.append(fsm.event_data)))
    asyncio.run(run_async(fsm, fps=200, seconds=5.0))
    client.join()
    return found[-1]


def stop_soon(drive: Any) -> None:
    drive.add_action(TimedWait(0.1, finish_event="STOP"))


def test_what_the_server_answers_is_the_data_of_finished() -> None:
    client = Client()
    assert outcome_of(client) == "at the table"
    assert client.journal == ["the table"]


def test_a_goal_that_is_refused_is_an_error() -> None:
    assert str(outcome_of(Client(accepted=False))) == "the goal was refused"


def test_a_goal_that_is_aborted_is_an_error() -> None:
    assert str(outcome_of(Client(status=ABORTED))) == "the goal ended with status 6"


def test_a_goal_is_cancelled_when_its_state_is_exited() -> None:
    client = Client(ends_after=NEVER)
    outcome_of(client, stop_soon)
    assert client.journal == ["the table", "cancelled"]


def test_a_goal_that_is_accepted_after_the_exit_is_cancelled_too() -> None:
    client = Client(accepts_after=0.2, ends_after=NEVER)
    outcome_of(client, stop_soon)
    assert client.journal == ["the table", "cancelled"]
