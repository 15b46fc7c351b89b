"""What a walk does not see although nothing is wrong: within a step, or in this world."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actions import DelegateAction, SendEvent, SendEventWhen, TimedWait, WaitUntil
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.cli import main
from fsmkit.exploring import ExploredFinding, explore


def relay() -> Fsm[Any]:
    """From Rest it goes round by the others at once, and is back in Rest."""
    fsm = Fsm("Relay")
    rest, one, two = map(fsm.add_state, ("Rest", "One", "Two"))
    rest.add_action(TimedWait(1.0))
    for state, target in ((rest, one), (one, two), (two, rest)):
        state.add_transition(FINISHED, target)
    return fsm


def test_a_state_that_is_left_within_a_step_is_left() -> None:
    assert explore(relay).findings == []


def blinking() -> Fsm[Any]:
    """PRESSED leads to On and back at once; nothing else is to be seen of it."""
    fsm = Fsm("Lamp")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESSED", on)
    on.add_transition(FINISHED, off)
    return fsm


def test_an_input_that_leads_away_and_back_leads_away() -> None:
    assert explore(blinking).findings == []


def test_a_self_transition_leads_nowhere() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Door", on_unhandled="ignore")
        opened, jammed = fsm.add_state("Open"), fsm.add_state("Jammed")
        opened.add_transition("SLAM", jammed)
        jammed.add_transition("SLAM", jammed)
        return fsm

    assert [finding.code for finding in explore(build).findings] == ["never-left"]


class Listen(FsmAction[Any]):
    """Sends THIEF when it hears something. It never finishes by itself."""

    def on_update(self) -> None:
        if self.context["noise"] > 3:
            self.fsm.send_event("THIEF")


def about_thieves(make: Callable[[], FsmAction[Any]]) -> ExploredFinding:
    """Return what a walk says about an alarm that a THIEF sets off, and that no THIEF has."""

    def build() -> Fsm[Any]:
        fsm = Fsm("Guard", context={"noise": 0})
        watch, alarm, asleep = map(fsm.add_state, ("Watch", "Alarm", "Asleep"))
        watch.add_action(make())
        watch.add_transition("THIEF", alarm)
        watch.add_transition("BELL", alarm)
        watch.add_transition("YAWN", asleep)
        watch.add_action(TimedWait(0.5, "YAWN"))
        alarm.add_transition("CALM", watch)
        asleep.add_transition("WAKE", watch)
        return fsm

    (finding,) = explore(build).findings
    assert (finding.code, finding.place.event) == ("never-taken", "THIEF")
    return finding


def is_noisy(state: FsmState[Any]) -> bool:
    return bool(state.context["noise"] > 3)


def shout_if_noisy(state: FsmState[Any]) -> None:
    if state.context["noise"]:
        state.fsm.send_event("THIEF")


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: SendEventWhen(is_noisy, "THIEF"), "SendEventWhen"),
        (Listen, "Listen"),
        (lambda: DelegateAction(on_update=shout_if_noisy), "DelegateAction"),
        (
            lambda: WaitUntil(is_noisy, finish_event="THIEF"),
            "WaitUntil",
        ),
    ],
)
def test_a_condition_that_was_never_met_is_no_mistake(
    make: Callable[[], FsmAction[Any]], name: str
) -> None:
    finding = about_thieves(make)
    assert finding.severity == "info"
    assert finding.message == (
        f"'THIEF' from 'Watch' to 'Alarm' is never taken: {name} of 'Watch' sends its event, but "
        "never had reason to."
    )
    assert finding.advice == (
        "If it also comes from outside, say so: inputs=['BELL', 'CALM', 'WAKE', 'THIEF']."
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: SendEvent("THIEF", delay=9.0),
        lambda: TimedWait(9.0, "THIEF"),
        lambda: DelegateAction(lambda state: state.fsm.send_event_after(9.0, "THIEF")),
    ],
)
def test_an_event_that_comes_too_late_in_any_world_is_a_mistake(
    make: Callable[[], FsmAction[Any]],
) -> None:
    finding = about_thieves(make)
    assert (finding.severity, finding.message.rpartition(": ")[2]) == (
        "warning", "its event never came.",
    )  # fmt: skip


def test_a_guard_that_always_refused_is_a_mistake() -> None:
    def build() -> Fsm[Any]:
        fsm = blinking()
        fsm.states["Off"].add_action(SendEventWhen(lambda: True, "PUSHED"))
        fsm.states["Off"].add_transition("PUSHED", "On", when=lambda: False)
        return fsm

    (finding,) = explore(build).findings
    assert (finding.code, finding.severity) == ("never-taken", "warning")


def test_a_state_that_waits_for_this_world_alone_is_no_mistake() -> None:
    def build() -> Fsm[Any]:
        fsm = blinking()
        alarm = fsm.add_state("Alarm", final=True)
        fsm.states["Off"].add_action(SendEventWhen(lambda: False, "THIEF"))
        fsm.states["Off"].add_transition("THIEF", alarm)
        return fsm

    (finding,) = explore(build).findings
    assert (finding.code, finding.severity) == ("never-entered", "info")


def test_there_is_nothing_to_say_about_a_new_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "patrol.py"]) == 0
    assert main(["check", "patrol.py", "--explore", "--strict"]) == 0


def test_a_state_that_is_passed_through_is_stuck_only_if_it_was_reached_in_another_way() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Game", on_unhandled="ignore")
        play, hint = fsm.add_state("Play"), fsm.add_state("Hint")
        play.add_transition("LOOK", hint, suspend=True)
        play.add_transition("STOP", hint)
        hint.add_transition(FINISHED, BACK)
        return fsm

    (finding,) = explore(build).findings
    assert (finding.code, finding.script) == ("never-left", ["STOP"])
    assert finding.message.startswith("Reached like this, the state is never left again.")
