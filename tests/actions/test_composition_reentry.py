"""What children do to each other, and to what runs them, from inside their callbacks."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import define

from actions import Composite, Coroutine, Parallel, Race, Repeat, Retry, Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmError, TransitionOnExitError
from fsmkit.testing import Probe


class Until(Probe):
    """Finishes when it hears the event, and lets it pass."""

    def __init__(self, name: str, journal: list[str], event: str, **reactions: Any) -> None:
        super().__init__(name, journal, **reactions)
        self.event = event

    def on_event(self, event: str, data: object) -> bool:
        if event == self.event:
            self.journal.append(f"{self.name} hears {event}")
            self.finish()
        return False


def run(*actions: FsmAction, on_unhandled: Any = "ignore") -> Fsm:
    """A machine that runs the actions in Work, with a transition for GO to Gone."""
    fsm = Fsm("M", on_unhandled=on_unhandled)
    work = fsm.add_state("Work")
    work.add_transition("GO", fsm.add_state("Gone"))
    for action in actions:
        work.add_action(action)
    fsm.start()
    return fsm


@pytest.mark.parametrize(
    "around",
    [
        lambda child: Sequence(child, TimedWait(0.2)),
        lambda child: Race(child, TimedWait(9.0)),
        lambda child: Repeat(child, times=1),
        lambda child: Retry(child, times=1),
        lambda child: Parallel(child, TimedWait(9.0)),
    ],
)
def test_a_child_whose_finish_event_leads_nowhere_is_exited_once(
    around: Callable[[FsmAction], FsmAction],
) -> None:
    journal: list[str] = []
    sound = Probe("sound", journal, on_update=Probe.finish)
    fsm = run(around(Repeat(sound, times=1, finish_event="DONE")))
    fsm.update(0.1)
    fsm.update(0.1)
    fsm.stop()
    assert journal == ["enter sound", "update sound", "exit sound"]


def test_after_a_race_has_ended_nobody_in_it_is_updated() -> None:
    journal: list[str] = []
    a, b = Probe("a", journal, on_update=Probe.finish), Probe("b", journal)
    fsm = run(Sequence(Race(a, b, finish_event="DONE"), TimedWait(9.0)))
    fsm.update(0.1)
    fsm.update(0.1)
    assert journal == ["enter a", "enter b", "update a", "exit a", "exit b"]


def test_a_coroutine_whose_event_ends_the_race_runs_to_its_next_yield_first() -> None:
    journal: list[str] = []

    def routine(state: Any) -> Iterator[None]:
        try:
            yield
            state.send_event("PING")
            journal.append("goes on")
            yield
        finally:
            journal.append("closed")

    fsm = run(Race(Coroutine(routine), Until("until", journal, "PING")))
    fsm.update(0.1)
    fsm.update(0.1)
    assert journal == [
        "enter until", "until hears PING", "goes on", "closed", "exit until",
    ]  # fmt: skip


def test_a_child_is_not_exited_before_its_update_has_returned() -> None:
    journal: list[str] = []

    def ping(probe: Probe) -> None:
        probe.fsm.send_event("PING")
        journal.append("a goes on")

    fsm = run(Race(Probe("a", journal, on_update=ping), Until("b", journal, "PING")))
    fsm.update(0.1)
    assert journal == [
        "enter a", "enter b", "update a", "b hears PING", "a goes on", "exit a", "exit b",
    ]  # fmt: skip


def test_a_child_that_is_just_being_entered_is_exited_when_that_is_over() -> None:
    journal: list[str] = []
    a = Probe("a", journal, on_update=Probe.finish)
    b = Probe("b", journal, on_enter="PING")
    c = Until("c", journal, "PING")
    race = Race(Sequence(a, b), c)
    fsm = run(race)
    fsm.update(0.1)
    assert journal == [
        "enter a", "enter c", "update a", "exit a", "enter b", "c hears PING", "exit b", "exit c",
    ]  # fmt: skip
    assert race.finished
    fsm.stop()
    assert len(journal) == 8


def test_an_event_inside_an_event_is_looked_at_by_the_outer_one() -> None:
    journal: list[str] = []

    class Relay(Probe):
        def on_event(self, event: str, data: object) -> bool:
            if event == "PING":
                self.fsm.send_event("PONG")
                self.journal.append("relay goes on")
            return False

    fsm = run(Race(Relay("relay", journal), Until("until", journal, "PONG")))
    assert not fsm.send_event("PING")
    assert journal[2:] == ["until hears PONG", "relay goes on", "exit relay", "exit until"]


def test_a_child_that_finishes_by_an_event_it_lets_pass_ends_the_race_at_once() -> None:
    journal: list[str] = []
    race = Race(Until("a", journal, "PING"), Until("b", journal, "PING"))
    fsm = run(race)
    assert not fsm.send_event("PING")
    assert journal == ["enter a", "enter b", "a hears PING", "exit a", "exit b"]
    assert race.finished


def test_a_child_that_is_finished_from_outside_is_noticed_in_the_next_update() -> None:
    journal: list[str] = []
    a, b = Probe("a", journal), Probe("b", journal)
    fsm = run(Sequence(a, b))
    a.finish()
    fsm.update(0.1)
    assert journal == ["enter a", "exit a", "enter b"]


def test_a_composite_that_one_of_its_children_finishes_begins_no_more() -> None:
    journal: list[str] = []
    outer: list[FsmAction] = []
    quit_all = Probe("a", journal, on_enter=lambda probe: (outer[0].finish(), probe.finish()))
    for kind in (Sequence, Parallel, Race):
        outer[:] = [kind(quit_all, Probe("b", journal))]
        fsm = run(*outer)
        fsm.update(0.1)
        fsm.stop()
        fsm.states["Work"].remove_action(outer[0])
    assert journal == ["enter a", "exit a"] * 3


# On exit


def test_an_event_for_later_survives_the_exit_of_a_child() -> None:
    journal: list[str] = []
    a = Probe(
        "a", journal,
        on_update=Probe.finish, on_exit=lambda probe: probe.fsm.send_event_after(0.1, "GO"),
    )  # fmt: skip
    fsm = run(Sequence(Parallel(a), TimedWait(9.0)))
    fsm.update(0.1)
    assert fsm.current_state.name == "Work"
    fsm.update(0.1)
    assert fsm.current_state.name == "Gone"


def test_an_event_for_later_does_not_survive_the_exit_of_the_state() -> None:
    a = Probe("a", [], on_exit=lambda probe: probe.fsm.send_event_after(0.1, "GO"))
    fsm = run(Sequence(Parallel(a)))
    fsm.start("Work")
    fsm.update(0.1)
    assert fsm.current_state.name == "Work"


def test_an_action_that_is_removed_may_send_an_event_for_later() -> None:
    a = Probe("a", [], on_exit=lambda probe: probe.fsm.send_event_after(0.1, "GO"))
    fsm = run(a, Probe("b", []))
    fsm.states["Work"].remove_action(a)
    fsm.update(0.1)
    assert fsm.current_state.name == "Gone"


def test_to_finish_another_child_on_exit_does_nothing() -> None:
    journal: list[str] = []
    b = Repeat(Probe("b", journal), finish_event="GO")
    a = Probe("a", journal, on_update=Probe.finish, on_exit=lambda _: b.finish())
    fsm = run(Parallel(Sequence(a, Probe("c", journal)), b))
    fsm.update(0.1)
    assert journal == ["enter a", "enter b", "update a", "exit a", "enter c", "update b"]
    assert not b.finished


def test_the_exit_of_a_child_still_may_not_change_the_state() -> None:
    fsm = run(Race(Probe("a", [], on_update=Probe.finish, on_exit="GO")))
    with pytest.raises(TransitionOnExitError):
        fsm.update(0.1)
    assert fsm.current_state.name == "Work"


# Composites of one's own


@define(eq=False, repr=False, slots=False)
class Abortable(Composite):
    """Runs all of its actions, until one of them sends ABORT."""

    actions: tuple[FsmAction, ...]

    @property
    def children(self) -> tuple[FsmAction, ...]:
        return self.actions

    def begin(self) -> None:
        for child in self.actions:
            self.begin_child(child)

    def go_on(self) -> None:
        """Nothing: it waits for ABORT."""

    def on_event(self, event: str, data: object) -> bool:
        if event == "ABORT":
            self.end_all()
            self.finish()
        return event == "ABORT" or super().on_event(event, data)


def abort(probe: Probe) -> None:
    probe.fsm.send_event("ABORT")
    probe.journal.append(f"{probe.name} goes on")


def test_who_is_to_be_exited_in_its_own_update_is_exited_after_it() -> None:
    journal: list[str] = []
    probes = [Probe(n, journal, on_update=abort if n == "b" else None) for n in "abc"]
    own = Abortable(tuple(probes))
    fsm = run(own)
    fsm.update(0.1)
    assert journal[3:] == ["update a", "update b", "exit a", "exit c", "b goes on", "exit b"]
    assert (own.present, own.finished) == ((), True)
    fsm.stop()
    assert len(journal) == 9


def test_what_such_an_update_and_its_exit_raise_is_raised_together() -> None:
    def fail(probe: Probe) -> None:
        probe.fsm.send_event("ABORT")
        raise ValueError

    def fail_too(_probe: Probe) -> None:
        raise KeyError

    fsm = run(Abortable((Probe("a", [], on_update=fail, on_exit=fail_too),)))
    with pytest.raises(ExceptionGroup, match="Abortable: a child failed twice") as raised:
        fsm.update(0.1)
    assert [type(error) for error in raised.value.exceptions] == [ValueError, KeyError]


def test_an_action_that_runs_another_may_exit_it_from_its_own_on_event() -> None:
    class Stopper(FsmAction):
        def __init__(self, child: FsmAction) -> None:
            self.child = child

        @property
        def children(self) -> tuple[FsmAction, ...]:
            return (self.child,)

        def on_enter(self) -> None:
            self.nested.enter(self.child)

        def on_update(self) -> None:
            self.nested.update(self.child)

        def on_event(self, event: str, data: object) -> bool:
            taken = self.nested.offer(self.child, event, data)
            self.nested.exit(self.child)
            assert not self.nested.offer(self.child, event, data), "it is as good as exited"
            return taken

        def on_exit(self) -> None:
            self.nested.exit(self.child)

    journal: list[str] = []
    a, b = Probe("a", journal, on_update="X"), Probe("b", journal, takes={"X"})
    fsm = run(Stopper(Sequence(Parallel(a, b))))
    fsm.update(0.1)
    fsm.update(0.1)
    fsm.stop()
    assert journal == [
        "enter a",
        "enter b",
        "update a",
        "b takes X",
        "update b",
        "exit a",
        "exit b",
    ]


def test_a_child_cannot_be_entered_twice() -> None:
    class Twice(FsmAction):
        child = Probe("a", [])
        children = (child,)

        def on_enter(self) -> None:
            self.nested.enter(self.child)
            self.nested.enter(self.child)

    with pytest.raises(FsmError, match=r"state 'Work': Twice\.children\[0\] \(Probe\) has been .*"):
        run(Twice())


def test_what_is_no_child_cannot_be_entered() -> None:
    journal: list[str] = []
    stranger = Probe("stranger", journal)

    class Careless(FsmAction):
        def on_enter(self) -> None:
            self.nested.enter(stranger)

    told = r"state 'Work': Probe\(.*\) is not one of the children of Careless\. Return it from"
    with pytest.raises(FsmError, match=told):
        run(Careless())
    assert journal == []


def test_an_action_in_no_state_runs_nothing() -> None:
    journal: list[str] = []
    inner = Fsm("Inner")
    inner.add_state("A").add_action(Probe("inside", journal))
    child = Probe("child", journal)
    free = Parallel(child)
    for call in (lambda: free.nested.enter(child), lambda: free.nested.start(inner)):
        with pytest.raises(FsmError, match=r"This Parallel has not been added to a state yet"):
            call()
    assert journal == []
    inner.start()
    assert journal == ["enter inside"]


# Several changes at once


def test_what_a_child_decides_keeps_the_others_from_being_updated() -> None:
    journal: list[str] = []
    fsm = run(Parallel(Probe("a", journal, on_update="GO"), Probe("b", journal)))
    fsm.update(0.1)
    assert journal == ["enter a", "enter b", "update a", "exit a", "exit b"]
    assert fsm.last_event == "GO"


def test_the_race_that_ends_with_an_event_finishes_its_state() -> None:
    fsm = Fsm("M", on_unhandled="ignore")
    work = fsm.add_state("Work")
    work.add_transition(FINISHED, fsm.add_state("Done"))
    work.add_action(Race(Probe("a", [], on_update="PING"), Until("b", [], "PING")))
    fsm.start()
    fsm.update(0.1)
    assert fsm.current_state.name == "Done"
