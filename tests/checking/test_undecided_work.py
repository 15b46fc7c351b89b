"""Work of tasks and threads in states that may be suspended: somebody has to choose."""

from typing import Any

import pytest

from actions import (
    Await,
    Cooldown,
    Coroutine,
    IgnoreEvents,
    InThread,
    Parallel,
    Retry,
    RunFsm,
    Sequence,
    TimedWait,
    Timeout,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking import Finding, Place, check


async def drive() -> None: ...


def think() -> None: ...


def robot(*actions: FsmAction[Any]) -> Fsm[Any]:
    """Go (with the actions) leads to There; STOP suspends any state for Stopped."""
    fsm = Fsm("Robot")
    go, stopped = fsm.add_state("Go"), fsm.add_state("Stopped")
    there = fsm.add_state("There", final=True)
    for action in actions:
        go.add_action(action)
    go.add_transition(FINISHED, there)
    go.add_transition("OUT", there)
    fsm.add_global_transition("STOP", stopped, suspend=True)
    stopped.add_transition("RELEASE", BACK)
    return fsm


def found(fsm: Fsm[Any]) -> list[str]:
    return [
        f"{finding.place.machine}: {finding.place.inside}"
        for finding in check(fsm)
        if finding.code == "work-suspended"
    ]


HERE = "Robot: state 'Go', actions[0]"


def test_a_task_that_may_be_suspended_is_a_finding() -> None:
    assert check(robot(Await(drive))) == [
        Finding(
            "work-suspended",
            "warning",
            Place("Robot", "Go", "actions[0] (Await)"),
            "'STOP' may suspend the state: its Await is then cancelled, and begun again when it is "
            "resumed.",
            'Say which is meant: suspended="begin again" or suspended="go on".',
        )
    ]


def test_and_so_is_a_thread() -> None:
    assert check(robot(InThread(think))) == [
        Finding(
            "work-suspended",
            "warning",
            Place("Robot", "Go", "actions[0] (InThread)"),
            "'STOP' may suspend the state: the function of its InThread then goes on in its "
            "thread.",
            "If it moves anything, let it ask whether it still may; then say so: "
            'suspended="go on".',
        )
    ]


@pytest.mark.parametrize(
    "action",
    [
        Await(drive, suspended="go on"),
        Await(drive, suspended="begin again"),
        InThread(think, suspended="go on"),
        Retry(InThread(think, suspended="go on"), 3),
    ],
)
def test_a_choice_is_enough(action: FsmAction[Any]) -> None:
    assert check(robot(action)) == []


@pytest.mark.parametrize("make", [lambda: Await(drive), lambda: InThread(think)])
def test_it_is_found_inside_other_actions(make: Any) -> None:
    kind = type(make()).__name__
    assert found(robot(Retry(make(), 3))) == [f"{HERE} (Retry), children[0] ({kind})"]
    assert found(robot(Timeout(make(), 3.0))) == [f"{HERE} (Timeout), children[0] ({kind})"]
    deep = Sequence(TimedWait(1.0), Parallel(Retry(make(), 2), make()))
    inside = f"{HERE} (Sequence), children[1] (Parallel), children"
    assert found(robot(deep)) == [
        f"{inside}[0] (Retry), children[0] ({kind})",
        f"{inside}[1] ({kind})",
    ]


def test_it_is_found_in_a_nested_machine_however_deep() -> None:
    arm, hand = Fsm("Arm"), Fsm("Hand")
    for fsm in (arm, hand):
        fsm.add_state("Work").add_transition("DONE", fsm.add_state("End", final=True))
    arm.states["Work"].add_action(RunFsm(hand))
    hand.states["Work"].add_action(Await(drive))
    findings = check(robot(RunFsm(arm)))
    assert [str(finding.place) for finding in findings] == [
        "Fsm 'Robot/Arm/Hand', state 'Work', actions[0] (Await)"
    ]
    assert findings[0].message == (
        "The state may be suspended with 'Go' of Fsm 'Robot', in which its machine runs: its Await "
        "is then cancelled, and begun again when it is resumed."
    )


def test_a_nested_machine_suspends_too() -> None:
    outer = Fsm("Outer")
    outer.add_state("Run").add_action(RunFsm(robot(Await(drive)), {"There": "DONE"}))
    outer.states["Run"].add_transition("DONE", outer.add_state("End", final=True))
    assert found(outer) == ["Outer/Robot: state 'Go', actions[0] (Await)"]


def test_a_transition_of_the_state_itself_counts() -> None:
    fsm = Fsm("Robot")
    go, stopped = fsm.add_state("Go"), fsm.add_state("Stopped")
    go.add_action(Await(drive))
    go.add_transition("STOP", stopped, suspend=True, when=lambda: bool(fsm.time))
    stopped.add_transition("RELEASE", BACK)
    assert found(fsm) == [f"{HERE} (Await)"]


def test_where_nothing_suspends_there_is_nothing_to_say() -> None:
    fsm = Fsm("Robot")
    go, stopped = fsm.add_state("Go"), fsm.add_state("Stopped")
    go.add_action(Await(drive))
    go.add_transition("STOP", stopped)
    stopped.add_action(InThread(think))
    stopped.add_transition(FINISHED, go)
    assert found(fsm) == []


def test_nor_in_the_state_that_interrupts() -> None:
    fsm = robot()
    fsm.states["Stopped"].add_action(InThread(think))
    assert found(fsm) == []


def test_nor_where_the_state_leaves_instead() -> None:
    fsm = robot(Await(drive))
    fsm.states["Go"].add_transition("STOP", "There")
    assert found(fsm) == []


def test_nor_where_the_event_is_kept() -> None:
    assert found(robot(Await(drive), IgnoreEvents("STOP"))) == []
    assert found(robot(Await(drive), Cooldown("STOP", 1.0))) == [f"{HERE} (Await)"]


def careless(state: FsmState[Any]) -> Any:
    yield 1.0
    yield Await(drive)


def careful(state: FsmState[Any]) -> Any:
    yield Await(drive, suspended="go on")


def by_another() -> Any:
    yield from _parts()


def _parts() -> Any:
    yield InThread(think)


@pytest.mark.slow
def test_a_routine_is_read() -> None:
    assert found(robot(Coroutine(careless))) == [f"{HERE} (Coroutine)"]
    assert found(robot(Coroutine(careful))) == []
    assert found(robot(Coroutine(by_another))) == [f"{HERE} (Coroutine)"]


class Own(Await[Any]):
    def on_suspend(self) -> None:
        self.on_exit()

    def on_resume(self) -> None:
        self.on_enter()


class Named(Await[Any]):
    """Has nothing of its own."""


def test_a_subclass_that_handles_it_by_itself_has_chosen() -> None:
    assert found(robot(Own(drive))) == []
    assert found(robot(Named(drive))) == [f"{HERE} (Named)"]


def test_a_disabled_one_is_none() -> None:
    fsm = robot(Await(drive))
    fsm.states["Go"].actions[0].enabled = False
    assert found(fsm) == []


class Chooses(FsmAction[Any]):
    """An action of a user with the same words."""

    choices = ("left", "right")
    suspended = None


def test_other_actions_may_use_the_words() -> None:
    assert found(robot(Chooses())) == []
