"""What a tool that measures sees of the callbacks: `instrument`, and `nested.report_calls`."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from actions import OnEvent, Parallel, RunFsm, Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.testing import Probe


class Gauge:
    """Writes down which callbacks begin and end."""

    def __init__(self, journal: list[str]) -> None:
        self.journal = journal

    def instrument(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        def measured(subject: Any, *arguments: Any) -> Any:
            what = subject.name if isinstance(subject, Probe) else f"{subject}, {callback.__name__}"
            self.journal.append(f"({what}")
            try:
                return callback(subject, *arguments)
            finally:
                self.journal.append(f"{what})")

        return measured

    def begin(self, child: FsmAction) -> None:
        self.journal.append(f"(child {child!r}")

    def end(self) -> None:
        self.journal.append("child)")


def test_the_callbacks_of_the_actions_are_enclosed_from_the_moment_it_is_attached() -> None:
    journal: list[str] = []
    fsm = Fsm("Guard")
    patrol = fsm.add_state("Patrol")
    patrol.add_action(Probe("a", journal))
    patrol.add_action(Probe("b", journal))
    fsm.start()
    detach = fsm.observe(Gauge(journal))
    journal.clear()
    fsm.update(0.1)
    fsm.start()
    fsm.update(0.1)
    detach()
    fsm.update(0.1)
    assert journal == [
        "(a", "update a", "a)", "(b", "update b", "b)",
        "(a", "exit a", "a)", "(b", "exit b", "b)",
        "(a", "enter a", "a)", "(b", "enter b", "b)",
        "(a", "update a", "a)", "(b", "update b", "b)",
        "update a", "update b",
    ]  # fmt: skip


def test_what_has_finished_stays_finished() -> None:
    journal: list[str] = []
    fsm = Fsm("Guard")
    patrol = fsm.add_state("Patrol")
    patrol.add_action(Probe("a", journal, on_update=Probe.finish))
    patrol.add_action(Probe("b", journal))
    fsm.start()
    fsm.update(0.1)
    journal.clear()
    fsm.observe(Gauge(journal))
    fsm.update(0.1)
    assert journal == ["(b", "update b", "b)"]


def test_guards_and_effects_are_enclosed_too() -> None:
    journal: list[str] = []
    fsm = Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")

    def is_near(_state: Any, data: int) -> bool:
        return data < 3

    def shout() -> None:
        journal.append("shout")

    patrol.add_transition("SEEN", chase, when=is_near, do=shout, suspend=True)
    chase.add_transition("LOST", BACK)
    fsm.start()
    fsm.observe(Gauge(journal))
    assert [fsm.send_event("SEEN", data) for data in (9, 1)] == [False, True]
    place = "Fsm 'Guard', state 'Patrol'"
    assert journal == [
        f"({place}, is_near", f"{place}, is_near)",
        f"({place}, is_near", f"{place}, is_near)",
        f"({place}, shout", "shout", f"{place}, shout)",
    ]  # fmt: skip
    assert fsm.send_event("LOST")


def test_an_action_that_takes_events_is_enclosed_while_it_is_asked() -> None:
    journal: list[str] = []
    fsm = Fsm("Guard")

    def hear() -> None:
        journal.append("heard")

    fsm.add_state("Patrol").add_action(OnEvent("NOISE", hear))
    fsm.observe(Gauge(journal))
    fsm.start()
    journal.clear()
    fsm.send_event("NOISE")
    assert [line.strip("()").rpartition(", ")[2] for line in journal] == [
        "on_event",
        "heard",
        "on_event",
    ]


def test_errors_pass_and_say_where_they_come_from() -> None:
    def fail(_probe: Probe) -> None:
        raise ValueError("no oil")

    journal: list[str] = []
    fsm = Fsm("Guard")
    fsm.add_state("Patrol").add_action(Probe("a", journal, on_update=fail))
    fsm.observe(Gauge(journal))
    fsm.start()
    with pytest.raises(ValueError, match="no oil") as caught:
        fsm.update(0.1)
    assert journal[-1] == "a)"
    assert caught.value.__notes__ == ["Fsm 'Guard', state 'Patrol', actions[0] (Probe), on_update"]


def test_calls_of_children_are_reported_as_they_begin_and_end() -> None:
    journal: list[str] = []
    fsm = Fsm("Guard")
    outer = Parallel(TimedWait(9.0), Sequence(TimedWait(0.1), TimedWait(9.0)))
    fsm.add_state("Patrol").add_action(outer)
    fsm.start()
    for composite in (outer, outer.actions[1]):
        composite.nested.report_calls(Gauge(journal))
    fsm.update(0.2)
    names = [line.partition("(duration")[0].partition("(action")[0] for line in journal]
    assert names == [
        "(child TimedWait", "child)",
        "(child Sequence", "(child TimedWait", "child)", "(child TimedWait", "child)", "child)",
    ]  # fmt: skip
    journal.clear()
    for composite in (outer, outer.actions[1]):
        composite.nested.report_calls(None)
    fsm.update(0.2)
    assert journal == []


def test_a_copy_is_not_measured() -> None:
    journal: list[str] = []
    fsm = Fsm("Guard")
    sequence = fsm.add_state("Patrol").add_action(Sequence(TimedWait(1.0), TimedWait(1.0)))
    fsm.start()
    sequence.nested.report_calls(Gauge(journal))
    twin = deepcopy(fsm)
    twin.update(1.5)
    assert journal == []
    assert [child.finished for child in twin.states["Patrol"].actions[0].children] == [False, False]


def test_machines_inside_are_enclosed_with_nested() -> None:
    journal: list[str] = []
    call, fsm = Fsm("Call"), Fsm("Guard")
    call.add_state("Ringing").add_action(Probe("a", journal))
    fsm.add_state("Phone").add_action(RunFsm(call))
    fsm.observe(Gauge(journal), nested=True)
    fsm.start()
    fsm.update(0.1)
    assert [line for line in journal if line in ("(a", "a)") or line.endswith(" a")] == [
        "(a", "enter a", "a)", "(a", "update a", "a)",
    ]  # fmt: skip
