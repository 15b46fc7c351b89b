"""Rule 10: when actions and states finish."""

import pytest

from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.testing import Probe, drive


class Instant(FsmAction):
    def on_enter(self) -> None:
        self.finish()


class After(FsmAction):
    """Finishes in its n-th update and says so."""

    def __init__(self, updates: int, finish_event: str | None = None) -> None:
        self.updates = updates
        self.finish_event = finish_event
        self.left = 0

    def on_enter(self) -> None:
        self.left = self.updates

    def on_update(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.finish()


def two_states() -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_transition(FINISHED, fsm.add_state("B"))
    return fsm


def test_finished_is_sent_when_the_last_action_finishes() -> None:
    fsm = two_states()
    for updates in (3, 1, 2):
        fsm.states["A"].add_action(After(updates))
    fsm.start()
    assert [line for line in drive(fsm, [1, 1, 1]) if line[:5] != "leave"] == [
        "update 1", "After finished",
        "update 1", "After finished",
        "update 1", "After finished", "event FINISHED: changed",
        "After left", "After left", "After left", "enter B",
    ]  # fmt: skip


def test_a_state_without_actions_has_finished_when_entered() -> None:
    fsm = two_states()
    fsm.start()
    assert fsm.current_state is fsm.states["B"]
    assert fsm.last_event == FINISHED


def test_finished_needs_a_transition_and_is_not_unhandled_without_one() -> None:
    fsm = Fsm("M", on_unhandled="raise")
    fsm.add_state("A").add_action(Instant())
    fsm.start()
    assert fsm.current_state is fsm.states["A"]


def test_a_global_transition_for_finished_will_do() -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.add_global_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    assert fsm.current_state is fsm.states["B"]


def test_a_finished_action_is_not_updated_but_exited() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal, on_update=Probe.finish))
    state.add_action(Probe("q", journal))
    fsm.start()
    fsm.update(1)
    fsm.update(1)
    fsm.stop()
    assert journal == [
        "enter p", "enter q", "update p", "update q", "update q", "exit p", "exit q",
    ]  # fmt: skip


def test_an_action_finished_by_an_earlier_one_misses_the_same_walk() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal, on_update=lambda p: p.state.actions[2].finish()))
    for name in "qrs":
        state.add_action(Probe(name, journal))
    fsm.start()
    journal.clear()
    fsm.update(1)
    fsm.update(1)
    assert journal == ["update p", "update q", "update s"] * 2


def test_an_action_finished_by_a_later_one_does_not_disturb_the_walk() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Probe("p", journal))
    state.add_action(Probe("q", journal, on_update=lambda p: p.state.actions[0].finish()))
    state.add_action(Probe("r", journal))
    fsm.start()
    journal.clear()
    fsm.update(1)
    fsm.update(1)
    assert journal == ["update p", "update q", "update r", "update q", "update r"]


def test_finish_counts_once_per_visit() -> None:
    fsm = two_states()
    p = fsm.states["A"].add_action(Probe("p", []))
    fsm.states["A"].add_action(Probe("q", []))
    fsm.start()
    p.finish()
    p.finish()
    assert fsm.current_state is fsm.states["A"]
    assert p.finished


def test_finish_outside_a_visit_does_nothing() -> None:
    fsm = two_states()
    action = fsm.states["B"].add_action(Probe("p", []))
    Instant().finish()
    fsm.states["A"].add_action(Probe("q", []))
    fsm.start()
    action.finish()
    assert not action.finished


def test_an_action_can_be_finished_from_outside_the_machine() -> None:
    fsm = two_states()
    action = fsm.states["A"].add_action(Probe("p", []))
    fsm.start()
    action.finish()
    assert fsm.current_state is fsm.states["B"]
    assert not action.finished


def test_the_finish_event_is_sent_before_finished() -> None:
    fsm = two_states()
    fsm.states["A"].add_transition("ARRIVED", fsm.add_state("C"))
    fsm.states["A"].add_action(After(1, "ARRIVED"))
    fsm.start()
    fsm.update(1)
    assert (fsm.current_state.name, fsm.last_event) == ("C", "ARRIVED")


def test_finished_is_not_sent_once_a_change_has_been_decided() -> None:
    fsm = Fsm("M", on_unhandled="raise")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    a.add_transition("GO", b)
    a.add_transition(FINISHED, c)
    b.add_transition(FINISHED, c)
    b.add_action(Probe("wait", []))

    def go_and_finish(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.finish()

    a.add_action(Probe("p", [], on_update=go_and_finish))
    fsm.start()
    fsm.update(1)
    assert fsm.current_state is b


def test_disabled_actions_take_no_part_and_count_as_finished() -> None:
    journal: list[str] = []
    fsm = two_states()
    off = fsm.states["A"].add_action(Probe("off", journal))
    fsm.states["A"].add_action(Probe("on", journal, on_update=Probe.finish))
    off.enabled = False
    fsm.start()
    off.finish()
    fsm.update(1)
    assert journal == ["enter on", "update on", "exit on"]
    assert fsm.current_state is fsm.states["B"]


def test_enabled_is_read_when_the_state_is_entered() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    action = fsm.add_state("A").add_action(Probe("p", journal))
    fsm.start()
    action.enabled = False
    fsm.update(1)
    fsm.start()
    fsm.update(1)
    assert journal == ["enter p", "update p", "exit p"]


def test_a_state_of_disabled_actions_only_has_finished_when_entered() -> None:
    fsm = two_states()
    fsm.states["A"].add_action(Probe("p", [])).enabled = False
    fsm.start()
    assert fsm.current_state is fsm.states["B"]


@pytest.mark.parametrize("rounds", [1, 2])
def test_finished_is_forgotten_when_the_state_is_left(rounds: int) -> None:
    fsm = two_states()
    fsm.states["B"].add_transition("AGAIN", "A")
    action = fsm.states["A"].add_action(After(1))
    fsm.states["B"].add_action(Probe("p", []))
    fsm.start()
    for _ in range(rounds):
        assert not action.finished
        fsm.update(1)
        assert fsm.current_state.name == "B"
        fsm.send_event("AGAIN")


def test_removing_the_last_action_that_had_not_finished_finishes_the_state() -> None:
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Probe("done", [], on_enter=Probe.finish))
    waits = a.add_action(Probe("waits", [], on_update=lambda probe: None))
    a.add_transition(FINISHED, b)
    fsm.start()
    a.remove_action(waits)
    assert fsm.current_state is b


@pytest.mark.parametrize("first", [True, False])
def test_an_action_in_the_background_does_not_hold_finished_back(first: bool) -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    watch = Probe("watch", journal, on_update=lambda probe: None)
    watch.background = True
    work = Probe("work", journal, on_update=Probe.finish)
    for action in (watch, work) if first else (work, watch):
        a.add_action(action)
    a.add_transition(FINISHED, b)
    fsm.start()
    fsm.update(0.1)
    assert fsm.current_state is b
    assert journal[-2:] == (["exit watch", "exit work"] if first else ["exit work", "exit watch"])


def test_a_state_with_nothing_but_background_finishes_once_all_are_entered() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    for name in "pq":
        probe = a.add_action(Probe(name, journal))
        probe.background = True
    a.add_transition(FINISHED, b)
    fsm.start()
    assert (fsm.current_state, journal) == (b, ["enter p", "enter q", "exit p", "exit q"])
