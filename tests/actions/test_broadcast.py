"""Broadcast: an event to many machines."""

import pytest

from actions.broadcast import Broadcast
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.testing import Probe, drive


def listener(name: str) -> Fsm:
    fsm = Fsm(name, on_unhandled="ignore")
    fsm.add_state("Calm").add_transition("ALARM", fsm.add_state("Alert"))
    fsm.start()
    return fsm


def states(group: FsmGroup) -> list[str]:
    return [each.current_state.name if each.current_state else "-" for each in group]


def siren(group: FsmGroup, *, data: object = None) -> Fsm:
    """Off -> Howl (broadcasts ALARM) on ON; Howl -> Quiet on FINISHED."""
    fsm = Fsm("Siren", on_unhandled="ignore")
    off, howl, quiet = (fsm.add_state(name) for name in ("Off", "Howl", "Quiet"))
    off.add_transition("ON", howl)
    howl.add_action(Broadcast(group, "ALARM", data))
    howl.add_transition(FINISHED, quiet)
    quiet.add_transition("ON", howl)
    fsm.start()
    return fsm


def test_every_machine_gets_the_event_and_the_action_finishes() -> None:
    group = FsmGroup([listener("one"), listener("two")])
    fsm = siren(group, data="fire")
    fsm.send_event("ON")
    assert states(group) == ["Alert", "Alert"]
    assert [each.event_data for each in group] == ["fire", "fire"]
    assert fsm.current_state is fsm.states["Quiet"]


def test_each_enter_sends_again_to_those_in_the_group_by_then() -> None:
    group = FsmGroup([listener("one")])
    fsm = siren(group)
    fsm.send_event("ON")
    group.add(listener("two"))
    fsm.send_event("ON")
    assert states(group) == ["Alert", "Alert"]


def test_data_may_be_a_function_called_once() -> None:
    group = FsmGroup([listener("one"), listener("two")])
    calls: list[str] = []
    siren(group, data=lambda: calls.append("call")).send_event("ON")
    assert calls == ["call"]


def test_its_own_machine_may_be_in_the_group() -> None:
    group = FsmGroup([listener("one")])
    fsm = siren(group)
    journal: list[str] = []
    howl = fsm.states["Howl"]
    howl.add_action(Probe("behind", journal))
    howl.add_transition("ALARM", fsm.states["Off"])
    assert howl.actions[0].sends == ()
    group.add(fsm)
    group.add(listener("two"))
    assert howl.actions[0].sends == ("ALARM",)
    assert drive(fsm, ["ON"]) == [
        "event ON: changed",
        "leave Off",
        "enter Howl",
        "event ALARM: changed",
        "Broadcast finished",
        "Broadcast entered",
        "Broadcast left",
        "leave Howl",
        "enter Off",
    ]
    assert states(group) == ["Alert", "Off", "Alert"]
    assert journal == []


def test_an_error_in_another_machine_is_raised_when_all_have_got_the_event() -> None:
    def fail(_probe: Probe) -> None:
        raise ZeroDivisionError

    broken = listener("broken")
    broken.states["Alert"].add_action(Probe("broken", [], on_enter=fail))
    group = FsmGroup([broken, listener("two")])
    fsm = siren(group)
    with pytest.raises(ZeroDivisionError) as caught:
        fsm.send_event("ON")
    assert states(group) == ["Alert", "Alert"]
    assert caught.value.__notes__ == [
        "Fsm 'broken', state 'Alert', actions[0] (Probe), on_enter",
        "Fsm 'Siren', state 'Howl', actions[0] (Broadcast), on_enter",
    ]


def test_it_sends_to_a_group_only() -> None:
    with pytest.raises(TypeError, match="Broadcast: group must be an FsmGroup, got "):
        Broadcast([listener("one")], "ALARM")  # type: ignore[arg-type]
