"""why() about guards, suspended states, and what actions say they take."""

from typing import Any

import pytest

from actions import Cooldown, OnEvent, Parallel, Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmState
from fsmkit.recording import why
from fsmkit.testing import drive


def test_why_asks_for_no_more_than_what_an_action_says_it_takes() -> None:
    fsm = Fsm("Door")
    closed = fsm.add_state("Closed")
    fsm.add_global_transition("BREAK", fsm.add_state("Broken"))
    both = Parallel(OnEvent("KNOCK", print), TimedWait(1.0))
    closed.add_action(Sequence(TimedWait(1.0), both))
    closed.add_action(Cooldown("OPEN", 1.0))
    fsm.on_unhandled = "ignore"
    fsm.start()
    assert str(why(fsm, "BREAK")) == "'BREAK' leads from any state to 'Broken'."
    assert why(fsm, "KNOCK").outcome == "unhandled"
    assert why(fsm, "OPEN").outcome == "unhandled"
    fsm.send_event("OPEN")
    fsm.update(0.6)
    assert str(why(fsm, "OPEN")).startswith("Closed.actions[1] (Cooldown) takes it: 0.4 s to go.")
    fsm.update(0.4)
    assert why(fsm, "KNOCK").outcome == "consumed"


def is_paid(state: FsmState[Any]) -> bool:
    state.context["asked"] += 1
    return bool(state.context["paid"])


def has_coin(_state: FsmState[Any], coin: object) -> bool:
    return coin == "coin"


def turnstile() -> Fsm[Any]:
    fsm = Fsm("Turnstile", {"paid": False, "asked": 0}, on_unhandled="ignore")
    locked, opened, alarm = map(fsm.add_state, ("Locked", "Opened", "Alarm"))
    locked.add_transition("PUSH", opened, when=is_paid)
    locked.add_transition("PUSH", alarm, when=has_coin, suspend=True)
    locked.add_transition("KICK", alarm, suspend=True)
    alarm.add_transition("QUIET", BACK)
    fsm.add_global_transition("HOME", BACK, when=lambda: True)
    fsm.start()
    return fsm


def test_why_names_the_guards_that_refuse() -> None:
    fsm = turnstile()
    prospect = why(fsm, "PUSH", "a button")
    assert (prospect.outcome, prospect.target) == ("refused", "")
    assert prospect.reasons == (
        "Nothing: every guard for 'PUSH' refuses.",
        "The guard is_paid refuses the way from 'Locked' to 'Opened'.",
        "The guard has_coin refuses the way from 'Locked' to 'Alarm'.",
    )
    assert fsm.context["asked"] == 1
    prospect = why(fsm, "PUSH", "coin")
    assert (prospect.outcome, prospect.target) == ("changed", "Alarm")
    assert prospect.reasons == (
        "'PUSH' leads from 'Locked' to 'Alarm', and 'Locked' is suspended.",
        "The guard is_paid refuses the way from 'Locked' to 'Opened'.",
    )
    fsm.context["paid"] = True
    assert why(fsm, "PUSH", None).reasons == ("'PUSH' leads from 'Locked' to 'Opened'.",)


def test_why_asks_no_guard_without_the_data() -> None:
    fsm = turnstile()
    prospect = why(fsm, "PUSH")
    assert (prospect.outcome, prospect.target) == ("changed", "Opened")
    assert prospect.reasons == (
        "'PUSH' leads from 'Locked' to 'Opened'.",
        "Only if the guard is_paid agrees: why(machine, event, data) asks it.",
    )
    assert fsm.context["asked"] == 0


def test_why_tells_of_a_guard_that_raises() -> None:
    fsm = turnstile()
    fsm.states["Locked"].add_transition("PULL", "Opened", when=lambda: 1 / 0)
    prospect = why(fsm, "PULL", None)
    assert prospect.outcome == "raised"
    assert str(prospect) == (
        "The guard lambda: 1 / 0 raises ZeroDivisionError('division by zero')."
    )
    fsm.states["Locked"].add_transition("SEND", "Opened", when=lambda s: s.send_event("KICK"))
    assert "from a guard" in str(why(fsm, "SEND", None))
    assert fsm.current_state is fsm.states["Locked"]


def test_why_tells_where_back_leads() -> None:
    fsm = turnstile()
    assert str(why(fsm, "HOME", None)) == (
        "Nothing: 'HOME' leads from any state back, but no state is suspended."
    )
    assert why(fsm, "HOME", None).outcome == "unhandled"
    fsm.send_event("KICK")
    prospect = why(fsm, "QUIET")
    assert (prospect.outcome, prospect.target) == ("changed", "Locked")
    assert str(prospect) == "'QUIET' leads from 'Alarm' back to 'Locked', which was suspended."


def test_why_tells_that_a_state_is_suspended() -> None:
    fsm = turnstile()
    fsm.send_event("KICK")
    assert why(fsm, "PUSH").reasons[1] == (
        "'Locked' has one, but is suspended, and gets no events."
    )


@pytest.mark.parametrize("data", [None, "coin", "a button"])
def test_why_says_what_then_happens(data: object) -> None:
    for event in ("PUSH", "KICK", "QUIET", "HOME", "NONE"):
        for before in ([], ["KICK"]):
            fsm = turnstile()
            drive(fsm, before)
            expected = why(fsm, event, data)
            journal = drive(fsm, [(event, data)])
            assert journal[0] == f"event {event}: {expected.outcome}"
            if expected.outcome == "changed":
                assert fsm.path == (expected.target,)
