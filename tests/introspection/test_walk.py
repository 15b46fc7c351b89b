"""The walk through a machine: transitions, actions and nested machines, each with its place."""

import pytest

from actions import ForEach, Log, RunFsm, Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import (
    decided_transition,
    decided_transitions,
    events_in,
    ever_taken_in,
    handled_events,
    has_way,
    named_events,
    sent_events,
    taken_events,
)
from fsmkit.introspection.nesting import fixed_children, made_children, running_inside


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


def test_states_come_in_order_of_adding_and_the_final_ones_by_name() -> None:
    fsm = Fsm("Door")
    added = fsm.add_state("Open"), fsm.add_state("Broken", final=True), fsm.add_state("Closed")
    assert walk.states(fsm) == added
    assert walk.final_states(fsm) == ["Broken"]


def test_own_actions_are_those_without_another_one_around_them() -> None:
    outer, _ = nested()
    second = outer.states["Second"]
    sequence, log = second.actions
    assert [*walk.own_actions(outer)] == [*walk.own_actions(second)] == [sequence, log]
    assert [*walk.own_actions(sequence)] == [*sequence.children]
    assert [walk.index_of(each) for each in (sequence, log, sequence.children[1])] == [0, 1, None]


def test_children_that_an_action_makes_are_not_among_its_fixed_ones() -> None:
    fsm = Fsm("Patrol")
    each = fsm.add_state("Only").add_action(ForEach(lambda: "abc", lambda _: TimedWait(1)))
    fsm.start()
    assert [type(child) for child in made_children(each)] == [TimedWait]
    assert not fixed_children(each)
    sequence = nested()[0].states["Second"].actions[0]
    assert not made_children(sequence)


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


def test_the_transitions_for_one_event_are_read_without_the_others() -> None:
    outer, _ = nested()
    outer.add_group("Both", *walk.states(outer)).add_transition("STOP", "First", when=lambda: True)
    for owner in walk.owners(outer):
        for event in (*walk.table(owner), "UNKNOWN"):
            assert walk.transitions_for(owner, event) == walk.table(owner).get(event, ())


def test_an_event_asks_up_to_the_first_transition_without_a_guard() -> None:
    outer, _ = nested()
    first, second = walk.states(outer)
    outer.add_global_transition("NEXT", second, when=lambda: False)
    asked = [(each.state, each.rank) for each in walk.asked(first, "NEXT")]
    assert asked == [(first, 0), (first, 1)]
    assert [(each.state, each.rank) for each in walk.asked(second, "NEXT")] == [(None, 0)]
    assert not [*walk.asked(first, "UNKNOWN")]


def test_a_decided_transition_comes_with_the_one_it_belongs_to() -> None:
    outer, _ = nested()
    decided = []

    class Notes:
        def event_sent(self, fsm: Fsm, event: str, _data: object, _outcome: str) -> None:
            decided.append(decided_transition(fsm, event))

    outer.start("Second")
    outer.observe(Notes())
    outer.send_event("RESET")
    outer.send_event("NEXT")
    assert [(each.state and each.state.name, each.rank) for each in decided] == [
        (None, 0),
        ("First", 1),
    ]


def test_transitions_that_differ_in_their_guards_alone_are_told_apart_by_their_targets() -> None:
    fsm = Fsm("Door")
    closed, opened, broken = map(fsm.add_state, ("Closed", "Open", "Broken"))
    closed.add_transition("PUSH", broken, when=lambda: False)
    closed.add_transition("PUSH", opened, when=lambda: False, do=lambda: None)
    closed.add_transition("PUSH", opened, when=lambda: False)
    closed.add_transition("PUSH", opened)
    ranks = []

    class Notes:
        def event_sent(self, fsm: Fsm, event: str, _data: object, _outcome: str) -> None:
            ranks.append([each.rank for each in decided_transitions(fsm, event)])

    fsm.start()
    fsm.observe(Notes())
    fsm.send_event("PUSH")
    assert ranks == [[2, 3]]


def test_machines_that_run_are_met_from_the_outer_to_the_inner_ones() -> None:
    outer, inner = nested()
    outer.start("First")
    assert [*running_inside(outer)] == []
    outer.start("Second")
    assert [*running_inside(outer)] == [inner]


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
    assert events_in(outer.states["First"]) == ("NEXT", "RESET", "RETURN")
    assert [has_way(second, event) for event in ("NEXT", "RESET")] == [False, True]
    assert named_events(outer) == ("NEXT", "GO", "RESET", "RETURN")
    assert sent_events(second.actions[0].children[0]) == ("LATE",)
    assert taken_events(second) == ()


def test_groups_come_between_their_states_and_the_machine() -> None:
    fsm = Fsm("Guard")
    patrol, dead = fsm.add_state("Patrol"), fsm.add_state("Dead")
    late, alive = fsm.add_group("Late"), fsm.add_group("Alive", patrol)
    late.add(patrol)
    alive.add_transition("SHOT", dead)
    fsm.add_group("Empty").add_transition("NEVER", dead)
    fsm.add_global_transition("RESET", patrol)
    patrol.add_transition("SHOT", patrol, when=lambda: False)
    late.add_transition("SHOT", patrol, when=lambda: False)
    assert walk.groups(patrol) == (late, alive)
    assert walk.owners(fsm) == (patrol, dead, *fsm.groups.values(), fsm)
    assert [each.owner for each in walk.asked(patrol, "SHOT")] == [patrol, late, alive]
    assert [each.group for each in walk.transitions(fsm)] == [
        None, late, alive, fsm.groups["Empty"], None,
    ]  # fmt: skip
    assert events_in(patrol) == ("SHOT", "RESET")
    assert [has_way(state, "SHOT") for state in (patrol, dead)] == [True, False]
    assert named_events(fsm) == ("SHOT", "NEVER", "RESET")
    assert [ever_taken_in(fsm, event) for event in ("SHOT", "NEVER")] == [True, False]
