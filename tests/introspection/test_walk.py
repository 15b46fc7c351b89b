"""The walk through a machine: transitions, actions and nested machines, each with its place."""

import pytest

from actions import Log, RunFsm, Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import (
    handled_events,
    named_events,
    sent_events,
    taken_events,
)


class Runs(FsmAction[object]):
    """Runs machines that it is given later."""

    inner: tuple[Fsm, ...] = ()

    @property
    def machines(self) -> tuple[Fsm, ...]:
        return self.inner


def nested() -> tuple[Fsm, Fsm]:
    """A machine with a sequence in its second state, and the machine nested in the sequence."""
    inner = Fsm("Inner")
    inner.add_state("Rest").add_transition("GO", inner.add_state("Run"))
    outer = Fsm("Outer")
    first, second = outer.add_state("First"), outer.add_state("Second")
    first.add_transition("NEXT", second, when=lambda: False)
    first.add_transition("NEXT", first)
    second.add_action(Sequence(TimedWait(1, "LATE"), RunFsm(inner)))
    second.add_action(Log("here"))
    outer.add_global_transition("RESET", first)
    outer.add_global_transition("RETURN", BACK)
    return outer, inner


def test_actions_come_before_their_children_in_the_order_of_the_states() -> None:
    outer, _ = nested()
    kinds = [type(action).__name__ for action in walk.actions(outer)]
    assert kinds == ["Sequence", "TimedWait", "RunFsm", "Log"]
    assert [*walk.actions(outer.states["Second"])] == [*walk.actions(outer)]


def test_an_action_is_the_first_of_its_own_family() -> None:
    outer, _ = nested()
    sequence = outer.states["Second"].actions[0]
    assert [*walk.actions(sequence)] == [sequence, *sequence.children]


def test_a_disabled_action_hides_its_children_where_only_enabled_ones_are_asked_for() -> None:
    outer, _ = nested()
    second = outer.states["Second"]
    second.actions[0].enabled = False
    assert [path for path, _ in walk.paths(second, "enabled")] == ["1"]
    assert [*walk.actions(second, "enabled")] == [second.actions[1]]
    assert len([*walk.actions(second)]) == 4


def test_a_path_leads_to_the_action_it_was_made_of() -> None:
    outer, _ = nested()
    second = outer.states["Second"]
    paths = dict(walk.paths(second))
    assert [*paths] == ["0", "0/0", "0/1", "1"]
    assert [walk.path_of(action) for action in paths.values()] == [*paths]
    assert [walk.subscripts(path) for path in ("1", "0/1")] == [
        "actions[1]",
        "actions[0].children[1]",
    ]


def test_a_position_is_written_as_in_the_notes_of_errors() -> None:
    outer, _ = nested()
    second = outer.states["Second"]
    run = second.actions[0].children[1]
    assert walk.position(second, run) == "actions[0] (Sequence), children[1] (RunFsm)"
    with pytest.raises(LookupError, match="is not in"):
        walk.position(outer.states["First"], run)


def test_transitions_of_the_states_come_before_the_global_ones_each_with_its_rank() -> None:
    outer, _ = nested()
    places = [
        (each.state and each.state.name, each.event, each.rank) for each in walk.transitions(outer)
    ]
    assert places == [
        ("First", "NEXT", 0),
        ("First", "NEXT", 1),
        (None, "RESET", 0),
        (None, "RETURN", 0),
    ]
    for owner, event, rank, transition in walk.transitions(outer):
        assert walk.table(owner)[event][rank] == transition


def test_machines_are_met_once_the_outer_ones_first() -> None:
    outer, inner = nested()
    assert [*walk.machines(outer, inner, outer)] == [outer, inner]
    assert [*walk.machines(inner, outer)] == [inner, outer]


def test_a_machine_nested_in_itself_is_met_once() -> None:
    machine = Fsm("Mirror")
    machine.add_state("Only").add_action(Runs()).inner = (machine,)
    assert [*walk.machines(machine)] == [machine]


def test_known_events_of_a_machine_are_each_named_once() -> None:
    outer, _ = nested()
    second = outer.states["Second"]
    assert handled_events(outer) == ("RESET", "RETURN", "NEXT")
    assert named_events(outer) == ("NEXT", "GO", "RESET", "RETURN")
    assert sent_events(second.actions[0].children[0]) == ("LATE",)
    assert taken_events(second) == ()
