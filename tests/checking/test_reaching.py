"""States that cannot be reached, and states that cannot be left."""

from typing import Any

from actions import DelegateAction, Move, Race, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking import Finding, Place, check
from fsmkit.space import Transform


def found(fsm: Fsm[Any], code: str) -> list[str | None]:
    return [finding.place.state for finding in check(fsm) if finding.code == code]


def unreachable(fsm: Fsm[Any]) -> list[str | None]:
    return found(fsm, "unreachable-state")


def without_way_out(fsm: Fsm[Any]) -> list[str | None]:
    return found(fsm, "no-way-out")


def ring(*names: str) -> Fsm:
    """Each state leads to the next on NEXT, the last one to the first."""
    fsm = Fsm("Ring")
    for name in names:
        fsm.add_state(name)
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        fsm.states[name].add_transition("NEXT", following)
    return fsm


# To a state


def test_a_state_that_nothing_leads_to_is_reported() -> None:
    fsm = ring("A", "B")
    fsm.add_state("Lost").add_transition("NEXT", "A")
    assert check(fsm) == [
        Finding(
            "unreachable-state",
            "warning",
            Place("Ring", "Lost"),
            "The machine starts in 'A' and never gets here: no transition leads to this state.",
            "Add a transition to it, or start the machine in it, or remove it.",
        )
    ]


def test_states_that_only_lead_to_each_other_are_unreachable() -> None:
    fsm = ring("A", "B")
    fsm.add_state("C").add_transition("NEXT", fsm.add_state("D"))
    fsm.states["D"].add_transition("NEXT", "C")
    assert unreachable(fsm) == ["C", "D"]
    assert "lead here only from 'D'" in check(fsm)[0].message


def test_a_transition_to_itself_does_not_make_a_state_reachable() -> None:
    fsm = ring("A", "B")
    fsm.add_state("C").add_transition("AGAIN", "C")
    fsm.states["C"].add_transition("NEXT", "A")
    assert unreachable(fsm) == ["C"]
    assert "no transition leads to this state" in check(fsm)[0].message


def test_a_global_transition_leads_to_its_target_and_on_from_there() -> None:
    fsm = ring("A", "B")
    hurt, healed = fsm.add_state("Hurt"), fsm.add_state("Healed")
    fsm.add_global_transition("HIT", hurt)
    hurt.add_transition("HEAL", healed)
    assert unreachable(fsm) == []


def test_the_state_in_which_a_machine_runs_is_reached() -> None:
    fsm = ring("A", "B")
    intro = fsm.add_state("Intro")
    intro.add_transition("NEXT", "A")
    assert unreachable(fsm) == ["Intro"]
    fsm.start("Intro")
    assert unreachable(fsm) == []
    fsm.send_event("NEXT")
    assert unreachable(fsm) == ["Intro"]


# From a state


def test_a_state_that_nothing_leads_out_of_is_reported() -> None:
    fsm = Fsm("Guard")
    fsm.add_state("Patrol").add_transition("SPOTTED", fsm.add_state("Alarm"))
    assert check(fsm) == [
        Finding(
            "no-way-out",
            "warning",
            Place("Guard", "Alarm"),
            "No transition leads from here to another state, and it is not marked as final.",
            "Add a transition, or mark the end: add_state(..., final=True).",
        )
    ]


def test_a_transition_to_itself_is_not_a_way_out() -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_transition("GO", fsm.add_state("B"))
    fsm.states["B"].add_transition("GO", "B")
    fsm.add_global_transition("BACK", "B")
    assert without_way_out(fsm) == ["B"]


def test_a_global_transition_is_a_way_out() -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_transition("GO", fsm.add_state("B"))
    fsm.add_global_transition("BACK", "A")
    assert without_way_out(fsm) == []


def test_a_final_state_needs_no_way_out_and_may_have_one() -> None:
    fsm = Fsm("M")
    won, lost = fsm.add_state("Won", final=True), fsm.add_state("Lost", final=True)
    play = fsm.add_state("Play")
    play.add_transition("WIN", won)
    play.add_transition("LOSE", lost)
    won.add_transition("AGAIN", play)
    assert without_way_out(fsm) == []


def test_the_only_state_of_a_machine_need_not_be_left() -> None:
    fsm = Fsm("M")
    fsm.add_state("Spin")
    assert check(fsm) == []


def test_code_that_stops_the_machine_is_a_way_out() -> None:
    class GoHome(FsmAction):
        def on_enter(self) -> None:
            self.fsm.stop()

    class BeginAgain(FsmAction):
        def on_enter(self) -> None:
            self.fsm.start("Start")

    def restart(state: FsmState[Any]) -> None:
        state.fsm.start("Start")

    class GoHomeAtOnce(GoHome):
        finishes = "at once"

    fsm = Fsm("M")
    start = fsm.add_state("Start")
    for action in (
        DelegateAction(lambda state: state.fsm.stop()),
        DelegateAction(restart),
        GoHome(),
        GoHomeAtOnce(),
        BeginAgain(),
        Move(Transform(), (0.0, 0.0), (1.0, 0.0), 2.0),
        RunFsm(Fsm("Inner")),
    ):
        name = f"{len(fsm.states)} {type(action).__name__}"
        fsm.add_state(name).add_action(action)
        start.add_transition(name, name)
    assert without_way_out(fsm) == ["6 Move", "7 RunFsm"]


# Inside of another machine


def stuck() -> Fsm:
    inner = Fsm("Inner")
    inner.add_state("One").add_transition("NEXT", inner.add_state("Two"))
    return inner


def test_a_nested_machine_is_left_from_outside() -> None:
    for event in ("GO", FINISHED):
        fsm = ring("A", "B")
        fsm.states["A"].add_action(RunFsm(stuck()))
        fsm.states["A"].add_transition(event, "B")
        assert without_way_out(fsm) == []


def test_a_nested_machine_that_is_not_left_from_outside_may_be_stuck() -> None:
    fsm = Fsm("Outer")
    fsm.add_state("Only").add_action(RunFsm(stuck()))
    assert [str(finding.place) for finding in check(fsm)] == ["Fsm 'Outer/Inner', state 'Two'"]


def test_a_nested_machine_is_left_by_whatever_is_around_it() -> None:
    middle = Fsm("Middle")
    middle.add_state("Only").add_action(RunFsm(stuck()))
    fsm = ring("A", "B")
    fsm.states["A"].add_action(RunFsm(middle))
    assert without_way_out(fsm) == []

    by_race = Fsm("Outer")
    by_race.add_state("Only").add_action(Race(RunFsm(stuck()), TimedWait(5.0)))
    assert without_way_out(by_race) == []


# Guards


def test_a_guarded_transition_leads_to_its_target_and_out() -> None:
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b, when=lambda: False)
    a.add_transition("GO", fsm.add_state("C"), when=lambda: True)
    b.add_transition("GO", a, when=lambda: False)
    fsm.states["C"].add_transition("GO", "C", when=lambda: False)
    assert (unreachable(fsm), without_way_out(fsm)) == ([], ["C"])


# Where a nested machine starts


def test_a_nested_machine_starts_where_it_is_told_to() -> None:
    inner = ring("A", "B")
    inner.add_state("Late").add_transition("NEXT", "A")
    inner.add_state("Lost").add_transition("NEXT", "A")
    fsm = ring("One", "Two")
    fsm.states["One"].add_action(RunFsm(inner, start="Late"))
    assert unreachable(fsm) == ["Lost"]
    (finding,) = (finding for finding in check(fsm) if finding.code == "unreachable-state")
    assert finding.message.startswith("The machine starts in 'A' or 'Late' and never gets here: ")
    fsm.states["Two"].add_action(Race(RunFsm(inner, start=lambda: "Lost"), TimedWait(1.0)))
    assert unreachable(fsm) == []
