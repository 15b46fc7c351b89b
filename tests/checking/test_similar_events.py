"""Events that differ only by case or by one letter."""

from typing import Any

from every import every

from actions import OnEvent, Parallel, RunFsm, SendEvent, TimedWait
from fsmkit import Fsm
from fsmkit.checking import Finding, Place, check


def pairs(fsm: Fsm[Any]) -> list[str]:
    return [finding.message for finding in check(fsm) if finding.code == "similar-events"]


def knowing(*events: str) -> Fsm:
    """A state for each event, that leads to the next on that event, and so round."""
    fsm = Fsm("Ring")
    states = [fsm.add_state(f"S{index}") for index, _ in enumerate(events)]
    for state, following, event in zip(states, [*states[1:], states[0]], events, strict=True):
        state.add_transition(event, following)
    return fsm


def test_two_events_that_differ_by_one_letter_are_reported() -> None:
    assert check(knowing("SPOTTED", "SPOTED")) == [
        Finding(
            "similar-events",
            "warning",
            Place("Ring", "S1", None, "SPOTED"),
            "The events 'SPOTTED' ('S0') and 'SPOTED' ('S1') differ by one letter.",
            "If they are the same event, spell them the same; a constant keeps them so.",
        )
    ]


def test_two_events_that_differ_by_case_are_reported() -> None:
    assert pairs(knowing("Door_Open", "DOOR_OPEN")) == [
        "The events 'Door_Open' ('S0') and 'DOOR_OPEN' ('S1') differ only by case."
    ]


@every("slip", ["Finished", "finished", "FINISHED ", "FINSHED", "Error", "FAILLED"])
def test_an_event_of_fsmkit_that_is_misspelt_is_reported(slip: str) -> None:
    fsm = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition(slip, closed)
    (finding,) = check(fsm)
    meant = {"F": "FINISHED", "E": "ERROR"}[slip[0].upper()] if slip != "FAILLED" else "FAILED"
    assert (finding.code, finding.place.state) == ("similar-events", "Open")
    assert finding.message == f"The event {slip!r} ('Open') is not {meant}, the event of fsmkit."
    assert finding.advice == f"If you mean that one, import it: from fsmkit import {meant}."


@every("name", ["FAIL", "ERRORS", "FINISH", "FINISHING", "ARRIVED"])
def test_an_event_of_the_game_is_not_taken_for_one_of_fsmkit(name: str) -> None:
    assert pairs(knowing(name, "OPEN")) == []


def test_an_event_cased_as_the_others_or_among_the_inputs_is_the_game_s_own() -> None:
    assert pairs(knowing("finished", "open", "CLOSE")) == []
    assert pairs(knowing("finished", "OPEN", "CLOSE")) != []
    assert check(knowing("finished", "OPEN"), inputs=["finished", "OPEN"]) == []


def test_an_event_that_an_action_sends_is_the_game_s_own() -> None:
    fsm = knowing("Finished", "OPEN")
    fsm.states["S0"].add_action(SendEvent("Finished"))
    assert pairs(fsm) == []


@every(
    ("name", "slip"),
    [
        ("SPOTTED", "SPOTED"),
        ("SPOTTED", "SPOTTTED"),
        ("SPOTTED", "SPOTTES"),
        ("SPOTTED", "SPTOTED"),
        ("SPOTTED", "Spoted"),
        ("SAW_PLAYER", "SAWPLAYER"),
        ("SAW_PLAYER", "SAW_PLAYR"),
        ("SAW_PLAYER", "SAW-PLAYER"),
        ("sawPlayer", "saw_player"),
        ("größer", "grösser"),
    ],
)
def test_a_misspelling_is_noticed(name: str, slip: str) -> None:
    assert len(pairs(knowing(name, slip))) == 1
    assert len(pairs(knowing(slip, name))) == 1


@every(
    ("name", "other"),
    [
        ("SPOTTED", "LOST"),
        ("SPOTTED", "SPOTS"),
        ("GO", "NO"),
        ("Up", "UP"),
        ("HIT", "SIT"),
        ("LEVEL_1", "LEVEL_2"),
        ("LEVEL", "LEVEL2"),
        ("PLAYER1_HIT", "PLAYER2_HIT"),
        ("MOVE_X", "MOVE_Y"),
        ("moveX", "moveY"),
        ("TURN_ON", "TURN_IN"),
        ("KEY_UP", "KEY_UPS"),
        ("CLOSE", "CLOSED"),
        ("DOOR_CLOSE", "DOOR_CLOSED"),
        ("CLOSE_DOOR", "CLOSED_DOOR"),
        ("LOAD", "LOADS"),
        ("向左移动", "向右移动"),
        ("WIN 🙂 NOW", "WIN 🙁 NOW"),
        ("A+++", "A++-"),
    ],
)
def test_what_looks_intended_is_left_alone(name: str, other: str) -> None:
    assert pairs(knowing(name, other)) == []
    assert pairs(knowing(other, name)) == []


def test_a_state_that_knows_both_means_both() -> None:
    fsm = knowing("WALK", "TALK")
    assert len(pairs(fsm)) == 1
    fsm.states["S0"].add_transition("TALK", "S0")
    assert pairs(fsm) == []


def test_two_global_transitions_are_intended() -> None:
    fsm = knowing("A", "B")
    fsm.add_global_transition("WALK", "S0")
    fsm.add_global_transition("TALK", "S0")
    assert pairs(fsm) == []


def test_events_that_are_sent_and_always_taken_are_intended() -> None:
    fsm = knowing("WALK", "TALK")
    fsm.states["S0"].add_action(SendEvent("WALK", delay=1.0))
    assert len(pairs(fsm)) == 1
    fsm.states["S1"].add_action(SendEvent("TALK", delay=1.0))
    assert pairs(fsm) == []


def test_an_event_that_is_only_sent_is_compared_as_well() -> None:
    fsm = knowing("SPOTTED", "LOST")
    fsm.states["S1"].add_action(TimedWait(1.0, finish_event="SPOTED"))
    fsm.add_global_transition("PANIC", "S0")
    assert pairs(fsm) == ["The events 'SPOTTED' ('S0') and 'SPOTED' ('S1') differ by one letter."]


def test_an_ending_is_no_excuse_for_an_event_that_nobody_takes() -> None:
    fsm = knowing("CLOSE", "OPEN")
    fsm.states["S0"].add_action(SendEvent("CLOSED", delay=1.0))
    assert len(pairs(fsm)) == 1
    fsm.add_global_transition("CLOSED", "S0")
    assert pairs(fsm) == []


def test_many_places_are_summed_up() -> None:
    fsm = knowing("SPOTTED", "SPOTTED", "SPOTTED", "SPOTTED", "SPOTED")
    fsm.add_global_transition("SPOTED", "S1")
    (message,) = pairs(fsm)
    assert "'SPOTTED' ('S0', 'S1', 2 more) and 'SPOTED' (global, 'S4')" in message


def test_a_global_misspelling_has_no_state() -> None:
    fsm = knowing("SPOTTED", "SPOTTED")
    fsm.add_global_transition("SPOTED", "S0")
    (finding,) = check(fsm)
    assert finding.place == Place("Ring", None, None, "SPOTED")


def test_an_event_that_an_action_takes_is_one_like_others() -> None:
    fsm = knowing("SPOTTED")
    fsm.add_state("Listening").add_action(OnEvent("SPOTED", print))
    assert len(pairs(fsm)) == 1


def test_events_of_a_nested_machine_are_its_own() -> None:
    inner = knowing("SPOTTED", "SPOTED")
    fsm = Fsm("Outer")
    fsm.add_state("Work").add_action(Parallel(RunFsm(inner)))
    fsm.states["Work"].add_transition("SPOTTTED", fsm.add_state("Rest", final=True))
    assert [finding.place.machine for finding in check(fsm)] == ["Outer/Ring"]
