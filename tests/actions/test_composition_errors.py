"""Errors inside compositions: none is lost, and none keeps the others from going on."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import Parallel, Race, Repeat, Sequence, Timeout
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, UnhandledEventError
from fsmkit.testing import Probe


class Oops(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise Oops


def interrupt(_probe: Probe) -> None:
    raise KeyboardInterrupt


def machine(action: FsmAction, *events: str, on_unhandled: Any = "raise") -> Fsm:
    """A machine that runs the action in Work; the events lead to Done."""
    fsm = Fsm("M", on_unhandled=on_unhandled)
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    for event in events:
        work.add_transition(event, done)
    work.add_action(action)
    fsm.start()
    return fsm


def ending(journal: list[str], on_exit: Callable[[Probe], None]) -> Probe:
    return Probe("a", journal, on_update=Probe.finish, on_exit=on_exit)


AROUND = [
    lambda child: Race(child, finish_event="NOBODY"),
    lambda child: Sequence(child, finish_event="NOBODY"),
    lambda child: Repeat(child, times=1, finish_event="NOBODY"),
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("events", [(), (ERROR,)])
def test_an_interrupt_in_the_exit_of_a_child_reaches_the_caller(
    around: Callable[[FsmAction], FsmAction], events: tuple[str, ...]
) -> None:
    fsm = machine(around(ending([], interrupt)), *events)
    with pytest.raises(KeyboardInterrupt):
        fsm.update(0.1)
    assert fsm.current_state.name == "Work"


def test_an_interrupt_in_the_exit_on_a_timeout_reaches_the_caller() -> None:
    fsm = machine(Timeout(Probe("a", [], on_exit=interrupt), 0.1, "NOBODY"), ERROR)
    with pytest.raises(KeyboardInterrupt):
        fsm.update(0.1)


@pytest.mark.parametrize("around", AROUND)
def test_one_whose_child_fails_on_exit_finishes_in_the_next_update(
    around: Callable[[FsmAction], FsmAction],
) -> None:
    journal: list[str] = []
    action = around(ending(journal, fail))
    fsm = machine(action, FINISHED, on_unhandled="ignore")
    with pytest.raises(Oops):
        fsm.update(0.1)
    assert fsm.current_state.name == "Work"
    fsm.update(0.1)
    assert fsm.current_state.name == "Done", "the machine drops what a failing callback decides"
    assert journal == ["enter a", "update a", "exit a"]


def test_one_that_runs_out_while_its_child_fails_on_exit_says_so_in_the_next_update() -> None:
    fsm = machine(Timeout(Probe("a", [], on_exit=fail), 0.1, "LATE"), "LATE")
    with pytest.raises(Oops):
        fsm.update(0.1)
    fsm.update(0.1)
    assert fsm.last_event == "LATE"


def test_a_timeout_whose_event_nobody_handles_has_finished_all_the_same() -> None:
    timeout = Timeout(Probe("a", []), 0.1, "NOBODY")
    fsm = machine(timeout)
    with pytest.raises(UnhandledEventError):
        fsm.update(0.1)
    assert timeout.finished
    fsm.update(0.1)


def test_a_sequence_enters_the_next_although_one_fails_on_exit() -> None:
    journal: list[str] = []
    sequence = Sequence(ending(journal, fail), Probe("b", journal, on_enter=fail))
    fsm = machine(sequence)
    with pytest.raises(ExceptionGroup, match="Sequence: several steps failed") as raised:
        fsm.update(0.1)
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["Sequence.children[0] (Probe), on_exit"],
        ["Sequence.children[1] (Probe), on_enter"],
    ]
    fsm.update(0.1)
    fsm.stop()
    assert journal == ["enter a", "update a", "exit a", "enter b"]


def test_a_repeat_begins_the_next_round_although_one_fails_on_exit() -> None:
    journal: list[str] = []
    fsm = machine(Repeat(ending(journal, fail)))
    for _ in range(2):
        with pytest.raises(Oops):
            fsm.update(0.1)
    assert journal == ["enter a", "update a", "exit a", "enter a", "update a", "exit a", "enter a"]


def test_a_child_that_finished_and_then_failed_on_enter_has_not_finished() -> None:
    def finish_and_fail(probe: Probe) -> None:
        probe.finish()
        raise Oops

    broken = Probe("b", [], on_enter=finish_and_fail)
    sequence = Sequence(Probe("a", [], on_update=Probe.finish), broken)
    fsm = machine(sequence)
    with pytest.raises(Oops):
        fsm.update(0.1)
    fsm.update(0.1)
    assert (broken.finished, sequence.finished) == (False, False)


def test_an_error_of_on_event_says_where_it_was() -> None:
    class Deaf(Probe):
        def on_event(self, event: str, data: object) -> bool:
            raise Oops

    fsm = machine(Parallel(Probe("a", []), Deaf("b", [])))
    with pytest.raises(Oops) as raised:
        fsm.send_event("PING")
    assert raised.value.__notes__ == [
        "Parallel.children[1] (Deaf), on_event",
        "Fsm 'M', state 'Work', actions[0] (Parallel), on_event",
    ]


# On enter and on exit


def test_a_child_that_fails_on_enter_was_not_entered_but_those_before_it_are_exited() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    fsm.add_state("A").add_action(
        Parallel(Probe("a", journal), Probe("b", journal, on_enter=fail), Probe("c", journal))
    )
    with pytest.raises(Oops) as raised:
        fsm.start()
    fsm.stop()
    assert journal == ["enter a", "enter b", "exit a"]
    assert raised.value.__notes__ == [
        "Parallel.children[1] (Probe), on_enter",
        "Fsm 'M', state 'A', actions[0] (Parallel), on_enter",
    ]


def test_all_children_are_exited_even_if_one_of_them_fails() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Parallel(*(Probe(name, journal, on_exit=fail) for name in "abc")))
    fsm.start()
    with pytest.raises(ExceptionGroup, match="several children failed") as raised:
        fsm.stop()
    assert journal[3:] == ["exit a", "exit b", "exit c"]
    assert len(raised.value.exceptions) == 3


def test_what_one_child_raises_on_exit_is_raised_itself() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    broken = Probe("b", journal, on_exit=fail)
    fsm.add_state("A").add_action(Parallel(Probe("a", journal), broken, Probe("c", journal)))
    fsm.start()
    with pytest.raises(Oops) as raised:
        fsm.stop()
    assert journal[3:] == ["exit a", "exit b", "exit c"]
    assert raised.value.__notes__ == [
        "Parallel.children[1] (Probe), on_exit",
        "Fsm 'M', state 'A', actions[0] (Parallel), on_exit",
    ]


def test_after_an_enter_that_fails_those_of_the_exits_follow_its_own() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    together = fsm.add_state("A").add_action(
        Parallel(
            Probe("a", journal, on_exit=fail),
            Probe("b", journal, on_exit=fail),
            Probe("c", journal, on_enter=fail),
        )
    )
    with pytest.raises(ExceptionGroup, match="Parallel: several children failed") as raised:
        fsm.start()
    fsm.stop()
    assert journal == ["enter a", "enter b", "enter c", "exit a", "exit b"]
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["Parallel.children[2] (Probe), on_enter"],
        ["Parallel.children[0] (Probe), on_exit"],
        ["Parallel.children[1] (Probe), on_exit"],
    ]
    assert raised.value.__notes__ == ["Fsm 'M', state 'A', actions[0] (Parallel), on_enter"]
    assert not together.present


@pytest.mark.parametrize("exits", [None, fail])
def test_no_error_of_a_child_pretends_to_come_from_another(exits: Any) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(
        Parallel(Probe("a", [], on_exit=exits), Probe("b", [], on_enter=fail))
    )
    with pytest.raises((Oops, ExceptionGroup)) as raised:
        fsm.start()
    for error in (raised.value, *getattr(raised.value, "exceptions", ())):
        assert (error.__context__, error.__suppress_context__) == (None, False)


def test_an_error_of_a_child_becomes_the_event_error() -> None:
    fsm = Fsm("M")
    work = fsm.add_state("Work")
    work.add_transition(ERROR, fsm.add_state("Broken"))
    work.add_action(Sequence(Probe("a", [], on_update=fail)))
    fsm.start()
    fsm.update(1)
    assert fsm.current_state.name == "Broken"
