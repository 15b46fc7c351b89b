"""FsmGroup: many machines, one call."""

import gc
import weakref
from collections.abc import Callable

import pytest

from actions import RunFsm
from fsmkit import Fsm, FsmError, FsmGroup, UnhandledEventError
from fsmkit.classic import FsmSystem
from fsmkit.testing import Probe, Reaction


class OopsError(Exception):
    pass


def machine(name: str, journal: list[str], **reactions: Reaction) -> Fsm:
    """A <-> B on GO and BACK."""
    fsm = Fsm(name, on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Probe(name, journal, **reactions))  # type: ignore[arg-type]
    a.add_transition("GO", b)
    b.add_transition("BACK", a)
    fsm.start()
    return fsm


def failing(message: str) -> Reaction:
    def fail(_probe: Probe) -> None:
        raise OopsError(message)

    return fail


def states(group: FsmGroup) -> list[str]:
    return [each.current_state.name if each.current_state else "-" for each in group]


def test_machines_are_updated_in_the_order_of_adding() -> None:
    journal: list[str] = []
    group = FsmGroup([machine("one", journal), machine("two", journal)])
    group.add(machine("three", journal))
    journal.clear()
    group.update(0.25)
    assert journal == ["update one", "update two", "update three"]
    assert [each.time for each in group] == [0.25] * 3


def test_broadcast_reaches_all_and_counts_who_took_it() -> None:
    group = FsmGroup(machine(name, []) for name in ("one", "two", "three"))
    one, *_ = group
    one.send_event("GO")
    assert group.broadcast("GO", "data") == 2
    assert states(group) == ["B", "B", "B"]
    assert [each.event_data for each in group] == [None, "data", "data"]
    assert group.broadcast("NOBODY") == 0


def test_a_machine_is_in_it_once() -> None:
    group = FsmGroup()
    one = machine("one", [])
    assert group.add(one) is one
    assert group.add(one) is one
    assert (len(group), list(group), one in group) == (1, [one], True)
    group.remove(one)
    assert (len(group), list(group), one in group) == (0, [], False)
    assert one.is_running


def test_only_machines_of_it_can_be_removed() -> None:
    with pytest.raises(ValueError, match=r"<Fsm 'one': A> is not in this group of 0 machines"):
        FsmGroup().remove(machine("one", []))


@pytest.mark.parametrize("wrong", [None, "Guard", Fsm])
def test_only_machines_can_be_added(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"A member of an FsmGroup must be an Fsm, got"):
        FsmGroup([wrong])  # type: ignore[list-item]


def test_one_machine_is_not_several() -> None:
    with pytest.raises(TypeError, match=r"got <Fsm 'one': A>. Write FsmGroup\(\[machine\]\)"):
        FsmGroup(machine("one", []))  # type: ignore[arg-type]


def test_for_an_object_with_a_machine_the_error_says_to_add_that() -> None:
    system = FsmSystem("Guard")
    with pytest.raises(
        TypeError, match=r"got <fsmkit.classic.FsmSystem.*>. Add its attribute mach"
    ):
        FsmGroup().add(system)  # type: ignore[arg-type]
    assert list(FsmGroup([system.machine])) == [system.machine]


def test_it_runs_while_one_of_the_machines_does() -> None:
    group = FsmGroup(machine(name, []) for name in ("one", "two"))
    one, two = group
    one.stop()
    assert group.is_running
    two.stop()
    assert not group.is_running


def test_machines_that_do_not_run_are_left_alone() -> None:
    group = FsmGroup([Fsm("idle"), machine("one", [])])
    group.update(1.0)
    assert [each.time for each in group] == [0.0, 1.0]


def test_a_machine_removed_from_a_callback_is_not_updated_any_more() -> None:
    journal: list[str] = []
    group = FsmGroup()

    def remove_both(_probe: Probe) -> None:
        group.remove(one)
        group.remove(two)

    one = group.add(machine("one", journal, on_update=remove_both))
    two = group.add(machine("two", journal))
    group.add(machine("three", journal))
    journal.clear()
    group.update(1.0)
    group.update(1.0)
    assert journal == ["update one", "update three", "update three"]


def test_a_machine_added_from_a_callback_is_updated_from_the_next_call_on() -> None:
    journal: list[str] = []
    late = machine("late", journal)
    group = FsmGroup()
    group.add(machine("one", journal, on_update=lambda _probe: group.add(late)))
    journal.clear()
    group.update(1.0)
    assert journal == ["update one"]
    group.update(1.0)
    assert journal == ["update one", "update one", "update late"]


def test_a_broadcast_from_a_callback_reaches_the_sender_when_the_callback_is_over() -> None:
    journal: list[str] = []
    group = FsmGroup()
    group.add(machine("one", journal))

    def alarm(probe: Probe) -> None:
        group.broadcast("GO")
        journal.append(f"still in {states(group)[1]}")

    group.add(machine("two", journal, on_update=alarm))
    journal.clear()
    group.update(1.0)
    assert journal == ["update one", "update two", "exit one", "still in A", "exit two"]
    assert states(group) == ["B", "B"]


def test_one_error_is_raised_itself_and_the_others_are_updated() -> None:
    journal: list[str] = []
    group = FsmGroup([machine("one", journal), machine("two", journal, on_update=failing("two"))])
    group.add(machine("three", journal))
    with pytest.raises(OopsError, match="two") as caught:
        group.update(1.0)
    assert caught.value.__notes__ == ["Fsm 'two', state 'A', actions[0] (Probe), on_update"]
    assert [each.time for each in group] == [1.0] * 3
    assert journal[-2:] == ["update two", "update three"]


def test_several_errors_are_raised_as_a_group() -> None:
    journal: list[str] = []
    group = FsmGroup(machine(n, journal, on_update=failing(n)) for n in ("one", "two"))
    group.add(machine("three", journal))
    with pytest.raises(ExceptionGroup, match="2 machines of the group failed") as caught:
        group.update(1.0)
    assert [str(error) for error in caught.value.exceptions] == ["one", "two"]
    assert journal[-1] == "update three"


def test_errors_in_a_broadcast_do_not_keep_it_from_the_others() -> None:
    group = FsmGroup([machine("one", [], on_exit=failing("one")), machine("two", [])])
    strict = Fsm("strict", on_unhandled="raise")
    strict.add_state("A")
    strict.start()
    group.add(strict)
    with pytest.raises(ExceptionGroup) as caught:
        group.broadcast("GO")
    assert [type(error) for error in caught.value.exceptions] == [OopsError, UnhandledEventError]
    assert states(group) == ["B", "B", "A"]


def test_an_interruption_is_raised_at_once() -> None:
    journal: list[str] = []

    def interrupt(_probe: Probe) -> None:
        raise KeyboardInterrupt

    group = FsmGroup([machine("one", journal, on_update=interrupt), machine("two", journal)])
    with pytest.raises(KeyboardInterrupt):
        group.update(1.0)
    assert journal == ["enter one", "enter two", "update one"]


def test_it_keeps_no_machine_alive_that_was_removed() -> None:
    group = FsmGroup()
    one = group.add(machine("one", []))
    group.update(1.0)
    gone = weakref.ref(one)
    group.remove(one)
    del one
    gc.collect()
    assert gone() is None


@pytest.mark.slow
def test_ten_thousand_machines_in_one_group() -> None:
    group = FsmGroup()
    for number in range(10_000):
        fsm = group.add(Fsm(f"npc {number}"))
        a, b = fsm.add_state("A"), fsm.add_state("B")
        a.add_transition("GO", b)
        fsm.start()
    assert group.broadcast("GO") == len(group) == 10_000
    group.update(0.5)
    assert {each.time for each in group} == {0.5}
    assert set(states(group)) == {"B"}
    for each in group:
        group.remove(each)
    assert len(group) == 0


def test_its_repr_says_how_many_there_are() -> None:
    assert repr(FsmGroup([machine("one", [])])) == "<FsmGroup of 1 machines>"


def test_the_update_of_a_group_can_be_intercepted_by_one_at_a_time() -> None:
    journal: list[float] = []

    def halve(carry_out: Callable[[float], None], dt: float) -> None:
        journal.append(dt)
        carry_out(dt / 2)

    fsm = Fsm("Guard")
    fsm.add_state("Patrol")
    fsm.start()
    group = FsmGroup([fsm])
    undo = group.intercept(halve)
    group.update(1.0)
    with pytest.raises(FsmError, match="is intercepted already"):
        group.intercept(halve)
    with pytest.raises(TypeError, match="handler must be a function .*, got 3"):
        group.intercept(3)  # type: ignore[arg-type]
    undo()
    group.update(1.0)
    assert (journal, fsm.time) == ([1.0], 1.5)


def test_a_group_that_is_gone_does_not_keep_its_machines_from_being_nested() -> None:
    inner = Fsm("Inner")
    inner.add_state("A")
    FsmGroup([inner])
    gc.collect()
    outer = Fsm("Outer")
    outer.add_state("A").add_action(RunFsm(inner))
    outer.start()
    assert outer.path == ("A", "A")
