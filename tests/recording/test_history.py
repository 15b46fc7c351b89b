"""History and why()."""

import pytest

from actions import DelegateAction, RunFsm, SendEventWhen, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.recording import History, RaisedError, SentEvent, StateVisit, why
from fsmkit.testing import Probe


def door(name: str = "Door") -> Fsm:
    fsm = Fsm(name, on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition(FINISHED, closed)
    opened.add_action(TimedWait(2.0))
    fsm.add_global_transition("BREAK", fsm.add_state("Broken"))
    return fsm


def test_visits_have_a_start_an_end_an_event_and_its_sender() -> None:
    fsm = door()
    history = History(fsm)
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("OPEN")
    fsm.update(2.0)
    fsm.update(0.5)
    assert history.visits == [
        StateVisit("Door", "Closed", 0.0, 1.0, None),
        StateVisit("Door", "Open", 1.0, 3.0, "OPEN"),
        StateVisit("Door", "Closed", 3.0, None, FINISHED, "Open.actions[0] (TimedWait)"),
    ]


def test_events_are_kept_with_their_outcomes() -> None:
    fsm = door()
    fsm.states["Closed"].add_action(Probe("p", [], takes=["KNOCK"]))
    history = History(fsm)
    fsm.send_event("OPEN")
    fsm.start()
    fsm.send_event("KNOCK", 3)
    fsm.send_event("BREAK")
    fsm.send_event("BREAK")
    assert history.events == [
        SentEvent("Door", 0.0, "", "OPEN", None, "ignored"),
        SentEvent("Door", 0.0, "Closed", "KNOCK", 3, "consumed"),
        SentEvent("Door", 0.0, "Closed", "BREAK", None, "changed"),
        SentEvent("Door", 0.0, "Broken", "BREAK", None, "ignored"),
    ]


def test_an_event_that_waited_keeps_its_sender() -> None:
    def send_two(probe: Probe) -> None:
        probe.fsm.send_event("OPEN")
        probe.fsm.send_event("BREAK")

    fsm = door()
    fsm.states["Closed"].add_action(Probe("p", [], on_update=send_two))
    history = History(fsm)
    fsm.start()
    fsm.update(1.0)
    sender = "Closed.actions[0] (Probe)"
    assert [(event.event, event.outcome, event.sender) for event in history.events] == [
        ("OPEN", "changed", sender), ("BREAK", "queued", sender), ("BREAK", "changed", sender),
    ]  # fmt: skip
    assert history.visits[-1] == StateVisit("Door", "Broken", 1.0, None, "BREAK", sender)


def test_a_visit_ends_when_the_machine_stops() -> None:
    fsm = door()
    history = History(fsm)
    fsm.start()
    fsm.update(1.5)
    fsm.stop()
    assert history.visits == [StateVisit("Door", "Closed", 0.0, 1.5, None)]
    fsm.start()
    assert history.visits[1:] == [StateVisit("Door", "Closed", 1.5, None, None)]


def test_errors_are_kept_with_the_place_they_came_from() -> None:
    def stumble(state: object) -> None:
        raise ValueError("the hinge is stuck")

    fsm = door()
    fsm.states["Open"].add_action(DelegateAction(on_enter=stumble))
    history = History(fsm)
    fsm.start()
    with pytest.raises(ValueError, match="hinge"):
        fsm.send_event("OPEN")
    place = "Fsm 'Door', state 'Open', actions[1] (DelegateAction), on_enter"
    assert history.errors == [
        RaisedError("Door", 0.0, "Open", f"ValueError: the hinge is stuck\n{place}")
    ]


def test_it_begins_with_the_state_that_a_running_machine_is_in() -> None:
    fsm = door()
    fsm.start()
    fsm.update(2.0)
    fsm.send_event("OPEN")
    fsm.update(0.5)
    assert History(fsm).visits == [StateVisit("Door", "Open", 2.0, None, "OPEN")]


def test_the_last_ones_are_kept() -> None:
    fsm = door()
    history = History(fsm, limit=2)
    fsm.start()
    for _ in range(5):
        fsm.update(1.0)
        fsm.send_event("OPEN")
    assert [(visit.state, visit.start) for visit in history.visits] == [
        ("Closed", 5.0),
        ("Open", 5.0),
    ]
    assert [(event.event, event.time) for event in history.events] == [
        (FINISHED, 5.0), ("OPEN", 5.0),
    ]  # fmt: skip


def test_a_change_that_an_error_has_prevented_is_kept_as_an_event() -> None:
    def send_and_fail(probe: Probe) -> None:
        probe.fsm.send_event("OPEN")
        raise ZeroDivisionError

    fsm = door()
    fsm.states["Closed"].add_action(Probe("p", [], on_update=send_and_fail))
    history = History(fsm)
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(1.0)
    assert [visit.state for visit in history.visits] == ["Closed"]
    assert [(event.event, event.outcome) for event in history.events] == [("OPEN", "changed")]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="limit must be an integer >= 1, got 0"):
        History(door(), limit=0)


def test_after_detaching_nothing_more_is_kept() -> None:
    fsm = door()
    with History(fsm) as history:
        fsm.start()
    fsm.send_event("OPEN")
    assert [visit.state for visit in history.visits] == ["Closed"]
    assert history.events == []


def test_a_machine_inside_another_goes_by_the_time_of_the_outer_one() -> None:
    inner = door("Lock")
    outer = Fsm("House")
    day, night = outer.add_state("Day"), outer.add_state("Night")
    night.add_action(RunFsm(inner))
    day.add_transition("DUSK", night)
    night.add_transition("DAWN", day)
    history = History(outer)
    outer.start()
    outer.update(5.0)
    outer.send_event("DUSK")
    outer.update(1.0)
    outer.send_event("OPEN")
    outer.update(1.0)
    outer.send_event("DAWN")
    outer.update(9.0)
    inside = [visit for visit in history.visits if visit.machine == "House/Lock"]
    assert inside == [
        StateVisit("House/Lock", "Closed", 5.0, 6.0, None),
        StateVisit("House/Lock", "Open", 6.0, 7.0, "OPEN"),
    ]
    assert [(event.state, event.event) for event in history.events if "/" in event.machine] == [
        ("Closed", "OPEN")
    ]


def test_the_machines_of_a_group_go_by_one_clock() -> None:
    ann, bob = door("Guard"), door("Guard")
    group = FsmGroup([ann, bob])
    history = History(group)
    ann.start()
    group.update(3.0)
    bob.start()
    group.update(1.0)
    ann.stop()
    group.update(2.0)
    ann.start()
    chronicle = history.chronicle()
    assert chronicle.machines == ("Guard", "Guard #2")
    assert (chronicle.start, chronicle.end) == (0.0, 6.0)
    assert list(chronicle.visits) == [
        StateVisit("Guard", "Closed", 0.0, 4.0, None),
        StateVisit("Guard #2", "Closed", 3.0, None, None),
        StateVisit("Guard", "Closed", 6.0, None, None),
    ]


def test_machines_that_join_are_watched_when_asked_for() -> None:
    group = FsmGroup([door("Ann")])
    history = History(group)
    bob = group.add(door("Bob"))
    history.watch_all()
    bob.start()
    assert [visit.machine for visit in history.visits] == ["Bob"]


# The question why


def test_why_says_where_an_event_leads() -> None:
    fsm = door()
    fsm.start()
    prospect = why(fsm, "OPEN")
    assert (prospect.outcome, prospect.target) == ("changed", "Open")
    assert str(prospect) == "'OPEN' leads from 'Closed' to 'Open'."
    assert str(why(fsm, "BREAK")) == "'BREAK' leads from any state to 'Broken'."


def test_why_says_why_nothing_would_happen() -> None:
    fsm = door()
    assert str(why(fsm, "OPEN")) == "Nothing: 'Door' is not running. Call start() first."
    fsm.start("Broken")
    assert str(why(fsm, "BREAK")) == (
        "Nothing: 'BREAK' leads to 'Broken' from any other state; it is already there."
    )
    assert str(why(fsm, "OPEN")) == (
        "Nothing: 'Broken' has no transition for 'OPEN', and the machine has no global one. "
        "It is known in 'Closed'."
    )


def is_kicked() -> bool:
    return False


def test_why_names_the_actions_that_a_state_waits_for() -> None:
    fsm = door()
    opened = fsm.states["Open"]
    opened.remove_transition(FINISHED)
    opened.add_action(SendEventWhen(is_kicked, "BREAK"))
    fsm.start("Open")
    assert why(fsm, FINISHED).reasons[1] == (
        "Not finished yet: TimedWait, 0.0 of 2.0 s; SendEventWhen, until is_kicked."
    )


def test_why_names_the_actions_that_are_asked_first() -> None:
    inner, fsm = door("Lock"), door()
    fsm.states["Closed"].add_action(RunFsm(inner))
    fsm.start()
    prospect = why(fsm, "OPEN")
    assert prospect.outcome == "consumed"
    assert str(prospect) == (
        "Closed.actions[0] (RunFsm) passes it to Fsm 'Lock', which takes it: "
        "'OPEN' leads from 'Closed' to 'Open'."
    )
    assert why(fsm, "KICK").outcome == "ignored"


def asked_in(phase: str) -> dict[str, str]:
    """Return the answers of why() about events in a callback of a door that is closed."""
    answers: dict[str, str] = {}

    def ask(probe: Probe) -> None:
        for event in ("OPEN", "BREAK", "KICK"):
            prospect = why(probe.fsm, event)
            answers[event] = f"{prospect.outcome}: {prospect}"

    def send_and_ask(probe: Probe) -> None:
        probe.fsm.send_event("OPEN")
        ask(probe)

    fsm = door()
    callback = {phase: send_and_ask if phase == "on_update" else ask}
    fsm.states["Closed"].add_action(Probe("p", [], **callback))
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("OPEN")
    return answers


def test_why_says_that_nothing_changes_while_a_state_is_left() -> None:
    left = "raised: Nothing: 'Closed' is being exited, so a change raises TransitionOnExitError."
    assert asked_in("on_exit") == {
        "OPEN": f"{left} 'OPEN' leads from 'Closed' to 'Open'.",
        "BREAK": f"{left} 'BREAK' leads from any state to 'Broken'.",
        "KICK": (
            "ignored: Nothing: 'Closed' has no transition for 'KICK', and the machine has no "
            "global one."
        ),
    }


def test_why_says_that_an_event_waits_once_a_change_is_decided() -> None:
    assert asked_in("on_update") == {
        event: f"queued: A change has already been decided: {event!r} waits for the next state."
        for event in ("OPEN", "BREAK", "KICK")
    }


def test_why_requires_an_event_that_is_a_string() -> None:
    with pytest.raises(TypeError, match="event must be a str, got 5"):
        why(door(), 5)  # type: ignore[arg-type]


def test_why_changes_nothing() -> None:
    fsm = door()
    journal: list[str] = []
    fsm.states["Closed"].add_action(Probe("p", journal, takes=["OPEN"]))
    fsm.start()
    why(fsm, "OPEN")
    assert journal == ["enter p"]
    assert fsm.current_state.name == "Closed"


def test_a_chronicle_knows_the_visit_at_a_time() -> None:
    fsm = door()
    history = History(fsm)
    fsm.start()
    fsm.update(2.0)
    fsm.send_event("OPEN")
    fsm.update(1.0)
    fsm.stop()
    chronicle = history.chronicle()
    times = (-1.0, 0.0, 1.9, 2.0, 2.5, 3.0)
    visits = [chronicle.visit_at("Door", time) for time in times]
    states = [visit.state if visit is not None else None for visit in visits]
    assert states == [None, "Closed", "Closed", "Open", "Open", None]
    assert chronicle.visit_at("Window", 1.0) is None
    assert chronicle.outer("Door") == ""
