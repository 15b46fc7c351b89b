"""What a check says of groups of states."""

from typing import Any

from actions import Await, TimedWait
from fsmkit import BACK, FINISHED, Fsm
from fsmkit.checking import Place, check


def guard() -> Fsm[Any]:
    """Make a guard who may be shot while it is alive: nothing is wrong with it."""
    fsm = Fsm("Guard")
    for name in ("Patrol", "Chase", "Dead"):
        fsm.add_state(name, final=name == "Dead")
    fsm.states["Patrol"].add_transition("SEEN", "Chase")
    fsm.states["Chase"].add_transition("LOST", "Patrol")
    fsm.add_group("Alive", "Patrol", "Chase").add_transition("SHOT", "Dead")
    return fsm


def found(fsm: Fsm[Any]) -> list[str]:
    return [f"{each.code}: {each.place}: {each.message}" for each in check(fsm)]


def test_a_group_leads_to_its_targets_and_out_of_its_states() -> None:
    fsm = guard()
    assert found(fsm) == []
    fsm.remove_group("Alive")
    fsm.states["Chase"].remove_transition("LOST")
    assert [(each.code, each.place.state) for each in check(fsm)] == [
        ("unreachable-state", "Dead"), ("no-way-out", "Chase"),
    ]  # fmt: skip


def test_a_transition_that_every_state_of_the_group_shadows() -> None:
    fsm = guard()
    for name in ("Patrol", "Chase"):
        fsm.states[name].add_transition("SHOT", "Dead")
    assert found(fsm) == [
        (
            "shadowed-transition: Fsm 'Guard', group 'Alive': The transition of group 'Alive' for "
            "'SHOT' to 'Dead' is never taken: 'Patrol' and 'Chase' have a transition for this "
            "event that comes first."
        )
    ]
    assert check(fsm)[0].place == Place("Guard", event="SHOT", group="Alive")
    fsm.states["Chase"].remove_transition("SHOT")
    assert found(fsm) == []  # an exception to the group is what it is for


def test_an_earlier_group_shadows_a_later_one() -> None:
    fsm = guard()
    fsm.add_group("Armed", "Chase").add_transition("SHOT", "Patrol")
    assert [each.place.group for each in check(fsm)] == ["Armed"]


def test_a_global_transition_behind_a_group_that_all_states_are_in() -> None:
    fsm = guard()
    fsm.add_global_transition("SHOT", "Dead")
    assert found(fsm) == [
        (
            "shadowed-transition: Fsm 'Guard': The global transition for 'SHOT' to 'Dead' is never "
            "taken: every other state has a transition of its own for this event, which comes "
            "first."
        )
    ]


def test_a_group_without_states() -> None:
    fsm = guard()
    fsm.add_group("Nobody").add_transition("HIT", "Dead")
    fsm.add_group("Empty")
    fsm.add_group("Alone", "Chase").add_transition("HIT", "Chase")
    assert found(fsm) == [
        (
            "empty-group: Fsm 'Guard', group 'Nobody': The group has no states, so none of its "
            "transitions is ever taken."
        ),
        (
            "empty-group: Fsm 'Guard', group 'Alone': The group has no other state than its "
            "targets, so none of its transitions is ever taken."
        ),
    ]


def test_the_lines_of_groups() -> None:
    def build() -> Fsm[Any]:
        fsm = guard()
        nobody = fsm.add_group("Nobody")
        nobody.add_transition("HIT", "Dead")
        return fsm

    [finding] = check(build)
    assert finding.place.file == __file__
    assert finding.place.line == build.__code__.co_firstlineno + 3


def test_events_sent_in_a_group_are_known_there() -> None:
    fsm = guard()
    fsm.states["Chase"].add_action(TimedWait(1.0, "SHOT"))
    assert found(fsm) == []
    fsm.groups["Alive"].remove("Chase")
    assert [each.code for each in check(fsm)] == ["dead-end-event"]


def test_finished_of_a_group_never_fires_if_no_state_of_it_finishes() -> None:
    fsm = guard()
    for name in ("Patrol", "Chase"):
        fsm.states[name].add_action(TimedWait(1.0)).finish_event = "SHOT"
    fsm.groups["Alive"].add_transition(FINISHED, "Dead")
    assert [(each.code, each.place.group) for each in check(fsm)] == [
        ("finished-never-fires", "Alive")
    ]


def test_suspending_and_back_by_groups() -> None:
    fsm = guard()
    pause = fsm.add_state("Pause")
    fsm.groups["Alive"].add_transition("BREAK", pause, suspend=True)
    breaks = fsm.add_group("Breaks", pause)
    breaks.add_transition("OVER", BACK)
    assert found(fsm) == []
    breaks.remove("Pause")
    breaks.add("Dead")
    assert [(each.code, each.place.group) for each in check(fsm)] == [
        ("nothing-to-resume", "Breaks"), ("no-way-out", None), ("never-resumed", "Alive"),
    ]  # fmt: skip


def test_guards_of_groups_are_read() -> None:
    fsm = guard()
    fsm.groups["Alive"].add_transition("HIT", "Dead", when=lambda: False)
    assert [(each.code, each.place.group) for each in check(fsm)] == [("constant-guard", "Alive")]


def test_work_in_a_state_that_its_group_suspends() -> None:
    async def look() -> None:
        pass

    fsm = guard()
    fsm.states["Chase"].add_action(Await(look))
    pause = fsm.add_state("Pause")
    pause.add_transition("OVER", BACK)
    fsm.groups["Alive"].add_transition("BREAK", pause, suspend=True)
    codes = [(each.code, each.place.state) for each in check(fsm)]
    assert ("work-suspended", "Chase") in codes
    fsm.groups["Alive"].remove("Chase")
    assert "work-suspended" not in [each.code for each in check(fsm)]
