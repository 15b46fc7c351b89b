"""The work of a check grows with the machine, and no faster, however much there is to find."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from actions import Cooldown, DelegateAction, Move, RunFsm, SendEvent, TimedWait
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking import check
from fsmkit.space import Transform

Mistake = Callable[[int, FsmState[Any], list[FsmState[Any]]], object]


def ring(count: int, mistake: Mistake) -> Fsm[Any]:
    """A ring of states with an event each, and a mistake in each of them."""
    fsm = Fsm("Ring", on_unhandled="ignore")
    states = [fsm.add_state(f"S{i}") for i in range(count)]
    for i, state in enumerate(states):
        state.add_action(TimedWait(1.0, finish_event=f"E{i}"))
        state.add_transition(f"E{i}", states[(i + 1) % count])
        mistake(i, state, states)
    return fsm


def beside(i: int, states: list[FsmState[Any]]) -> FsmState[Any]:
    return states[(i + 1) % len(states)]


def nested(i: int) -> Fsm[Any]:
    inner = Fsm(f"Inner{i}")
    inner.add_state("One").add_transition("GO", inner.add_state("Two", final=True))
    return inner


def chained(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    state.remove_action(state.actions[0])
    state.add_transition(FINISHED, beside(i, states))


def open_chain(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    if i + 1 < len(states):
        chained(i, state, states)


def unreachable(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    state.remove_transition(f"E{i}")
    state.add_transition(f"E{i}", states[max(i, 1)])


def interrupted(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    state.add_action(RunFsm(nested(i)))
    state.add_transition("PAUSE", beside(i, states), suspend=True)
    state.add_transition("RESUME", BACK)


def misspelt(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    state.add_transition(f"SPOTTED_{i}_TIMES", beside(i, states))
    state.add_action(SendEvent(f"SPOTED_{i}_TIMES", delay=0.5))


def misspelt_in_code(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    state.add_action(DelegateAction(lambda state: state.send_event("WRONG")))
    state.add_action(Wrong(f"WRONG{i}"))


class Wrong(FsmAction):
    def __init__(self, event: str) -> None:
        self.event = event

    def on_enter(self) -> None:
        self.fsm.post_event(self.event)


def left_at_once(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    state.remove_action(state.actions[0])
    state.add_transition("NEVER", beside(i, states))
    if i:
        state.add_action(SendEvent(f"E{i}"))


def trap(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    """Pairs that lead to each other, each pair into the next."""
    state.remove_transition(f"E{i}")
    state.add_transition(f"E{i}", states[i ^ 1])
    if i % 4 == 0:
        state.add_transition("FALL", states[i + 2])


def fight(i: int, state: FsmState[Any], states: list[FsmState[Any]]) -> None:
    cart = Transform((0.0,))
    for end in (1.0, 2.0):
        state.add_action(Move(cart, None, (end,), 3.0))


MISTAKES: dict[str, Mistake] = {
    "none": lambda i, state, states: None,
    "dead end": lambda i, state, states: state.add_action(SendEvent(f"DEAD{i}", delay=0.5)),
    "the same dead end": lambda i, state, states: state.add_action(SendEvent("DEAD", delay=0.5)),
    "misspelt": misspelt,
    "similar": lambda i, state, states: state.add_transition(
        ["SPOTTED", "SPOTED"][i % 2], beside(i, states)
    ),
    "chain": chained,
    "open chain": open_chain,
    "unreachable": unreachable,
    "no way out": lambda i, state, states: state.remove_transition(f"E{i}") if i else None,
    "never finished": lambda i, state, states: state.add_transition(FINISHED, states[0]),
    "never resumed": lambda i, state, states: state.add_transition(
        "PAUSE", beside(i, states), suspend=True
    ),
    "nothing to resume": lambda i, state, states: state.add_transition("RESUME", BACK),
    "interrupted": interrupted,
    "outcome": lambda i, state, states: state.add_action(RunFsm(nested(i), {"Two": "DONE"})),
    "misspelt in code": misspelt_in_code,
    "left at once": left_at_once,
    "too late": lambda i, state, states: state.add_action(SendEvent(f"E{i}", delay=9.0)),
    "trap": trap,
    "error loop": lambda i, state, states: state.add_transition(ERROR, state),
    "fight": fight,
    "guards nothing": lambda i, state, states: state.add_action(Cooldown("FIRE", 1.0)),
    "constant guard": lambda i, state, states: state.add_transition(
        "RUN", beside(i, states), when=lambda: False
    ),
    "sent on exit": lambda i, state, states: state.add_action(
        DelegateAction(on_exit=lambda state: state.send_event("WRONG"))
    ),
    "global": lambda i, state, states: state.fsm.add_global_transition(f"ALL{i}", states[i]),
}


@pytest.fixture
def count_calls() -> Iterator[Callable[[Callable[[], object]], int]]:
    """Count the calls that something makes: a measure of work that no clock changes."""

    def count(work: Callable[[], object]) -> int:
        calls = 0

        def note(frame: object, event: str, argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            work()
        finally:
            sys.setprofile(None)
        return calls

    before = sys.getprofile()
    yield count
    sys.setprofile(before)


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_twice_the_states_are_twice_the_work(
    mistake: Mistake, count_calls: Callable[[Callable[[], object]], int]
) -> None:
    few, many = ring(40, mistake), ring(80, mistake)
    check(few)  # warm up: what is made only once is made now
    inputs = ["GO", "PAUSE"]
    work = count_calls(lambda: check(few, inputs=inputs))
    assert count_calls(lambda: check(many, inputs=inputs)) < 2.3 * work


def test_a_list_of_thousands_of_names_is_cut() -> None:
    fsm = ring(50, MISTAKES["global"])
    fsm.states["S0"].add_action(SendEvent("DEAD"))
    (finding,) = (finding for finding in check(fsm) if finding.code == "dead-end-event")
    assert finding.advice == (
        "Known here: 'E0', 'ALL0', 'ALL1', 'ALL2', 'ALL3', 'ALL4', 'ALL5', 'ALL6' and 43 more. "
        "Add a transition for it, or check the spelling."
    )
