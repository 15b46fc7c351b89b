"""SendRandomEvent: one of several events at random."""

from collections import Counter
from itertools import pairwise
from math import inf, nan
from random import Random

import pytest

from actions.send_random_event import SendRandomEvent
from fsmkit import Fsm
from fsmkit.recording import restore, snapshot
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


@pytest.mark.parametrize("seed", range(5))
def test_without_repeats_no_event_follows_itself(seed: int) -> None:
    weights = {"B": 8.0, "C": 1.0, "D": 1.0}
    names = visited(machine(SendRandomEvent(weights, rng=Random(seed), no_repeat=True)), 200)
    assert set(names) == {"B", "C", "D"}
    assert [pair for pair in pairwise(names) if pair[0] == pair[1]] == []


def test_without_repeats_the_others_come_as_often_as_they_weigh() -> None:
    weights = {"B": 100.0, "C": 3.0, "D": 1.0}
    names = visited(machine(SendRandomEvent(weights, rng=Random(2), no_repeat=True)), 4_000)
    after_b = Counter(after for before, after in pairwise(names) if before == "B")
    assert after_b["C"] / after_b["D"] == pytest.approx(3.0, rel=0.15)


@pytest.mark.parametrize("weights", [{"C": 2.0}, {"B": 0.0, "C": 1.0, "D": 0.0}])
def test_an_event_without_another_one_is_repeated_all_the_same(weights: dict[str, float]) -> None:
    fsm = machine(SendRandomEvent(weights, rng=Random(1), no_repeat=True))
    assert visited(fsm, 3) == ["C", "C", "C"]


def test_two_events_without_repeats_take_turns_across_a_stop_and_a_snapshot() -> None:
    def build() -> Fsm:
        return machine(SendRandomEvent({"B": 1.0, "C": 1.0}, rng=Random(3), no_repeat=True))

    fsm, other = build(), build()
    fsm.start()
    before = fsm.current_state.name
    fsm.stop()
    restore(other, snapshot(fsm))
    other.start()
    assert {before, other.current_state.name} == {"B", "C"}


def test_repeats_are_the_rule() -> None:
    weights = {"B": 1.0, "C": 1.0}
    names = visited(machine(SendRandomEvent(weights, rng=Random(1))), 50)
    assert any(before == after for before, after in pairwise(names))


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
