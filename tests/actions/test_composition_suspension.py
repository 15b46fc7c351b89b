"""Compositions whose state is suspended for a while, and goes on."""

from typing import Any

import pytest

from actions import Parallel, Retry, Sequence, TimedWait, Timeout
from fsmkit import BACK, FINISHED, Fsm, FsmAction
from fsmkit.testing import Probe


class Oops(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise Oops


class Sleeper(Probe):
    def on_suspend(self) -> None:
        self._note("suspend")

    def on_resume(self) -> None:
        self._note("resume")


def sleeper(name: str, journal: list[str], **reactions: Any) -> Sleeper:
    action = Sleeper(name, journal, **reactions)
    action.reactions |= {"suspend": None, "resume": None}
    return action


def machine(action: FsmAction) -> Fsm:
    """Work (with the action) -> Done on FINISHED; PAUSE suspends it, RESUME goes back."""
    fsm = Fsm("M", on_unhandled="ignore")
    work, pause = fsm.add_state("Work"), fsm.add_state("Pause")
    work.add_transition("PAUSE", pause, suspend=True)
    work.add_transition(FINISHED, fsm.add_state("Done"))
    pause.add_transition("RESUME", BACK)
    pause.add_action(Probe("pause", []))
    work.add_action(action)
    fsm.start()
    return fsm


def test_those_that_are_entered_are_suspended_and_resumed_even_if_they_have_finished() -> None:
    journal: list[str] = []
    a = sleeper("a", journal, on_enter=Probe.finish)
    b, c, d = (sleeper(name, journal) for name in "bcd")
    fsm = machine(Parallel(a, Sequence(b, c), Retry(d, 1)))
    journal.clear()
    for event in ("PAUSE", "RESUME"):
        fsm.send_event(event)
        fsm.update(0.1)
    assert journal == [
        "suspend a", "suspend b", "suspend d", "resume a", "resume b", "resume d",
        "update b", "update d",
    ]  # fmt: skip


def test_all_are_suspended_and_resumed_even_if_some_of_them_fail() -> None:
    journal: list[str] = []
    children = [sleeper(name, journal) for name in "abc"]
    for child in children[:2]:
        child.reactions |= {"suspend": fail, "resume": fail}
    fsm = machine(Parallel(*children))
    for callback, event in (("suspend", "PAUSE"), ("resume", "RESUME")):
        journal.clear()
        with pytest.raises(ExceptionGroup, match="several children failed") as raised:
            fsm.send_event(event)
        assert journal == [f"{callback} a", f"{callback} b", f"{callback} c"]
        assert raised.value.exceptions[0].__notes__ == [
            f"Parallel.children[0] (Sleeper), on_{callback}"
        ]
    assert fsm.current_state.name == "Work"


def test_their_time_stands_still() -> None:
    fsm = machine(Sequence(TimedWait(1.0), Timeout(TimedWait(9.0), 1.0)))
    fsm.update(1.0)
    fsm.update(0.5)
    fsm.send_event("PAUSE")
    fsm.update(9.0)
    fsm.send_event("RESUME")
    assert fsm.current_state.name == "Work"
    fsm.update(0.5)
    assert fsm.current_state.name == "Done"


def test_all_are_exited_once_when_the_suspended_state_is_exited() -> None:
    journal: list[str] = []
    fsm = machine(Parallel(Sequence(Probe("a", journal), Probe("b", journal)), Probe("c", journal)))
    fsm.send_event("PAUSE")
    fsm.stop()
    assert journal == ["enter a", "enter c", "suspend a", "suspend c", "exit a", "exit c"]


def test_no_child_finishes_in_on_suspend_or_while_its_state_is_suspended() -> None:
    journal: list[str] = []
    b = Timeout(Probe("b", journal), 9.0)
    b.finish_event = "RESUME"
    a = sleeper("a", journal)
    a.reactions |= {"suspend": lambda _: b.finish()}
    fsm = machine(Parallel(a, b))
    fsm.send_event("PAUSE")
    b.finish()
    assert (b.finished, fsm.current_state.name) == (False, "Pause")
    fsm.send_event("RESUME")
    b.finish()
    assert b.finished
