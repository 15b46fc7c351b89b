"""Mistakes that only a run can show: each is found, with the shortest script that leads there."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from pasting import run_pasted

from actions import DelegateAction, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmState, TransitionLoopError
from fsmkit.exploring import ExploredFinding
from fsmkit.testing import explore

Build = Callable[[], Fsm[Any]]


def found(build: Build, **options: Any) -> list[ExploredFinding]:
    return explore(build, **options).findings


def trap() -> Fsm[Any]:
    """A mine that is disarmed in time can be left; touched once it is hot, it cannot."""
    fsm = Fsm("Mine", on_unhandled="ignore")
    cold, hot, safe, stuck = map(fsm.add_state, ("Cold", "Hot", "Safe", "Stuck"))
    cold.add_action(TimedWait(2.0))
    hot.add_action(TimedWait(1.0))
    cold.add_transition("TOUCH", safe)
    cold.add_transition(FINISHED, hot)
    hot.add_transition("TOUCH", stuck)
    hot.add_transition(FINISHED, cold)
    safe.add_transition("RESET", cold)
    return fsm


def test_a_trap_that_depends_on_timing() -> None:
    (finding,) = found(trap)
    assert (finding.code, finding.place.state) == ("never-left", "Stuck")
    assert finding.script == [0.5, 0.5, 0.5, 0.5, "TOUCH"]
    run_pasted(trap, finding)


def half_trap() -> Fsm[Any]:
    """A door that can be opened again, unless it was slammed."""
    fsm = Fsm("Door", context={"jammed": False}, on_unhandled="ignore")
    opened, closed = map(fsm.add_state, ("Open", "Closed"))

    def jam(state: FsmState[Any]) -> None:
        state.context["jammed"] = True

    opened.add_transition("CLOSE", closed)
    opened.add_transition("SLAM", closed, do=jam)
    closed.add_transition("OPEN", opened, when=lambda state: not state.context["jammed"])
    return fsm


def test_a_state_that_is_left_except_when_reached_in_one_way() -> None:
    (finding,) = found(half_trap)
    assert (finding.code, finding.place.state) == ("never-left", "Closed")
    assert finding.message.startswith("Reached like this")
    assert finding.script == ["SLAM"]
    run_pasted(half_trap, finding)


def has_tried(state: FsmState[Any]) -> bool:
    return bool(state.context["tries"] > 3)


def never_true() -> Fsm[Any]:
    fsm = Fsm("Safe", context={"tries": 0}, on_unhandled="ignore")
    locked, opened = map(fsm.add_state, ("Locked", "Open"))

    def count(state: FsmState[Any]) -> None:
        state.context["tries"] = (state.context["tries"] + 1) % 3

    locked.add_transition("OPEN", opened, when=has_tried)
    locked.add_transition("TRY", locked, do=count)
    opened.add_transition("CLOSE", locked)
    return fsm


def test_a_guard_that_is_never_true() -> None:
    left, entered = found(never_true)
    assert (left.code, left.place.state) == ("never-left", "Locked")
    assert (entered.code, entered.place.state) == ("never-entered", "Open")
    assert entered.message == (
        "Nothing leads here. 'OPEN' (if has_tried) from 'Locked': its event came, and every guard "
        "refused."
    )
    assert entered.script == ["OPEN"]
    run_pasted(never_true, left)
    run_pasted(never_true, entered)


def duel() -> Fsm[Any]:
    fsm = Fsm("Duel", context={"hp": 2})
    fight, dead = fsm.add_state("Fight"), fsm.add_state("Dead", final=True)

    def hurt(state: FsmState[Any]) -> None:
        state.context["hp"] -= 1

    fight.add_transition("HIT", fight, when=lambda state: state.context["hp"] >= 0, do=hurt)
    fight.add_transition("HIT", dead)
    return fsm


def test_an_invariant_that_three_events_break() -> None:
    (finding,) = found(duel, always=lambda fsm: fsm.context["hp"] >= 0)
    assert finding.code == "broken-invariant"
    assert finding.script == ["HIT", "HIT", "HIT"]
    run_pasted(duel, finding, always=lambda fsm: fsm.context["hp"] >= 0)


def test_an_invariant_that_raises_is_broken() -> None:
    def has_name(fsm: Fsm[Any]) -> bool:
        return bool(fsm.context["name"])

    (finding,) = found(duel, always={"has a name": has_name})
    assert finding.script == []
    assert finding.message == "has a name raises KeyError: 'name'."
    run_pasted(duel, finding, has_name=has_name)


def interrupted() -> Fsm[Any]:
    """A drill whose on_exit counts on what on_resume has taken away."""
    fsm = Fsm("Drill", context={"bit": 1}, on_unhandled="ignore")
    work, pause, done = map(fsm.add_state, ("Work", "Pause", "Done"))

    class Bit(DelegateAction[Any]):
        def on_resume(self) -> None:
            self.context["bit"] = 0

        def on_exit(self) -> None:
            1 / self.context["bit"]

    work.add_action(Bit(lambda state: state.context.update(bit=1), lambda: None))
    fsm.add_global_transition("PAUSE", pause, suspend=True)
    pause.add_transition("GO_ON", BACK)
    work.add_transition("DONE", done)
    done.add_transition("AGAIN", work)
    return fsm


def test_an_exit_that_raises_only_after_an_interruption() -> None:
    (finding,) = found(interrupted)
    assert (finding.code, finding.place.state) == ("raises", "Work")
    assert finding.script == ["PAUSE", "GO_ON", "DONE"]
    assert finding.message.startswith("ZeroDivisionError: division by zero (")
    run_pasted(interrupted, finding)


def loop() -> Fsm[Any]:
    """Two states that hand on to each other at once, when both switches are on."""
    fsm = Fsm("Relay", context=set(), on_unhandled="ignore")
    idle, left, right = map(fsm.add_state, ("Idle", "Left", "Right"))
    for name in ("A", "B"):
        idle.add_transition(name, idle, do=lambda state, name=name: state.context.add(name))
    idle.add_transition("GO", left)
    left.add_transition(FINISHED, right, when=lambda state: "A" in state.context)
    left.add_transition("STOP", idle)
    right.add_transition(FINISHED, left, when=lambda state: "B" in state.context)
    right.add_transition("STOP", idle)
    return fsm


def test_a_loop_that_needs_two_events() -> None:
    (finding,) = found(loop)
    assert finding.code == "endless-loop"
    assert sorted(finding.script or [])[:2] == ["A", "B"]
    assert (finding.script or [])[-1] == "GO"
    assert len(finding.script or []) == 3
    run_pasted(loop, finding, TransitionLoopError=TransitionLoopError)


def unheard() -> Fsm[Any]:
    fsm = Fsm("Guard")
    sleep, watch = map(fsm.add_state, ("Sleep", "Watch"))
    yawn_later = partial(Fsm.send_event_after, delay=1.0, event="YAWN", keep=True)
    watch.add_action(DelegateAction(lambda state: yawn_later(state.fsm)))
    sleep.add_transition("ALARM", watch)
    watch.add_transition("YAWN", sleep)
    watch.add_transition("CALM", sleep)
    return fsm


def test_an_event_of_the_machine_itself_that_comes_too_late() -> None:
    (finding,) = found(unheard, inputs=["ALARM", "CALM"], moments=50)
    assert (finding.code, finding.place.state, finding.place.event) == (
        "unhandled-event", "Sleep", "YAWN",
    )  # fmt: skip
    assert finding.script == ["ALARM", "CALM", 0.5, 0.5]
    run_pasted(unheard, finding)


@pytest.mark.parametrize("build", [trap, half_trap, never_true, duel, interrupted, loop])
def test_the_walk_is_complete(build: Build) -> None:
    assert explore(build).walk.seen.cuts <= {"errors"}


def shouting_into_a_loop() -> Fsm[Any]:
    """Once, it shouts where nobody listens, and goes round without end in the same step."""
    fsm = Fsm("Relay")
    idle, round_ = fsm.add_state("Idle"), fsm.add_state("Round")
    round_.add_action(DelegateAction(lambda state: state.send_event("SHOUT")))
    idle.add_transition("GO", round_)
    round_.add_transition(FINISHED, round_)
    return fsm


def test_nothing_else_is_said_about_a_step_that_raises() -> None:
    findings = [each for each in found(shouting_into_a_loop) if each.script == ["GO"]]
    assert [finding.code for finding in findings] == ["endless-loop"]
    run_pasted(shouting_into_a_loop, findings[0], TransitionLoopError=TransitionLoopError)
