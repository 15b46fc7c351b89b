"""The polled machine: the order of polling, its errors, and tools on it."""

from dataclasses import dataclass
from typing import Any

import pytest

from actions import InRange
from fsmkit import FsmError
from fsmkit.checking import check
from fsmkit.diagram import to_text
from fsmkit.polled import PolledFsm, State, Transition, all_of, any_of, not_, when
from fsmkit.recording import Recording, replay


class Noting(State):
    """Writes down what is called."""

    def __init__(self, name: str, journal: list[str], *, may_change: bool = True) -> None:
        self.name = name
        self.journal = journal
        self.may_change = may_change

    def on_enter(self) -> None:
        self.journal.append(f"enter {self.name}")

    def execute(self) -> None:
        self.journal.append(f"execute {self.name}")

    def on_exit(self) -> None:
        self.journal.append(f"exit {self.name}")

    def can_state_be_changed(self) -> bool:
        return self.may_change


class Asked(Transition):
    """Writes down that it is asked, and taken."""

    def __init__(self, next_state: State, name: str, journal: list[str], answer: bool) -> None:
        super().__init__(next_state)
        self.name = name
        self.journal = journal
        self.answer = answer

    def is_valid(self) -> bool:
        self.journal.append(f"ask {self.name}")
        return self.answer

    def on_transition(self) -> None:
        self.journal.append(f"take {self.name}")


class Machine(PolledFsm):
    """A machine of the states it is given, and what those lead to."""

    def __init__(self, *given: State) -> None:
        self.given = given
        super().__init__("Machine", context="me")

    def setup_states(self) -> None:
        self.setup_first_state(*self.given)


def test_transitions_are_asked_in_order_after_execute_and_the_first_valid_one_wins() -> None:
    journal: list[str] = []
    a, b, c = (Noting(name, journal) for name in "ABC")
    a.set_transitions(
        Asked(b, "no", journal, False),
        Asked(b, "yes", journal, True),
        Asked(c, "too", journal, True),
    )
    machine = Machine(a)
    machine.update(0.1)
    machine.update(0.1)
    assert journal == [
        "enter A", "execute A", "ask no", "ask yes", "take yes", "exit A", "enter B", "execute B",
    ]  # fmt: skip
    assert machine.current_state is b


def test_a_state_that_may_not_be_changed_asks_no_condition() -> None:
    journal: list[str] = []
    a, b = Noting("A", journal, may_change=False), Noting("B", journal)
    a.set_transitions(Asked(b, "yes", journal, True))
    machine = Machine(a)
    machine.update(0.1)
    assert journal == ["enter A", "execute A"]
    assert machine.change_state(b) is False
    a.may_change = True
    assert machine.change_state(b) is True
    assert machine.current_state is b


def test_execute_may_change_the_state_itself() -> None:
    journal: list[str] = []

    class Jump(Noting):
        def execute(self) -> None:
            super().execute()
            self.fsm.change_state(b)

    a, b = Jump("A", journal), Noting("B", journal)
    a.set_transitions(Asked(b, "yes", journal, True))
    Machine(a).update(0.1)
    assert journal == ["enter A", "execute A", "exit A", "enter B"]


def test_conditions_are_put_together_with_their_names() -> None:
    def near() -> bool:
        return True

    def armed() -> bool:
        return False

    conditions = [
        when(near), not_(armed), all_of(near, not_(armed)), any_of(armed, all_of(near, armed)),
        not_(any_of(near, armed)), when(lambda: True), when(lambda: False, "tired"),
    ]  # fmt: skip
    assert [(condition.name, condition()) for condition in conditions] == [
        ("near", True), ("not armed", True), ("near and not armed", True),
        ("armed or (near and armed)", False), ("not (near or armed)", False), ("lambda", True),
        ("tired", False),
    ]  # fmt: skip


def test_a_condition_leads_to_a_state_and_does_something_on_the_way() -> None:
    journal: list[str] = []
    a, b = Noting("A", journal), Noting("B", journal)
    a.set_transitions(when(lambda: True).to(b, do=lambda: journal.append("on the way")))
    Machine(a).update(0.1)
    assert journal == ["enter A", "execute A", "on the way", "exit A", "enter B"]


def test_namesakes_are_numbered() -> None:
    class Wait(State):
        pass

    class Always(Transition):
        def is_valid(self) -> bool:
            return True

    first, second = Wait(), Wait()
    first.set_transitions(
        when(lambda: True, "Always #2").to(second), Always(second), Always(second)
    )
    machine = Machine(first).machine
    assert {name: list(state.transitions) for name, state in machine.states.items()} == {
        "Wait": ["Always #2", "Always", "Always #3"], "Wait #2": [],
    }  # fmt: skip


def test_states_that_are_equal_are_two() -> None:
    @dataclass
    class Wait(State):
        seconds: float

    first, second = Wait(1.0), Wait(1.0)
    first.set_transitions(when(lambda: True).to(second))
    machine = Machine(first)
    machine.update(0.1)
    assert machine.current_state is second


def test_a_state_that_only_change_state_leads_to_is_given_beside_the_first() -> None:
    a, b, dead = (Noting(name, []) for name in ("A", "B", "Dead"))
    a.set_transitions(when(lambda: False).to(b))
    machine = Machine(a, dead)
    assert list(machine.machine.states) == ["A", "Dead", "B"]
    assert machine.change_state(dead)
    assert machine.current_state is dead


def test_states_reach_their_machine() -> None:
    state = Noting("A", [])
    machine = Machine(state)
    machine.update(0.25)
    assert (state.fsm.context, state.fsm.delta_time) == ("me", 0.25)


def test_mistakes_are_reported() -> None:
    class Empty(PolledFsm):
        def setup_states(self) -> None:
            pass

    a, b = Noting("A", []), Noting("B", [])
    with pytest.raises(FsmError, match=r"Empty: setup_states\(\) has not called setup_first_state"):
        Empty("Empty")
    with pytest.raises(NotImplementedError, match=r"PolledFsm must override setup_states\(\)"):
        PolledFsm("Machine")
    with pytest.raises(
        TypeError, match=r"must be Transitions, got <Condition|must be Transitions, got"
    ):
        a.set_transitions(when(lambda: True))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got a list. Write set_transitions\(first, second\)"):
        a.set_transitions([when(lambda: True).to(b)])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="A state must be a State of fsmkit.polled, got 'A'"):
        Machine("A")  # type: ignore[arg-type]
    machine = Machine(a)
    with pytest.raises(FsmError, match="'A' already belongs to a machine. Make a second one"):
        Machine(a)
    with pytest.raises(FsmError, match="'A' belongs to a machine that is already set up"):
        a.set_transitions()
    with pytest.raises(FsmError, match=r"'Machine' already starts in 'A'. Call setup_first_state"):
        machine.setup_first_state(b)
    with pytest.raises(
        FsmError, match=r"is not a state of Fsm 'Machine'. Give it to setup_first_state"
    ):
        machine.change_state(b)
    with pytest.raises(TypeError, match=r"when\(\) must be a function without arguments, got True"):
        when(True)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"all_of\(\) must be given at least one condition, got none"
    ):
        all_of()


def test_a_constructor_that_forgets_ours_is_reported() -> None:
    class Never(Transition):
        def __init__(self) -> None:
            pass

    class Unready(PolledFsm):
        def __init__(self) -> None:
            pass

    with pytest.raises(
        FsmError, match=r"Never: __init__\(\) must call super\(\).__init__\(next_state\)"
    ):
        Noting("A", []).set_transitions(Never())
    unready = Unready()
    for call in (
        lambda: unready.update(0.1),
        lambda: unready.setup_first_state(Noting("A", [])),
        lambda: unready.change_state(Noting("A", [])),
        lambda: unready.current_state,
    ):
        with pytest.raises(
            FsmError, match=r"Unready: __init__\(\) must call super\(\).__init__\(name, context\)"
        ):
            call()


def test_tools_see_the_machine_inside() -> None:
    def build() -> Any:
        a, b = Noting("A", []), Noting("B", [])
        a.set_transitions(when(lambda: True, "always").to(b))
        b.set_transitions(when(lambda: False, "never").to(a))
        return Machine(a).machine

    fsm = build()
    assert check(fsm) == []
    assert "always ─→ B" in to_text(fsm)
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.1)
    assert recording.steps[1].told() == ["event always: changed", "leave A", "enter B"]
    assert replay(build, recording)


def test_tools_see_what_the_transitions_answered_and_how_near_they_were() -> None:
    a, b = Noting("A", []), Noting("B", [])
    near = when(InRange((0.0, 0.0), (5.0, 0.0), 4.0), "is_near")
    a.set_transitions(near.to(b), when(lambda: False, "is_tired").to(b))
    b.set_transitions(when(lambda: True, "always").to(a))
    fsm = Machine(a).machine
    fsm.start()
    [poll] = fsm.states["A"].actions
    answers = [poll._answer_]
    fsm.update(0.1)
    answers.append(poll._answer_)
    assert answers == ["", "no, is_near: 5 of 4; no, is_tired"]
    a.may_change = False
    fsm.start()
    fsm.update(0.1)
    assert poll._answer_ == ""  # none was asked


def test_a_function_that_could_not_answer_is_refused_where_it_is_written() -> None:
    async def later() -> bool:
        return False

    with pytest.raises(TypeError, match=r"when\(\) must take nothing, but .* requires 'state'"):
        when(lambda state: True)  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"of when\(\) must be .* later is an async function"):
        any_of(later)
    with pytest.raises(TypeError, match=r"The do of 'near' must be .* later is an async function"):
        when(lambda: True, "near").to(Noting("A", []), do=later)
