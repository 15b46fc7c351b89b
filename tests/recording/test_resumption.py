"""resume_in: into a state by its name and the seconds it has been in it, calling nothing."""

from typing import Any

import pytest

from actions import DelegateAction, Move, OnEvent, RunFsm, SendEvent, Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmError, UnknownStateError
from fsmkit.observer import Observer
from fsmkit.recording import restore, resume_in, snapshot
from fsmkit.space import Transform

DAY = 86_400.0


def order(journal: list[str]) -> Fsm[Any]:
    fsm = Fsm("Order", carry_time=True)
    opened, reminded, given_up, paid = map(fsm.add_state, ("Open", "Reminded", "Given up", "Paid"))
    for state in fsm.states.values():
        state.add_action(DelegateAction(lambda s: journal.append(s.name), lambda: None))
        state.remove_action(state.actions[0])
        state.add_action(DelegateAction(lambda s: journal.append(f"{s.name} {s.fsm.time / DAY}")))
    opened.add_action(TimedWait(3 * DAY))
    opened.add_transition(FINISHED, reminded)
    reminded.add_action(SendEvent("GIVE_UP", delay=4 * DAY))
    reminded.add_transition("GIVE_UP", given_up)
    fsm.add_global_transition("PAY", paid)
    return fsm


def test_nothing_is_called_and_timers_stand_where_they_would() -> None:
    journal: list[str] = []
    fsm = order(journal)
    resume_in(fsm, "Open", seconds=2 * DAY)
    assert journal == []
    assert (fsm.time_in_state, fsm.next_due, fsm.last_event) == (2 * DAY, DAY, None)
    fsm.update(10 * DAY)
    assert journal == ["Reminded 3.0", "Given up 7.0"]
    assert fsm.time_in_state == 5 * DAY


def test_it_takes_events_as_if_it_had_been_entered() -> None:
    journal: list[str] = []
    fsm = order(journal)
    resume_in(fsm, fsm.states["Reminded"], seconds=DAY)
    assert fsm.next_due == 3 * DAY
    fsm.send_event("PAY")
    assert journal == ["Paid 1.0"]


def test_what_is_overdue_is_done_in_the_next_update() -> None:
    journal: list[str] = []
    fsm = order(journal)
    resume_in(fsm, "Open", seconds=9 * DAY)
    assert fsm.next_due == 0.0
    fsm.update(0.0)
    assert journal == ["Reminded 9.0"]


def test_a_state_whose_actions_all_finish_at_once_has_finished_before() -> None:
    journal: list[str] = []
    fsm = order(journal)
    fsm.states["Paid"].add_transition(FINISHED, "Open")
    resume_in(fsm, "Paid")
    fsm.update(1.0)
    assert (fsm.current_state.name, journal) == ("Paid", [])
    assert [action.finished for action in fsm.states["Paid"].actions] == [True]


class Count(FsmAction):
    def __init__(self) -> None:
        self.calls = 0

    def on_enter(self) -> None:
        self.calls += 1

    def on_update(self) -> None:
        self.calls += 1


def test_other_actions_are_as_they_were_made_and_take_part() -> None:
    fsm = Fsm("M")
    count = fsm.add_state("A").add_action(Count())
    off = fsm.states["A"].add_action(Count())
    handler = fsm.states["A"].add_action(OnEvent("HIT", lambda: None))
    off.enabled = False
    resume_in(fsm, "A")
    assert (count.calls, count.finished, handler.finished) == (0, False, True)
    assert fsm.send_event("HIT")
    fsm.update(0.1)
    assert (count.calls, off.calls) == (1, 0)


def test_a_running_machine_is_put_there_without_an_exit() -> None:
    journal: list[str] = []
    inner = Fsm("Inner")
    inner.add_state("A")
    fsm = order(journal)
    fsm.states["Open"].add_action(RunFsm(inner))
    fsm.start()
    fsm.send_event_after(1.0, "PAY")
    resume_in(fsm, "Paid", seconds=5.0)
    assert journal == ["Open 0.0"]
    assert (fsm.time, inner.is_running, inner.host) == (5.0, False, None)
    fsm.update(9.0)
    assert journal == ["Open 0.0"]


class Watch(Observer):
    def __init__(self) -> None:
        self.journal: list[tuple[str, float, float]] = []

    def state_entered(self, fsm: Fsm[Any], state: Any, event: str | None) -> None:
        self.journal.append((state.name, 0.0, 0.0))

    def restored(self, fsm: Fsm[Any], time: float) -> None:
        self.journal.append(("restored", time, fsm.time))


def test_observers_hear_that_it_was_restored() -> None:
    fsm, watch = order([]), Watch()
    fsm.observe(watch)
    resume_in(fsm, "Paid", seconds=5.0)
    assert watch.journal == [("restored", 0.0, 5.0)]


def test_it_can_be_saved_and_restored() -> None:
    fsm, other = order([]), order([])
    resume_in(fsm, "Open", seconds=DAY)
    restore(other, snapshot(fsm))
    assert snapshot(other) == snapshot(fsm)
    assert (other.time_in_state, other.next_due) == (DAY, 2 * DAY)


@pytest.mark.parametrize(
    "action",
    [
        lambda: Sequence(TimedWait(1.0)),
        lambda: RunFsm(Fsm("Inner")),
        lambda: Move(Transform((0.0, 0.0)), None, (1.0, 0.0), 2.0),
    ],
)
def test_what_one_number_cannot_describe_is_refused_and_changes_nothing(action: Any) -> None:
    fsm = order([])
    fsm.states["Paid"].add_action(action())
    resume_in(fsm, "Open", seconds=5.0)
    before = snapshot(fsm)
    with pytest.raises(FsmError, match=r"Paid.actions\[1\].*cannot be resumed by the seconds"):
        resume_in(fsm, "Paid")
    assert snapshot(fsm) == before


def test_wrong_arguments_are_refused() -> None:
    fsm = order([])
    with pytest.raises(UnknownStateError, match="'Payed'.*Did you mean 'Paid'"):
        resume_in(fsm, "Payed")
    with pytest.raises(ValueError, match="seconds must be"):
        resume_in(fsm, "Paid", seconds=-1.0)
    with pytest.raises(TypeError, match="machine must be an Fsm"):
        resume_in("Order", "Paid")  # type: ignore[arg-type]
    fsm.states["Open"].add_action(DelegateAction(lambda s: resume_in(s.fsm, "Paid")))
    with pytest.raises(FsmError, match="not from inside its own callbacks"):
        fsm.start()
