"""FsmGroup: many machines, one call."""

import copy
import gc
import weakref
from collections.abc import Callable

import pytest

from actions import RunFsm
from fsmkit import Fsm, FsmError, FsmGroup, FsmState, UnhandledEventError
from fsmkit.classic import FsmSystem
from fsmkit.observer import Observer
from fsmkit.recording import Recording, replay
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


def test_an_observer_of_a_group_hears_its_machines_while_they_are_in_it() -> None:
    journal: list[str] = []

    class Log(Observer):
        def state_entered(self, fsm: Fsm, state: FsmState, event: str | None) -> None:
            journal.append(f"{fsm.name} {state.name}")

    def guard(name: str) -> Fsm:
        fsm = Fsm(name)
        fsm.add_state("Patrol").add_transition("GO", fsm.add_state("Chase"))
        inner = Fsm(f"{name}'s legs")
        inner.add_state("Walk")
        fsm.states["Chase"].add_action(RunFsm(inner))
        return fsm

    group = FsmGroup([guard("Ann")])
    detach = group.observe(Log(), nested=True)
    bob = group.add(guard("Bob"))
    for fsm in group:
        fsm.start()
    group.broadcast("GO")
    group.remove(bob)
    bob.start()
    assert journal == [
        "Ann Patrol", "Bob Patrol", "Ann Chase", "Ann's legs Walk", "Bob Chase", "Bob's legs Walk",
    ]  # fmt: skip
    group.add(bob)
    detach()
    detach()
    for fsm in group:
        fsm.start()
    group.add(guard("Cid")).start()
    assert len(journal) == 6
    with pytest.raises(TypeError, match="Attach an object of the class, not the class"):
        group.observe(Log)
    copy.deepcopy(group).add(guard("Dan")).start()


# Starting and stopping


def built(name: str, journal: list[str], **reactions: Reaction) -> Fsm:
    fsm = Fsm(name)
    fsm.add_state("A").add_action(Probe(name, journal, **reactions))  # type: ignore[arg-type]
    fsm.add_state("B")
    return fsm


def test_a_group_is_started_and_stopped_in_the_order_of_adding() -> None:
    journal: list[str] = []
    group = FsmGroup(built(name, journal) for name in ("one", "two"))
    group.start()
    assert (states(group), group.is_running) == (["A", "A"], True)
    group.stop()
    assert (states(group), group.is_running) == (["-", "-"], False)
    group.stop()
    assert journal == ["enter one", "enter two", "exit one", "exit two"]


def test_starting_a_group_begins_again_what_is_running() -> None:
    journal: list[str] = []
    group = FsmGroup(built(name, journal) for name in ("one", "two"))
    group["two"].start("B")
    group.start()
    group.start()
    assert states(group) == ["A", "A"]
    assert journal == ["enter one", "enter two", "exit one", "enter one", "exit two", "enter two"]


def test_one_that_fails_does_not_keep_the_others_from_starting_or_stopping() -> None:
    journal: list[str] = []
    group = FsmGroup(
        [
            built("one", journal, on_enter=failing("in"), on_exit=failing("out")),
            built("two", journal, on_exit=failing("out")),
            built("three", journal, on_exit=failing("gone")),
            built("four", journal),
        ]
    )
    with pytest.raises(OopsError, match="in"):
        group.start()
    with pytest.raises(ExceptionGroup, match="stopping failed") as raised:
        group.stop()
    assert [str(error) for error in raised.value.exceptions] == ["out", "gone"]
    assert states(group) == ["-"] * 4
    assert journal == [
        "enter one", "enter two", "enter three", "enter four",
        "exit two", "exit three", "exit four",
    ]  # fmt: skip


def test_the_machines_of_a_group_run_in_a_block() -> None:
    journal: list[str] = []
    group = FsmGroup(built(name, journal) for name in ("one", "two"))
    group["one"].start("B")
    with group.running() as running:
        assert running is group
        group.add(built("three", journal)).start()
        assert states(group) == ["B", "A", "A"]
    assert states(group) == ["-", "-", "-"]
    assert journal == ["enter two", "enter three", "exit two", "exit three"]


def test_however_the_block_ends_all_are_stopped_and_no_error_is_lost() -> None:
    journal: list[str] = []
    names = ("one", "two", "three")
    group = FsmGroup(built(name, journal, on_exit=failing(name)) for name in names[:2])
    group.add(built("three", journal))
    with pytest.raises(KeyboardInterrupt) as raised, group.running():
        raise KeyboardInterrupt
    assert raised.value.__notes__ == [
        "stopping failed as well: OopsError('one')",
        "stopping failed as well: OopsError('two')",
    ]
    assert journal == [
        "enter one",
        "enter two",
        "enter three",
        "exit one",
        "exit two",
        "exit three",
    ]


def test_a_group_that_cannot_be_started_is_stopped() -> None:
    journal: list[str] = []
    group = FsmGroup([built("one", journal), built("two", journal, on_enter=failing("no fuel"))])
    with pytest.raises(OopsError, match="no fuel"), group.running():
        journal.append("never here")
    assert (states(group), journal) == (["-", "-"], ["enter one", "enter two", "exit one"])


def test_one_that_another_removes_while_stopping_goes_on() -> None:
    journal: list[str] = []
    group = FsmGroup(built(name, journal) for name in ("one", "two"))
    one, two = group
    one.states["A"].add_action(Probe("it", journal, on_exit=lambda _: group.remove(two)))
    with group.running():
        journal.clear()
    assert (journal, two.is_running) == (["exit one", "exit it"], True)


# By name


def test_a_machine_is_found_by_its_name() -> None:
    group = FsmGroup(Fsm(name) for name in ("Inky", "Blinky"))
    inky, blinky = group
    assert (group["Inky"], group["Blinky"]) == (inky, blinky)
    assert ("Inky" in group, inky in group, "Clyde" in group) == (True, True, False)


WRONG_NAMES = {
    "Inki": "The group has no machine 'Inki'. Its machines: 'Inky', 'Twin', 'Ghost 0', 'Ghost 1', "
    "'Ghost 2' and 5 more. Did you mean 'Inky'? Add it with add() first, or check the spelling.",
    "Twin": "2 machines of the group are called 'Twin'. Give each a name of its own, or keep what "
    "add() returns.",
}


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_a_name_that_leads_to_no_machine_is_reported(name: str) -> None:
    names = ["Inky", "Twin", "Twin", *(f"Ghost {number}" for number in range(8))]
    group = FsmGroup(map(Fsm, names))
    with pytest.raises(FsmError) as raised:
        group[name]
    assert isinstance(raised.value, KeyError)
    assert str(raised.value) == WRONG_NAMES[name]


def test_an_empty_group_has_no_names() -> None:
    with pytest.raises(KeyError, match="Its machines: none. Add it"):
        FsmGroup()["Inky"]


def test_a_position_is_no_name() -> None:
    with pytest.raises(TypeError, match=r"found by its name, got 0. By position: list\(group\)"):
        FsmGroup([Fsm("Inky")])[0]  # type: ignore[index]


# Beside the tools that watch a group


def test_starts_and_stops_of_a_group_are_recorded_and_repeated() -> None:
    def build() -> FsmGroup:
        return FsmGroup(built(name, []) for name in ("one", "two"))

    group = build()
    with Recording(group) as recording:
        group.start()
        group.update(0.5)
        group.stop()
        with group.running():
            group["two"].start("B")
    assert [f"{step.machine}.{step.call}" for step in recording.steps] == [
        "one.start", "two.start", "one.update", "two.update", "one.stop", "two.stop",
        "one.start", "two.start", "two.start", "one.stop", "two.stop",
    ]  # fmt: skip
    assert replay(build, recording)


def test_a_copied_group_has_its_own_machines_by_their_names() -> None:
    group = FsmGroup(built(name, []) for name in ("one", "two"))
    group.start()
    twin = copy.deepcopy(group)
    twin.stop()
    assert (twin["one"] is not group["one"], states(group), states(twin)) == (
        True, ["A", "A"], ["-", "-"],
    )  # fmt: skip
