"""`finish()` from outside: a step like any other, also if what it leads to raises."""

from random import Random
from typing import Any

import pytest

from actions import DelegateAction, Parallel, Regions, RunFsm, TimedWait
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, TransitionLoopError
from fsmkit.recording import Recording, replay
from fsmkit.testing import Probe


def failing() -> None:
    raise KeyError("door")


def build(*, handles_errors: bool = False) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_action(Probe("p", []))
    closed.add_transition(FINISHED, opened)
    opened.add_action(DelegateAction(failing))
    if handles_errors:
        opened.add_transition(ERROR, closed)
    return fsm


def test_what_it_leads_to_raises_and_the_step_says_so() -> None:
    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        with pytest.raises(KeyError):
            fsm.states["Closed"].actions[0].finish()
        fsm.update(1.0)
    assert [(step.call, step.raised) for step in recording.steps] == [
        ("start", ""), ("finish", "KeyError: 'door'"), ("update", ""),
    ]  # fmt: skip
    assert str(replay(build, recording)) == "3 steps, all equal"


def test_an_error_that_leads_on_is_not_raised() -> None:
    def make() -> Fsm[Any]:
        return build(handles_errors=True)

    fsm = make()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.states["Closed"].actions[0].finish()
    assert [step.raised for step in recording.steps] == ["", ""]
    assert replay(make, recording)
    assert not replay(build, recording)


def test_a_chain_without_end_is_an_error_like_any_other() -> None:
    def make() -> Fsm[Any]:
        fsm: Fsm[Any] = Fsm("Loop", max_transitions=5)
        first, second = fsm.add_state("First"), fsm.add_state("Second")
        first.add_action(Probe("p", []))
        first.add_transition(FINISHED, second)
        second.add_transition(FINISHED, second)
        return fsm

    fsm = make()
    with Recording(fsm) as recording:
        fsm.start()
        with pytest.raises(TransitionLoopError):
            fsm.states["First"].actions[0].finish()
    assert recording.steps[1].raised.startswith("TransitionLoopError: ")
    assert replay(make, recording)


EVENTS = ("X", "Y", FINISHED, ERROR)


class RandomWorld:
    """Makes a machine in which much fails: on entering, exiting and updating, nested ones too."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)

    def fail(self) -> None:
        if self.rng.random() < 0.4:
            raise ValueError("by chance")

    def machine(self, name: str = "World", depth: int = 2) -> Fsm[Any]:
        rng = self.rng
        fsm: Fsm[Any] = Fsm(name, on_unhandled="ignore", max_transitions=10)
        states = [fsm.add_state(each, final=each == "C" and depth < 2) for each in "ABC"]
        for state in states:
            for event in EVENTS:
                if rng.random() < 0.5:
                    state.add_transition(event, rng.choice(states))
            for _ in range(rng.randint(0, 2)):
                state.add_action(self.action(depth))
        return fsm

    def action(self, depth: int) -> FsmAction[Any]:
        rng = self.rng
        match rng.randrange(8 if depth else 5):
            case 0 | 1:
                return Probe("p", [])
            case 2 | 3:
                hooks = [self.fail if rng.random() < 0.4 else None for _ in range(3)]
                return DelegateAction(hooks[0], hooks[1] or str, hooks[2])
            case 4:
                return TimedWait(rng.choice([0.0, 0.5, 1.0]), rng.choice([None, "X", "Y"]))
            case 5:
                return Parallel(*(self.action(depth - 1) for _ in range(2)))
            case 6:
                return RunFsm(self.machine("Inner", depth - 1))
            case _:
                return Regions(RunFsm(self.machine("Inner", depth - 1)))


def everything(fsm: Fsm[Any]) -> list[FsmAction[Any]]:
    """All actions that may be finished, those of nested machines as well."""
    found: list[FsmAction[Any]] = []
    for state in fsm.states.values():
        for action in state.actions:
            found += [action, *action.children]
            for machine in action.machines:
                found += everything(machine)
    return found


@pytest.mark.parametrize("seed", range(100))
def test_random_worlds_that_fail_are_replayed(seed: int) -> None:
    fsm, rng = RandomWorld(seed).machine(), Random(seed)
    raised: list[str] = []
    with Recording(fsm) as recording:
        for _ in range(25):
            actions = everything(fsm)
            try:
                match rng.randrange(7):
                    case 0:
                        fsm.start(rng.choice("ABC"))
                    case 1:
                        fsm.send_event(rng.choice("XY"))
                    case 2:
                        fsm.post_event(rng.choice("XY"), seed)
                    case 3:
                        fsm.update(0.5)
                    case _ if actions:
                        rng.choice(actions).finish()
            except Exception as error:
                raised.append(f"{type(error).__name__}: {error}")
    assert [step.raised for step in recording.steps if step.raised] == raised
    assert replay(lambda: RandomWorld(seed).machine(), recording)
