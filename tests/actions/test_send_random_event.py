"""SendRandomEvent: one of several events at random."""

from collections import Counter
from math import inf, nan
from random import Random

import pytest

from actions.send_random_event import SendRandomEvent
from fsmkit import Fsm
from fsmkit.testing import drive


def machine(action: SendRandomEvent) -> Fsm:
    """A -> B, C, D on the events of these names; back on BACK."""
    fsm = Fsm("M")
    a = fsm.add_state("A")
    a.add_action(action)
    for name in "BCD":
        a.add_transition(name, fsm.add_state(name))
        fsm.states[name].add_transition("BACK", a)
    return fsm


def visited(fsm: Fsm, times: int) -> list[str]:
    fsm.start()
    names = []
    for _ in range(times):
        assert fsm.current_state is not None
        names.append(fsm.current_state.name)
        fsm.send_event("BACK")
    return names


def test_events_come_as_often_as_they_weigh() -> None:
    fsm = machine(SendRandomEvent({"B": 1, "C": 3, "D": 0}, rng=Random(1)))
    counts = Counter(visited(fsm, 4_000))
    assert set(counts) == {"B", "C"}
    assert counts["B"] == pytest.approx(1_000, rel=0.1)


def test_a_seed_makes_it_repeatable() -> None:
    weights = {"B": 1.0, "C": 1.0, "D": 1.0}
    one, two = (visited(machine(SendRandomEvent(weights, rng=Random(5))), 20) for _ in range(2))
    assert one == two
    assert set(one) == {"B", "C", "D"}


def test_one_event_is_no_choice() -> None:
    assert visited(machine(SendRandomEvent({"C": 0.001}, rng=Random(1))), 5) == ["C"] * 5


def test_it_sends_after_its_delay() -> None:
    fsm = machine(SendRandomEvent({"B": 1}, rng=Random(1), delay=1.0))
    fsm.start()
    for _ in range(2):
        assert drive(fsm, [0.5])[-1] == "update 0.5"
        drive(fsm, [0.5])
        assert fsm.current_state is fsm.states["B"]
        fsm.send_event("BACK")


def test_it_declares_what_it_may_send() -> None:
    assert SendRandomEvent({"B": 1, "C": 0, "D": 2}, rng=Random(1)).sends == ("B", "D")


@pytest.mark.parametrize("wrong", [-1.0, nan, inf])
def test_a_weight_is_finite_and_not_negative(wrong: float) -> None:
    with pytest.raises(ValueError, match="the weight of 'C' must be a finite number >= 0, got"):
        SendRandomEvent({"B": 1.0, "C": wrong}, rng=Random(1))


@pytest.mark.parametrize("weights", [{}, {"B": 0.0, "C": 0}])
def test_there_is_something_to_choose_from(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="at least one event must have a weight above 0, got"):
        SendRandomEvent(weights, rng=Random(1))


def test_an_invalid_delay_is_refused() -> None:
    with pytest.raises(
        ValueError, match="delay of SendRandomEvent must be a finite number of seconds"
    ):
        SendRandomEvent({"B": 1}, rng=Random(1), delay=-1.0)
