"""Rules 1, 2, 5, 9: the walk, when a change takes effect, what is entered, updated and exited."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from fsmkit import Fsm, FsmAction
from fsmkit.testing import Probe


def machine(journal: list[str]) -> Fsm:
    """A and B with three probes each; GO leads from A to B, BACK from B to A."""
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    b.add_transition("BACK", a)
    for state in (a, b):
        for index in (1, 2, 3):
            state.add_action(Probe(f"{state.name}{index}", journal))
    return fsm


def reacting(fsm: Fsm, state: str, index: int, callback: str, reaction: object) -> None:
    fsm.states[state].actions[index].reactions[callback] = reaction


def test_callbacks_run_in_list_order() -> None:
    journal: list[str] = []
    fsm = machine(journal)
    fsm.start()
    fsm.update(0.1)
    fsm.stop()
    assert journal == [
        "enter A1", "enter A2", "enter A3",
        "update A1", "update A2", "update A3",
        "exit A1", "exit A2", "exit A3",
    ]  # fmt: skip


def test_actions_after_the_sender_are_skipped_on_enter() -> None:
    journal: list[str] = []
    fsm = machine(journal)
    reacting(fsm, "A", 1, "enter", "GO")
    fsm.start()
    assert journal == [
        "enter A1", "enter A2",
        "exit A1", "exit A2",
        "enter B1", "enter B2", "enter B3",
    ]  # fmt: skip


def test_actions_after_the_sender_are_skipped_on_update() -> None:
    journal: list[str] = []
    fsm = machine(journal)
    reacting(fsm, "A", 0, "update", "GO")
    fsm.start()
    journal.clear()
    fsm.update(0.1)
    assert journal == [
        "update A1",
        "exit A1", "exit A2", "exit A3",
        "enter B1", "enter B2", "enter B3",
    ]  # fmt: skip


def test_a_change_takes_effect_when_the_callback_returns() -> None:
    journal: list[str] = []
    fsm = machine(journal)

    def send_and_look(probe: Probe) -> None:
        journal.append(f"decided {probe.fsm.send_event('GO')}")
        journal.append(f"still in {probe.fsm.current_state.name}")

    reacting(fsm, "A", 0, "enter", send_and_look)
    fsm.start()
    assert journal == [
        "enter A1", "decided True", "still in A",
        "exit A1",
        "enter B1", "enter B2", "enter B3",
    ]  # fmt: skip


def test_there_and_back_within_one_enter_does_not_run_the_rest_twice() -> None:
    journal: list[str] = []
    fsm = machine(journal)
    times = iter([True, False])
    reacting(fsm, "A", 0, "enter", lambda probe: next(times) and probe.fsm.send_event("GO"))
    reacting(fsm, "B", 0, "enter", "BACK")
    fsm.start()
    assert journal == [
        "enter A1", "exit A1",
        "enter B1", "exit B1",
        "enter A1", "enter A2", "enter A3",
    ]  # fmt: skip


def test_a_state_entered_in_an_update_is_updated_in_the_next() -> None:
    journal: list[str] = []
    fsm = machine(journal)
    reacting(fsm, "A", 2, "update", "GO")
    fsm.start()
    fsm.update(0.1)
    assert "update B1" not in journal
    fsm.update(0.1)
    assert journal[-3:] == ["update B1", "update B2", "update B3"]


def test_only_overridden_callbacks_are_called_for_and_all_actions_count_as_entered() -> None:
    journal: list[str] = []

    class ExitOnly(FsmAction):
        def on_exit(self) -> None:
            journal.append("exit only")

    fsm = machine(journal)
    fsm.states["A"].add_action(ExitOnly())
    fsm.start()
    fsm.send_event("GO")
    assert journal[:7] == [
        "enter A1", "enter A2", "enter A3", "exit A1", "exit A2", "exit A3", "exit only",
    ]  # fmt: skip


def test_an_action_after_the_sender_is_not_exited_even_if_it_has_no_on_enter() -> None:
    journal: list[str] = []

    class ExitOnly(FsmAction):
        def on_exit(self) -> None:
            journal.append("exit only")

    fsm = machine(journal)
    reacting(fsm, "A", 2, "enter", "GO")
    fsm.states["A"].add_action(ExitOnly())
    fsm.start()
    assert "exit only" not in journal


@pytest.mark.parametrize("call", [lambda fsm: fsm.send_event("GO"), lambda fsm: fsm.update(0.1)])
def test_everything_has_settled_when_an_external_call_returns(
    call: Callable[[Fsm], object],
) -> None:
    journal: list[str] = []
    fsm = machine(journal)
    fsm.start()
    reacting(fsm, "A", 0, "update", "GO")
    reacting(fsm, "B", 0, "enter", "BACK")
    call(fsm)
    assert fsm.current_state is fsm.states["A"]
    assert not fsm.is_changing


def test_five_thousand_instant_states_in_a_row_need_no_recursion() -> None:
    fsm = Fsm("Chain", max_transitions=5000)
    states = [fsm.add_state(f"S{index}") for index in range(5001)]
    for here, there in pairwise(states):
        here.add_transition("FINISHED", there)
    fsm.start()
    assert fsm.current_state is states[-1]
