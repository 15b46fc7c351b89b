"""why() about guards, suspended states, and what actions say they take."""

from typing import Any

import pytest

from actions import Cooldown, DelegateAction, OnEvent, Parallel, RunFsm, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmState
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
    assert why(fsm, "KNOCK").outcome == "ignored"
    assert why(fsm, "OPEN").outcome == "ignored"
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


def test_why_names_a_guard_that_raises() -> None:
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


def test_why_says_where_back_leads() -> None:
    fsm = turnstile()
    assert str(why(fsm, "HOME", None)) == (
        "Nothing: 'HOME' leads from any state back, but no state is suspended."
    )
    assert why(fsm, "HOME", None).outcome == "ignored"
    fsm.send_event("KICK")
    prospect = why(fsm, "QUIET")
    assert (prospect.outcome, prospect.target) == ("changed", "Locked")
    assert str(prospect) == "'QUIET' leads from 'Alarm' back to 'Locked', which was suspended."


def test_why_says_that_a_state_is_suspended() -> None:
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


# Which actions take part in a visit (rules 5, 10 and 12)


def listening(*actions: FsmAction[Any]) -> Fsm[Any]:
    """A machine in a state with these actions, from which HIT leads on."""
    fsm: Fsm[Any] = Fsm("Knight", on_unhandled="ignore")
    fight, hurt = fsm.add_state("Fight"), fsm.add_state("Hurt")
    for action in actions:
        fight.add_action(action)
    fight.add_transition("HIT", hurt)
    return fsm


def outcomes(fsm: Fsm[Any], event: str = "HIT") -> tuple[str, str]:
    """What why says, and what then happens."""
    said = why(fsm, event).outcome
    (happened,) = {line for line in drive(fsm, [event]) if line.startswith(f"event {event}:")}
    return said, happened.removeprefix(f"event {event}: ")


def test_enabled_counts_when_the_state_is_entered() -> None:
    shield = OnEvent("HIT", print)
    fsm = listening(shield, TimedWait(9.0))
    fsm.start()
    shield.enabled = False
    assert outcomes(fsm) == ("consumed", "consumed")
    fsm.start()
    shield.enabled = True
    assert outcomes(fsm) == ("changed", "changed")


def test_what_an_error_kept_from_being_entered_takes_nothing() -> None:
    fsm = listening(DelegateAction(lambda: 1 / 0), OnEvent("HIT", print), TimedWait(1.0))
    with pytest.raises(ZeroDivisionError):
        fsm.start()
    assert why(fsm, FINISHED).reasons[-1] == (
        "An error kept 3 of the actions of 'Fight' from being entered: "
        "the state can no longer finish."
    )
    assert outcomes(fsm) == ("changed", "changed")


def test_a_state_that_has_finished_finishes_once() -> None:
    fsm = listening(TimedWait(0.0))
    fsm.start()
    assert len(why(fsm, FINISHED).reasons) == 1
    fsm.states["Fight"].add_transition(FINISHED, "Hurt")
    assert why(fsm, FINISHED).reasons == (
        "'FINISHED' leads from 'Fight' to 'Hurt'.",
        "All its actions have finished: 'FINISHED' is sent at that moment, once in a visit.",
    )


def test_a_nested_machine_that_was_finished_from_outside_takes_nothing() -> None:
    run = RunFsm(turnstile_at_rest())
    fsm = listening(run, TimedWait(9.0))
    fsm.start()
    assert why(fsm, "KICK").outcome == "consumed"
    run.finish()
    assert outcomes(fsm, "KICK") == ("ignored", "ignored")


def turnstile_at_rest() -> Fsm[Any]:
    fsm = turnstile()
    fsm.stop()
    return fsm


def test_a_suspended_state_takes_nothing() -> None:
    fsm = turnstile()
    fsm.states["Locked"].add_action(OnEvent("HIT", print))
    fsm.start()
    assert why(fsm, "HIT").outcome == "consumed"
    fsm.send_event("KICK")
    assert outcomes(fsm, "HIT") == ("ignored", "ignored")


class Helmet(OnEvent):
    """Overrides what the class that declares has said."""

    def on_event(self, event: str, data: object) -> bool:
        return False


class Seen(FsmAction[Any]):
    """Has said what it may take."""

    takes = ("HIT",)

    def on_event(self, event: str, data: object) -> bool:
        return False


@pytest.mark.parametrize(("action", "event", "certain"), [
    (Helmet("MISS", print), "HIT", False), (Seen(), "HIT", False), (Seen(), "MISS", True),
])  # fmt: skip
def test_only_what_own_code_decides_is_left_open(
    action: FsmAction[Any], event: str, certain: bool
) -> None:
    fsm = listening(action)
    fsm.start()
    assert why(fsm, event).certain == certain


# In the middle of a call


def test_why_in_a_callback_after_a_stop() -> None:
    said: list[str] = []

    def leave(state: FsmState[Any]) -> None:
        state.fsm.stop()
        said.append(str(why(state.fsm, "HIT")))

    listening(DelegateAction(leave)).start()
    assert said == ["Nothing: stop() has already been decided, and 'HIT' will find no state."]


def test_why_in_a_guard() -> None:
    fsm = listening(TimedWait(9.0))
    said: list[str] = []
    fsm.add_global_transition("ASK", "Hurt", when=lambda s: said.append(str(why(s.fsm, "HIT"))))
    fsm.start()
    fsm.send_event("ASK")
    assert said == [
        "Nothing: a guard only answers, so sending 'HIT' from inside one raises FsmError."
    ]


def test_why_names_events_that_an_error_has_left() -> None:
    def fail(state: FsmState[Any]) -> None:
        state.send_event("HIT")
        state.send_event("LATER")

    fsm = listening(DelegateAction(on_update=fail))
    fsm.states["Hurt"].add_action(DelegateAction(lambda: 1 / 0))
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(0.1)
    prospect = why(fsm, "HIT")
    queued = "The events that an error left queued come before 'HIT': 'LATER'."
    assert prospect.reasons[-1] == queued
    assert not prospect.certain
