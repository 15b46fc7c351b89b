"""Time: few moments, and yet every order of events and timeouts that matters."""

from typing import Any

import pytest

from actions import Cooldown, DelegateAction, RunFsm, TimedWait, WaitFrames
from fsmkit import BACK, FINISHED, Fsm, FsmAction
from fsmkit.exploring import Exploration, explore
from fsmkit.exploring.rehearsal import StateKey


def long_and_short() -> Fsm[Any]:
    """A wait of half a minute, and a flash that is over at once."""
    fsm = Fsm("Beacon", on_unhandled="ignore")
    dark, flash, off = map(fsm.add_state, ("Dark", "Flash", "Off"))
    dark.add_action(TimedWait(30.0))
    flash.add_action(TimedWait(0.1))
    dark.add_transition(FINISHED, flash)
    flash.add_transition(FINISHED, dark)
    for state in (dark, flash):
        state.add_transition("SWITCH", off)
    off.add_transition("SWITCH", dark)
    return fsm


def test_a_long_wait_is_one_moment() -> None:
    exploration = explore(long_and_short)
    assert (exploration.moments, exploration.is_complete, bool(exploration)) == (3, True, True)
    assert exploration.script_to("Flash") == [0.5] * 60


def test_a_step_ends_where_something_is_due() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Lamp")
        on, off = fsm.add_state("On"), fsm.add_state("Off")
        on.add_action(TimedWait(0.7))
        off.add_action(DelegateAction(lambda state: state.fsm.send_event_after(0.3, "ON")))
        on.add_transition(FINISHED, off)
        off.add_transition("ON", on)
        return fsm

    assert explore(build, inputs=[]).script_to("Off") == [0.5, 0.2]
    assert explore(build, inputs=[]).coverage.transitions == 2


def race(first: float, *others: float) -> Any:
    """Build a machine in which GO starts a wait while other events are on their way."""

    def build() -> Fsm[Any]:
        fsm = Fsm("Race", context=[], on_unhandled="ignore")
        idle, runs = fsm.add_state("Idle"), fsm.add_state("Runs")
        early, late, middle = map(fsm.add_state, ("Early", "Late", "Middle"))
        for place, seconds in enumerate(others):
            fsm.send_event_after(seconds, f"BELL {place}", keep=True)
        runs.add_action(TimedWait(first))
        idle.add_transition("GO", runs)
        runs.add_transition("BELL 0", runs, when=lambda: False)
        for state, others_rung in ((early, 0), (middle, 1), (late, len(others))):
            runs.add_transition(
                FINISHED, state,
                when=lambda state, n=others_rung: len(state.context) == n,
            )  # fmt: skip
        fsm.add_state("Bell").add_action(RingAction())
        for place in range(len(others)):
            fsm.add_global_transition(f"BELL {place}", "Bell", suspend=True)
        fsm.states["Bell"].add_transition(FINISHED, BACK)
        return fsm

    return build


class RingAction(FsmAction[list[str]]):
    """Notes that a bell has rung."""

    def on_enter(self) -> None:
        self.context.append(str(self.fsm.last_event))
        self.finish()


def states_entered(exploration: Exploration) -> set[str]:
    return {key.state for key in exploration.walk.seen.results.of(StateKey)}


class CountLinesAction(FsmAction[Any]):
    """Counts its updates, up to three."""

    def on_enter(self) -> None:
        self.count = 0
        self.most = 3

    def on_update(self) -> None:
        self.count = min(self.count + 1, self.most)


class CountPairAction(CountLinesAction):
    def on_enter(self) -> None:
        self.count, self.most = 0, 3


@pytest.mark.parametrize("action", [CountLinesAction, CountPairAction])
def test_what_is_set_on_every_entry_is_not_remembered(action: type[FsmAction[Any]]) -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Counter")
        counts, rests = fsm.add_state("Counts"), fsm.add_state("Rests")
        counts.add_action(action())
        counts.add_transition("REST", rests)
        rests.add_transition("COUNT", counts)
        return fsm

    assert explore(build).moments == 5  # 0 to 3 updates, and rest


def test_two_times_end_in_either_order() -> None:
    entered = states_entered(explore(race(0.5, 0.8), inputs=["GO"]))
    assert {"Early", "Middle"} <= entered


@pytest.mark.slow
def test_with_every_step_three_times_end_in_every_order() -> None:
    every = explore(race(2.0, 10.0, 11.0), inputs=["GO"], every_step=True)
    assert {"Early", "Middle", "Late"} <= states_entered(every)


def test_what_a_guard_sees_on_the_way_is_found() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Ferry", context={"x": 0.0}, on_unhandled="ignore")
        sails, docked = fsm.add_state("Sails"), fsm.add_state("Docked", final=True)
        sails.add_action(
            DelegateAction(on_update=lambda state: state.context.update(x=state.context["x"] + 1.0))
        )
        sails.add_transition("DOCK", docked, when=lambda state: 4.0 < state.context["x"] < 6.0)
        return fsm

    assert explore(build, seconds=5.0).script_to("Docked") == [0.5] * 5 + ["DOCK"]


def test_frames_are_counted_one_by_one() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Blink")
        shut, opened = fsm.add_state("Shut"), fsm.add_state("Open")
        shut.add_action(WaitFrames(3))
        shut.add_transition(FINISHED, opened)
        opened.add_transition("SHUT", shut)
        return fsm

    exploration = explore(build)
    assert (exploration.is_complete, exploration.script_to("Open")) == (True, [0.5, 0.5, 0.5])


def test_a_cooldown_is_counted_from_now() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Gun", on_unhandled="ignore")
        aim, shoot = fsm.add_state("Aim"), fsm.add_state("Shoot")
        aim.add_action(Cooldown("FIRE", 2.0))
        aim.add_transition("FIRE", shoot)
        shoot.add_transition("DONE", aim)
        return fsm

    exploration = explore(build, inputs=["FIRE", "DONE"])
    assert exploration.is_complete
    assert exploration.moments < 20


def test_what_code_asks_about_tells_moments_apart() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Sleeper", on_unhandled="ignore")
        awake, asleep = fsm.add_state("Awake"), fsm.add_state("Asleep")
        awake.add_transition("TIRED", asleep, when=lambda state: state.fsm.time_in_state > 3.0)
        asleep.add_transition("WAKE", awake)
        return fsm

    assert explore(build).script_to("Asleep") == [*[0.5] * 7, "TIRED"]


def test_the_walk_does_not_go_beyond_its_seconds() -> None:
    exploration = explore(long_and_short, seconds=10.0)
    assert exploration.cuts == ("up to 10 s",)
    assert not exploration.is_complete
    assert exploration.findings == []


def test_nested_machines_and_what_interrupts_them_are_walked() -> None:
    def build() -> Fsm[Any]:
        inner = Fsm("Steps")
        left, right = inner.add_state("Left"), inner.add_state("Right")
        for one, other in ((left, right), (right, left)):
            one.add_action(TimedWait(1.0))
            one.add_transition(FINISHED, other)
        fsm = Fsm("Walker", on_unhandled="ignore")
        walk, pause = fsm.add_state("Walk"), fsm.add_state("Pause")
        walk.add_action(RunFsm(inner))
        walk.add_transition("PAUSE", pause, suspend=True)
        pause.add_transition("GO_ON", BACK)
        return fsm

    exploration = explore(build)
    assert str(exploration.coverage) == "4 of 4 transitions"
    assert exploration.is_complete
    assert exploration.script_to("Right", "Walker/Steps") == [0.5, 0.5]
