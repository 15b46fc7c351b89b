"""RunFsm: where a machine begins, and what its end means for the machine around it."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, Regions, RunFsm, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmError, UnknownStateError
from fsmkit.testing import Recorder, drive

OUTCOMES = {"Won": "WON", "Lost": "LOST"}


def game(*, on_won: FsmAction | None = None) -> Fsm:
    """Play -> Won on GOAL, Lost on MISS, Half on WHISTLE and back; Won and Lost are final."""
    fsm = Fsm("Game", on_unhandled="raise")
    play, half = fsm.add_state("Play"), fsm.add_state("Half")
    won, lost = fsm.add_state("Won", final=True), fsm.add_state("Lost", final=True)
    play.add_transition("GOAL", won)
    play.add_transition("MISS", lost)
    play.add_transition("WHISTLE", half)
    half.add_transition("WHISTLE", play)
    if on_won is not None:
        won.add_action(on_won)
    return fsm


def evening(*actions: FsmAction, context: Any = None) -> Fsm:
    """Match (with the actions) -> Party on WON, Bed on LOST, Over on FINISHED; AGAIN, HOME."""
    fsm = Fsm("Evening", context, on_unhandled="raise")
    match, party, bed, over = map(fsm.add_state, ("Match", "Party", "Bed", "Over"))
    match.add_transition("WON", party)
    match.add_transition("LOST", bed)
    match.add_transition(FINISHED, over)
    fsm.add_global_transition("AGAIN", match)
    fsm.add_global_transition("HOME", bed)
    for action in actions:
        match.add_action(action)
    return fsm


@pytest.mark.parametrize(("event", "state"), [("GOAL", "Party"), ("MISS", "Bed")])
def test_each_final_state_has_its_own_way_on_with_the_data_that_led_there(
    event: str, state: str
) -> None:
    machine = game()
    fsm = evening(RunFsm(machine, OUTCOMES))
    fsm.start()
    fsm.send_event(event, 7)
    assert (fsm.current_state.name, fsm.event_data) == (state, 7)
    assert (machine.is_running, machine.host, machine.path) == (False, None, ())


def test_the_outcome_comes_before_the_finish_event_and_is_sent_once() -> None:
    machine = game()
    fsm = evening(RunFsm(machine, OUTCOMES, finish_event="OVER"))
    match = fsm.states["Match"]
    match.remove_transition("WON")
    match.remove_transition(FINISHED)
    match.add_action(DelegateAction(on_event={"WON": print, "OVER": print}))
    fsm.start()
    assert drive(fsm, ["GOAL", 1.0, lambda: machine.start("Lost"), 1.0]) == [
        "event WON: consumed",
        "RunFsm finished",
        "event OVER: consumed",
        "event GOAL: consumed",
        "update 1",
        "update 1",
    ]


def test_a_final_state_without_an_outcome_only_finishes() -> None:
    fsm = evening(RunFsm(game(), {"Won": "WON"}))
    fsm.start()
    fsm.send_event("MISS")
    assert fsm.current_state.name == "Over"


def by_update(machine: Fsm, fsm: Fsm) -> None:
    machine.states["Play"].add_action(TimedWait(1.0, "GOAL"))
    fsm.start()
    fsm.update(1.0)


def by_its_start(machine: Fsm, fsm: Fsm) -> None:
    machine.states["Play"].add_action(TimedWait(0.0, "GOAL"))
    fsm.start()


def by_its_beginning_there(machine: Fsm, fsm: Fsm) -> None:
    fsm.states["Match"].actions[0].start = "Won"  # type: ignore[attr-defined]
    fsm.start()


def by_an_event_handed_in(machine: Fsm, fsm: Fsm) -> None:
    fsm.start()
    fsm.send_event("GOAL")


def driven_directly(machine: Fsm, fsm: Fsm) -> None:
    fsm.start()
    machine.start("Won")


def driven_in_an_update_of_the_outer_one(machine: Fsm, fsm: Fsm) -> None:
    fsm.states["Match"].add_action(
        DelegateAction(on_update=lambda: machine.send_event("GOAL"), background=True)
    )
    fsm.start()
    fsm.update(0.1)
    fsm.update(0.1)  # at the latest


@pytest.mark.parametrize(
    "way",
    [
        by_update,
        by_its_start,
        by_its_beginning_there,
        by_an_event_handed_in,
        driven_directly,
        driven_in_an_update_of_the_outer_one,
    ],
)
def test_the_outcome_is_sent_whichever_way_the_machine_gets_there(
    way: Callable[[Fsm, Fsm], None],
) -> None:
    machine = game()
    fsm = evening(RunFsm(machine, OUTCOMES))
    recorder = Recorder(fsm)
    way(machine, fsm)
    assert [line for line in recorder.journal if "WON" in line] == ["event WON: changed"]
    assert (recorder.path, machine.is_running) == (["Match", "Party"], False)


def test_the_outcome_is_not_handed_down_to_the_machine_that_has_ended() -> None:
    machine = game()
    machine.states["Won"].add_transition("WON", "Play")
    machine.add_global_transition("WON", "Half")
    fsm = evening(RunFsm(machine, OUTCOMES))
    fsm.start()
    fsm.send_event("GOAL")
    assert fsm.current_state.name == "Party"


def test_outcomes_pass_through_several_levels() -> None:
    machine = game()
    middle = Fsm("Middle", on_unhandled="raise")
    middle.add_state("Inside").add_action(RunFsm(machine, {"Won": "DONE"}))
    middle.states["Inside"].add_transition("DONE", middle.add_state("Out", final=True))
    fsm = evening(RunFsm(middle, {"Out": "WON"}))
    fsm.start()
    assert fsm.path == ("Match", "Inside", "Play")
    assert machine.path == fsm.path
    fsm.send_event("GOAL", 7)
    assert (fsm.path, fsm.event_data) == (("Party",), 7)


def test_outcomes_work_inside_compositions() -> None:
    fsm = evening(Sequence(TimedWait(1.0), Regions(RunFsm(game(), OUTCOMES), RunFsm(game()))))
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("GOAL", 7)
    assert (fsm.current_state.name, fsm.event_data) == ("Party", 7)


def test_what_runs_in_the_background_does_not_hold_finished_back() -> None:
    fsm = evening(RunFsm(game(), background=True), TimedWait(1.0))
    fsm.start()
    fsm.update(1.0)
    assert fsm.current_state.name == "Over"


@pytest.mark.parametrize(
    "start",
    ["Half", lambda: "Half", lambda state: state.context],
)
def test_it_begins_where_it_is_told_to(start: Any) -> None:
    machine = game()
    fsm = evening(RunFsm(machine, start=start), context="Half")
    inside = Recorder(machine)
    fsm.start()
    assert inside.path == ["Half"]


def test_it_begins_in_a_state_that_is_given_itself() -> None:
    machine = game()
    evening(RunFsm(machine, start=machine.states["Half"])).start()
    assert machine.current_state.name == "Half"


def test_it_resumes_before_it_begins_again() -> None:
    machine = game()
    fsm = evening(RunFsm(machine, OUTCOMES, start="Half", resume=True))
    inside = Recorder(machine)
    fsm.start()
    for event in ("WHISTLE", "HOME", "AGAIN", "GOAL", "AGAIN"):
        fsm.send_event(event)
    assert inside.path == ["Half", "Play", "Play", "Won", "Half"]


def test_an_unknown_beginning_is_told_on_enter() -> None:
    fsm = evening(RunFsm(game(), start="half"))
    with pytest.raises(UnknownStateError, match="Did you mean 'Half'"):
        fsm.start()


def test_while_it_is_suspended_nothing_is_sent_and_time_stands_still() -> None:
    class Motor(FsmAction):
        def on_suspend(self) -> None:
            journal.append("off")

        def on_resume(self) -> None:
            journal.append("on")

    journal: list[str] = []
    machine = game()
    machine.states["Play"].add_action(Motor())
    machine.states["Play"].add_action(TimedWait(2.0, "GOAL"))
    fsm = evening(RunFsm(machine, OUTCOMES))
    pause = fsm.add_state("Pause")
    fsm.states["Match"].add_transition("PAUSE", pause, suspend=True)
    pause.add_transition("GO ON", BACK)
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("PAUSE")
    fsm.update(5.0)
    assert (journal, machine.time, machine.path) == (["off"], 1.0, ("Match", "Play"))
    with pytest.raises(
        FsmError, match="It runs in Fsm 'Evening', state 'Match', which is suspended"
    ):
        machine.start("Lost")
    fsm.send_event("GO ON")
    fsm.update(2.0)
    assert (journal, fsm.current_state.name) == (["off", "on"], "Party")


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ({"Play": "X"}, r"must name final states of Fsm 'Game', got 'Play'. It has 'Won', 'Lost'"),
        ({"Wonn": "X"}, "got 'Wonn'. It has 'Won', 'Lost'. Did you mean 'Won'?"),
        ({"Won": ""}, "outcomes must be the name of an event, got ''"),
        ({"Won": FINISHED}, "outcomes must be an event of your own, got 'FINISHED'"),
    ],
)
def test_outcomes_that_cannot_be_right_are_refused(outcomes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RunFsm(game(), outcomes)


@pytest.mark.parametrize("outcomes", ["WON", ["Won"], {"Won": 3}])
def test_outcomes_of_another_type_are_refused(outcomes: Any) -> None:
    with pytest.raises(TypeError, match="RunFsm: outcomes must"):
        RunFsm(game(), outcomes)


def test_outcomes_of_a_machine_that_is_built_later_are_checked_on_enter() -> None:
    machine = Fsm("Game")
    fsm = evening(RunFsm(machine, OUTCOMES))
    machine.add_state("Play")
    machine.add_state("Won", final=True)
    with pytest.raises(ValueError, match="got 'Lost'. It has 'Won'"):
        fsm.start()
    assert not machine.is_running
    machine.add_state("Lost", final=True)
    fsm.start()
    assert fsm.path == ("Match", "Play")


def test_tools_can_read_what_it_sends_and_takes() -> None:
    machine = game(on_won=DelegateAction(on_event={"CHEER": print}))
    action = RunFsm(machine, OUTCOMES)
    assert action.sends == ("WON", "LOST")
    assert action.takes == ("GOAL", "MISS", "WHISTLE", "CHEER")
