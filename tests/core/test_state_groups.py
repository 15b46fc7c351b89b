"""Rule 26: groups of states, which share transitions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from every import every

from fsmkit import (
    BACK,
    ERROR,
    FINISHED,
    DuplicateStateError,
    DuplicateTransitionError,
    Fsm,
    FsmError,
    FsmState,
    StateGroup,
    UnhandledEventError,
    UnknownStateError,
)
from fsmkit.testing import Probe, Recorder


def guard(*, strict: bool = False) -> Fsm[None]:
    """Make a guard that may be shot while it patrols or chases."""
    fsm: Fsm[None] = Fsm("Guard", on_unhandled="raise" if strict else "ignore")
    for name in ("Patrol", "Chase", "Dead"):
        fsm.add_state(name)
    fsm.states["Patrol"].add_transition("SEEN", "Chase")
    return fsm


def names(states: tuple[FsmState[Any], ...]) -> list[str]:
    return [state.name for state in states]


def current(fsm: Fsm[Any]) -> str:
    assert fsm.current_state is not None
    return fsm.current_state.name


# Looking up


def test_states_of_a_group_share_its_transitions() -> None:
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol", fsm.states["Chase"])
    assert alive.add_transition("SHOT", "Dead") == alive.transitions["SHOT"][0]
    for state, end in (("Patrol", "Dead"), ("Chase", "Dead")):
        fsm.start(state)
        assert fsm.send_event("SHOT")
        assert current(fsm) == end
    assert not fsm.send_event("SHOT")


def test_own_then_the_groups_in_order_then_the_machine() -> None:
    fsm = guard()
    journal: list[str] = []

    def ask(name: str) -> Callable[[FsmState[None], object], bool]:
        return lambda state, data: journal.append(name) or data == name

    first, second = fsm.add_group("First"), fsm.add_group("Second", "Patrol")
    other = fsm.add_group("Other", "Chase")
    first.add("Patrol")  # the order is that of the groups, not that of joining them
    fsm.add_global_transition("GO", "Dead", when=ask("machine"))
    for source in (other, second, first, fsm.states["Patrol"]):
        source.add_transition("GO", "Chase", when=ask(source.name))
    for answer in ("Patrol", "First", "Second", "machine", ""):
        fsm.start("Patrol")
        journal.append(f"{answer}: {fsm.send_event('GO', answer)}")
    assert journal == [
        "Patrol", "Patrol: True",
        "Patrol", "First", "First: True",
        "Patrol", "First", "Second", "Second: True",
        "Patrol", "First", "Second", "machine", "machine: True",
        "Patrol", "First", "Second", "machine", ": False",
    ]  # fmt: skip


def test_what_every_guard_refuses_is_refused() -> None:
    fsm = guard(strict=True)
    fsm.add_group("Alive", "Patrol").add_transition("SHOT", "Dead", when=lambda: False)
    fsm.start()
    recorder = Recorder(fsm)
    assert not fsm.send_event("SHOT")
    assert recorder.journal == ["event SHOT: refused"]


def test_a_transition_of_a_group_to_the_current_state_does_nothing() -> None:
    fsm = guard(strict=True)
    journal: list[str] = []
    fsm.states["Chase"].add_action(Probe("legs", journal))
    fsm.add_group("Alive", "Patrol", "Chase").add_transition("ALARM", "Chase", suspend=True)
    fsm.start("Chase")
    recorder = Recorder(fsm)
    assert not fsm.send_event("ALARM")
    assert (journal, recorder.journal) == (["enter legs"], ["event ALARM: ignored"])
    fsm.start("Patrol")
    assert fsm.send_event("ALARM")
    assert names(fsm.suspended) == ["Patrol"]


def test_what_a_group_ignores_goes_no_further() -> None:
    fsm = guard(strict=True)
    fsm.add_group("Alive", "Chase").add_transition("ALARM", "Chase")
    fsm.add_group("Other", "Chase").add_transition("ALARM", "Patrol")
    fsm.add_global_transition("ALARM", "Dead")
    fsm.start("Chase")
    assert not fsm.send_event("ALARM")
    assert current(fsm) == "Chase"


def test_a_refused_way_to_the_current_state_passes_the_event_on() -> None:
    fsm = guard()
    fsm.add_group("Alive", "Chase").add_transition("ALARM", "Chase", when=lambda: False)
    fsm.add_global_transition("ALARM", "Dead")
    fsm.start("Chase")
    assert fsm.send_event("ALARM")
    assert current(fsm) == "Dead"


def test_effects_suspending_and_back() -> None:
    fsm = guard()
    journal: list[str] = []
    for state in fsm.states.values():
        state.add_action(Probe(state.name, journal))
    pause = fsm.add_state("Pause")
    alive = fsm.add_group("Alive", "Patrol", "Chase")
    alive.add_transition("BREAK", pause, do=lambda: journal.append("break"), suspend=True)
    fsm.add_group("Breaks", pause).add_transition("GO ON", BACK)
    alive.add_transition("GO ON", BACK)
    fsm.start("Chase")
    assert [fsm.send_event(event) for event in ("GO ON", "BREAK", "GO ON")] == [False, True, True]
    assert journal == ["enter Chase", "suspend Chase", "break", "resume Chase"]
    assert current(fsm) == "Chase"


@pytest.mark.parametrize("source", ["own", "group"])
def test_finished_of_a_group_is_sent(source: str) -> None:
    fsm = guard()
    journal: list[str] = []
    fsm.states["Chase"].add_action(Probe("legs", journal, on_enter=lambda probe: probe.finish()))
    owner = fsm.states["Chase"] if source == "own" else fsm.add_group("Alive", "Chase", "Patrol")
    owner.add_transition(FINISHED, "Dead")
    fsm.start("Chase")
    assert (current(fsm), fsm.last_event) == ("Dead", FINISHED)


def test_a_state_without_actions_finishes_by_the_transition_of_a_group() -> None:
    fsm = guard()
    fsm.add_group("Alive", "Chase", "Patrol").add_transition(FINISHED, "Dead")
    fsm.start()
    assert current(fsm) == "Dead"


def test_an_error_becomes_the_event_of_a_group() -> None:
    fsm = guard()
    fsm.states["Chase"].add_action(Probe("legs", [], on_update=lambda probe: 1 / 0))
    fsm.add_group("Alive", "Chase").add_transition(ERROR, "Dead")
    fsm.start("Chase")
    fsm.update(0.1)
    assert current(fsm) == "Dead"
    assert isinstance(fsm.event_data, ZeroDivisionError)


def test_an_error_is_raised_if_its_group_leads_to_the_state_itself() -> None:
    fsm = guard()
    fsm.states["Chase"].add_action(Probe("legs", [], on_update=lambda probe: 1 / 0))
    fsm.add_group("Alive", "Chase").add_transition(ERROR, "Chase")
    fsm.start("Chase")
    with pytest.raises(ZeroDivisionError):
        fsm.update(0.1)


def test_a_waiting_event_is_looked_up_in_the_groups_of_the_new_state() -> None:
    fsm = guard()

    def twice(probe: Probe) -> None:
        probe.fsm.send_event("SEEN")
        probe.fsm.send_event("SHOT")

    fsm.states["Patrol"].add_action(Probe("eyes", [], on_update=twice))
    fsm.add_group("Hunting", "Chase").add_transition("SHOT", "Dead")
    fsm.start()
    fsm.update(0.1)
    assert current(fsm) == "Dead"


def test_an_event_of_a_group_is_no_change_on_exit() -> None:
    fsm = guard()
    fsm.states["Patrol"].add_action(Probe("eyes", [], on_exit="SHOT"))
    fsm.add_group("Alive", "Patrol").add_transition("SHOT", "Dead")
    fsm.start()
    with pytest.raises(FsmError, match="from an on_exit"):
        fsm.send_event("SEEN")
    assert current(fsm) == "Chase"


def test_carried_time_goes_with_a_transition_of_a_group() -> None:
    from actions import TimedWait

    fsm: Fsm[None] = Fsm("Lamp", carry_time=True)
    for name in ("Red", "Green", "Off"):
        fsm.add_state(name).add_action(TimedWait(0.3))
    fsm.add_group("On", "Red", "Green").add_transition(FINISHED, "Off")
    fsm.start()
    fsm.update(0.4)
    assert current(fsm) == "Off"
    assert fsm.time_in_state == pytest.approx(0.1)


def test_groups_of_a_nested_machine() -> None:
    from actions import RunFsm

    inner = guard()
    inner.add_group("Alive", "Patrol", "Chase").add_transition("SHOT", "Dead")
    outer: Fsm[None] = Fsm("Outer", on_unhandled="raise")
    run, other = outer.add_state("Run"), outer.add_state("Other")
    run.add_action(RunFsm(inner))
    outer.add_group("All", run).add_transition("LEAVE", other)
    outer.start()
    assert outer.send_event("SHOT")
    assert outer.path == ("Run", "Dead")
    assert outer.send_event("LEAVE")


# What the machine says


def test_the_message_of_an_unhandled_event_lists_those_of_the_groups() -> None:
    fsm = guard(strict=True)
    fsm.add_group("Alive", "Patrol", "Chase").add_transition("SHOT", "Dead")
    fsm.add_global_transition("RESET", "Patrol")
    fsm.start()
    with pytest.raises(UnhandledEventError, match="It knows 'SEEN', 'SHOT', 'RESET'"):
        fsm.send_event("SHOTS")
    fsm.start("Dead")
    with pytest.raises(UnhandledEventError, match="It is known in group 'Alive'"):
        fsm.send_event("SHOT")


def test_what_leads_back_to_nothing_is_said_of_a_group_too() -> None:
    fsm = guard(strict=True)
    fsm.add_group("Alive", "Patrol").add_transition("OVER", BACK)
    fsm.start()
    with pytest.raises(UnhandledEventError, match="leads BACK, but nothing is suspended"):
        fsm.send_event("OVER")


def test_possible_events_include_those_of_the_groups() -> None:
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol", "Chase")
    shot = alive.add_transition("SHOT", "Dead")
    alive.add_transition("SEEN", "Dead")
    alive.add_transition("REST", "Patrol")
    fsm.add_global_transition("RESET", "Dead")
    fsm.start()
    possible = fsm.possible_events()
    assert [each.event for each in possible] == ["SEEN", "SHOT", "RESET"]
    assert possible[1].transition == shot
    fsm.start("Dead")
    assert fsm.possible_events() == ()


# Defining


def test_what_is_in_a_group() -> None:
    fsm = guard()
    patrol, dead = fsm.states["Patrol"], fsm.states["Dead"]
    alive = fsm.add_group("Alive", patrol, "Chase", patrol)
    assert (alive.name, alive.fsm) == ("Alive", fsm)
    assert names(alive.states) == ["Patrol", "Chase"]
    assert list(alive) == list(alive.states)
    assert [each in alive for each in (patrol, "Chase", dead, "Dead", "No", None, 3)] == [
        True, True, False, False, False, False, False,
    ]  # fmt: skip
    assert dict(fsm.groups) == {"Alive": alive}
    assert str(alive) == "Fsm 'Guard', group 'Alive'"
    assert repr(alive) == "<StateGroup 'Alive' of Fsm 'Guard'>"
    with pytest.raises(TypeError):
        fsm.groups["X"] = alive  # type: ignore[index]
    with pytest.raises(AttributeError, match="the name and the machine of a group cannot be set"):
        alive.name = "Other"  # type: ignore[misc]


def test_states_come_and_go_while_the_machine_runs() -> None:
    fsm = guard()
    alive = fsm.add_group("Alive")
    alive.add_transition("SHOT", "Dead")
    fsm.start()
    sent = [fsm.send_event("SHOT")]
    alive.add("Patrol", "Chase")
    alive.remove("Chase")
    sent.append(fsm.send_event("SHOT"))
    fsm.start()
    alive.remove(fsm.states["Patrol"])
    sent.append(fsm.send_event("SHOT"))
    assert (sent, alive.states) == ([False, True, False], ())


def test_a_group_is_removed_with_its_transitions() -> None:
    fsm = guard()
    alive, other = fsm.add_group("Alive", "Patrol"), fsm.add_group("Other", "Patrol")
    alive.add_transition("SHOT", "Dead")
    other.add_transition("GO", "Chase")
    fsm.start()
    fsm.remove_group("Alive")
    assert list(fsm.groups) == ["Other"]
    assert [fsm.send_event("SHOT"), fsm.send_event("GO")] == [False, True]
    assert alive.states == ()
    with pytest.raises(FsmError, match=r"group 'Alive': add\(\) of a group that was removed"):
        alive.add("Patrol")
    with pytest.raises(FsmError, match="has no group .*'Alive'.*Its groups: 'Other'"):
        fsm.remove_group(alive)
    fsm.add_group("Alive", "Chase")  # the name is free again


def test_a_removed_state_is_in_no_group_and_no_transition_of_one_leads_to_it() -> None:
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol", "Dead")
    alive.add_transition("SHOT", "Dead")
    alive.add_transition("SEEN", "Chase", when=lambda: True)
    fsm.start()
    fsm.remove_state("Dead")
    assert (names(alive.states), list(alive.transitions)) == (["Patrol"], ["SEEN"])


def test_transitions_of_a_group_are_checked_as_those_of_a_state() -> None:
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol")
    alive.add_transition("SHOT", "Dead")
    with pytest.raises(DuplicateTransitionError, match="group 'Alive' has a transition for event"):
        alive.add_transition("SHOT", "Chase")
    with pytest.raises(TypeError, match="when"):
        alive.add_transition("HIT", "Dead", when=lambda a, b, c: True)  # type: ignore[call-overload]
    with pytest.raises(UnknownStateError):
        alive.add_transition("HIT", "Nowhere")
    with pytest.raises(TypeError, match="group 'Alive': an event must be a str"):
        alive.add_transition(fsm.states["Dead"], "HIT")  # type: ignore[call-overload]
    alive.remove_transition("SHOT")
    with pytest.raises(FsmError, match="group 'Alive' has no transition for event 'SHOT'"):
        alive.remove_transition("SHOT")


WRONG: dict[str, tuple[Callable[[Fsm[None]], object], type[Exception], str]] = {
    "a group of that name": (
        lambda fsm: fsm.add_group("Alive"), DuplicateStateError, "has a group 'Alive' already",
    ),
    "a state of that name": (
        lambda fsm: fsm.add_group("Patrol"), DuplicateStateError, "has a state 'Patrol' already",
    ),
    "a state by the name of a group": (
        lambda fsm: fsm.add_state("Alive"), DuplicateStateError, "has a group 'Alive' already",
    ),
    "no name": (lambda fsm: fsm.add_group(""), ValueError, "must not be empty"),
    "not a name": (
        lambda fsm: fsm.add_group(fsm.states["Patrol"]),  # type: ignore[arg-type]
        TypeError, "The name of a group must be a str",
    ),
    "an unknown state": (
        lambda fsm: fsm.add_group("New", "Patrol", "Patrl"), UnknownStateError, "Did you mean",
    ),
    "a state of another machine": (
        lambda fsm: fsm.groups["Alive"].add(guard().states["Patrol"]), UnknownStateError, "not",
    ),
    "a list of states": (
        lambda fsm: fsm.groups["Alive"].add(["Patrol"]),  # type: ignore[arg-type]
        TypeError, "must be an FsmState or a name",
    ),
    "a state that is not in it": (
        lambda fsm: fsm.groups["Alive"].remove("Patrol", "Dead"),
        FsmError, "group 'Alive' does not have 'Dead'. Its states: 'Patrol', 'Chase'",
    ),
    "an unknown group": (
        lambda fsm: fsm.remove_group("Alife"), FsmError, "no group 'Alife'.*Did you mean 'Alive'",
    ),
    "not a group": (
        lambda fsm: fsm.remove_group(3), FsmError, "no group 3",  # type: ignore[arg-type]
    ),
}  # fmt: skip


@every("what", WRONG)
def test_what_is_wrong_is_said_and_changes_nothing(what: str) -> None:
    call, error, text = WRONG[what]
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol", "Chase")
    with pytest.raises(error, match=text):
        call(fsm)
    assert (list(fsm.groups), names(alive.states)) == (["Alive"], ["Patrol", "Chase"])
    assert list(fsm.states) == ["Patrol", "Chase", "Dead"]


FROM_INSIDE: dict[str, Callable[[StateGroup[None]], object]] = {
    "add_group()": lambda group: group.fsm.add_group("New"),
    "remove_group()": lambda group: group.fsm.remove_group(group),
    "add()": lambda group: group.add("Dead"),
    "remove()": lambda group: group.remove("Patrol"),
    "add_transition()": lambda group: group.add_transition("X", "Dead"),
    "remove_transition()": lambda group: group.remove_transition("SHOT"),
}


@pytest.mark.parametrize("call", FROM_INSIDE)
def test_groups_are_not_changed_from_inside_a_callback(call: str) -> None:
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol")
    alive.add_transition("SHOT", "Dead")
    change = FROM_INSIDE[call]
    fsm.states["Patrol"].add_action(Probe("eyes", [], on_update=lambda probe: change(alive)))
    fsm.start()
    with pytest.raises(FsmError, match=r"from inside one of its own callbacks") as raised:
        fsm.update(0.1)
    assert call in str(raised.value)
    assert (names(alive.states), list(alive.transitions)) == (["Patrol"], ["SHOT"])


def test_the_options_of_a_machine_leave_its_groups_alone() -> None:
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol")
    fsm.on_unhandled, fsm.max_transitions = "warn", 5
    assert dict(fsm.groups) == {"Alive": alive}


# Copies


def copied(thing: Any) -> Any:
    return copy.deepcopy(thing)


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("make", [copied, pickled])
def test_a_copy_has_groups_of_its_own(make: Callable[[Any], Any]) -> None:
    fsm = guard()
    alive = fsm.add_group("Alive", "Patrol", "Chase")
    alive.add_transition("SHOT", "Dead")
    fsm.start("Chase")
    other = make(fsm)
    its = other.groups["Alive"]
    assert (its.name, its.fsm, names(its.states)) == ("Alive", other, ["Patrol", "Chase"])
    its.remove("Patrol")
    its.add_transition("HEAL", "Patrol")
    assert (names(alive.states), list(alive.transitions)) == (["Patrol", "Chase"], ["SHOT"])
    assert (other.send_event("HEAL"), fsm.send_event("HEAL")) == (True, False)
    assert (other.send_event("SHOT"), fsm.send_event("SHOT")) == (False, True)


@pytest.mark.parametrize("make", [copied, pickled])
def test_a_copy_of_a_group_brings_its_machine(make: Callable[[Any], Any]) -> None:
    alive = guard().add_group("Alive", "Patrol")
    alive.add_transition("SHOT", "Dead")
    other = make(alive)
    assert other.fsm.groups["Alive"] is other
    other.fsm.start()
    assert other.fsm.send_event("SHOT")


@pytest.mark.parametrize("make", [copied, pickled])
def test_a_context_may_hold_a_group(make: Callable[[Any], Any]) -> None:
    fsm: Fsm[dict[str, Any]] = Fsm("Guard", context={})
    fsm.context["alive"] = fsm.add_group("Alive", fsm.add_state("Patrol"))
    other = make(fsm)
    assert other.context["alive"] is other.groups["Alive"]
