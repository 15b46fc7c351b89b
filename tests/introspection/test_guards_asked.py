"""What guards have answered follows from where an event has led."""

from __future__ import annotations

from fsmkit import BACK, Fsm, FsmState
from fsmkit.core.state import Back
from fsmkit.introspection.answers import given, measured
from fsmkit.space.hysteresis import Hysteresis


class Far(Hysteresis):
    def __call__(self, _state: object) -> bool:
        return False

    def measured_for(self, state: FsmState[None]) -> str:
        return f"far from {state.name}"


def first() -> bool:
    return False


def second() -> bool:
    return False


def machine() -> Fsm[None]:
    """A has two guarded ways and a plain one, its group has one, and so has the machine."""
    fsm = Fsm[None]("M")
    a, b, c, d = (fsm.add_state(name) for name in "ABCD")
    a.add_transition("GO", b, when=first)
    a.add_transition("GO", c, when=second)
    fsm.add_group("G", a).add_transition("GO", BACK, when=first)
    fsm.add_global_transition("GO", d, when=second)
    fsm.add_global_transition("GO", a)
    return fsm


def said(target: FsmState[None] | Back | None) -> list[tuple[str, int, bool]]:
    a = machine().states["A"]
    named = target if not isinstance(target, FsmState) else a.fsm.states[target.name]
    return [(each.owner.name, each.rank, answer) for each, answer in given(a, "GO", named)]


def test_guards_before_the_transition_taken_have_refused() -> None:
    states = machine().states
    assert said(states["B"]) == [("A", 0, True)]
    assert said(states["C"]) == [("A", 0, False), ("A", 1, True)]
    assert said(BACK) == [("A", 0, False), ("A", 1, False), ("G", 0, True)]
    assert said(states["D"])[3:] == [("M", 0, True)]
    refused = [("A", 0, False), ("A", 1, False), ("G", 0, False), ("M", 0, False)]
    assert said(states["A"]) == refused  # by the one without a guard
    assert said(None) == refused


def test_of_several_that_lead_to_one_state_none_is_known_to_have_agreed() -> None:
    fsm = Fsm[None]("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", a, when=first)
    a.add_transition("GO", b, when=first)
    a.add_transition("GO", b, when=second)
    assert [(each.rank, answer) for each, answer in given(a, "GO", b)] == [(0, False)]


def test_what_a_guard_has_measured_is_read_through_what_adapts_it() -> None:
    fsm = Fsm[None]("M")
    a = fsm.add_state("A")
    far = a.add_transition("GO", a, when=Far())
    plain = a.add_transition("STAY", a, when=first)
    assert [measured(each.when, a) for each in (far, plain)] == ["far from A", ""]
