"""Events may be members of an enum of strings: messages show them as they show other events."""

from collections.abc import Callable
from enum import Enum, StrEnum
from random import Random
from typing import Any

import pytest

from actions import (
    HOST,
    Cooldown,
    Coroutine,
    Defer,
    DelegateAction,
    OnEvent,
    SendEvent,
    SendRandomEvent,
)
from fsmkit import BACK, Fsm, FsmError, Transition
from fsmkit.checking import check
from fsmkit.recording import why

NAMES = {"SEEN": "SEEN", "LOST": "LOST", "HIT": "HIT"}
PLAIN = type("Plain", (), NAMES)
DICE = Random(1)
ENUMS = [StrEnum("Event", NAMES), Enum("Event", NAMES, type=str)]


def guard(events: Any) -> Fsm:
    """Patrol -> Chase on SEEN, back on LOST; HIT leads BACK. Patrol sends LOST, unknown there."""
    fsm = Fsm("Guard", on_unhandled="raise")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_transition(events.SEEN, chase)
    chase.add_transition(events.LOST, patrol)
    chase.add_transition(events.HIT, BACK)
    patrol.add_action(SendEvent(events.LOST, delay=1.0))
    patrol.add_action(DelegateAction(on_exit=lambda state: state.send_event(events.SEEN)))
    fsm.start()
    return fsm


def ghost(events: Any) -> Fsm:
    """Buried by HIT, and dug out again by SEEN; before that it waits to be HIT."""

    def waits(_state: object) -> Any:
        yield events.HIT

    fsm = Fsm("Ghost")
    haunting = fsm.add_state("Haunting")
    haunting.add_action(Coroutine(waits))
    haunting.add_action(SendEvent(events.LOST, to=HOST, delay=1.0))
    fsm.add_global_transition(events.HIT, fsm.add_state("Buried", final=True))
    fsm.add_global_transition(events.SEEN, fsm.add_state("Dug out"))
    fsm.start()
    return fsm


def error_of(call: Callable[[], object]) -> list[str]:
    with pytest.raises((FsmError, TypeError, ValueError)) as raised:
        call()
    return [str(raised.value), *getattr(raised.value, "__notes__", ())]


def messages(events: Any) -> list[object]:
    fsm = guard(events)
    patrol = fsm.states["Patrol"]
    return [
        error_of(lambda: fsm.send_event(events.LOST)),
        error_of(lambda: fsm.send_event("LOSTT")),
        error_of(lambda: patrol.add_transition(events.SEEN, "Chase")),
        error_of(lambda: patrol.add_transition(events.HIT, "Chase", when=3)),  # type: ignore[call-overload]
        error_of(lambda: patrol.remove_transition(events.HIT)),
        error_of(lambda: fsm.send_event(events.SEEN)),
        error_of(lambda: fsm.send_event(events.HIT)),
        [str(why(fsm, event)) for event in (events.SEEN, events.HIT, "LOSTT")],
        list(map(str, check(fsm))),
        list(map(str, check(ghost(events)))),
        ghost(events).states["Haunting"].actions[0].waits_for,
        error_of(lambda: ghost(events).update(1.0)),
        error_of(lambda: Cooldown(events.HIT, -1.0)),
        error_of(lambda: DelegateAction(on_event={events.HIT: 3})),  # type: ignore[dict-item]
        error_of(lambda: SendRandomEvent({events.HIT: -1}, rng=DICE)),
        repr(Transition(events.SEEN, patrol)),
        repr(fsm.send_event_after(1.0, events.HIT)),
        repr([OnEvent(events.HIT, print), Defer(events.HIT, events.SEEN)]),
        repr(SendRandomEvent({events.SEEN: 1, events.HIT: 2}, rng=DICE)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("events", ENUMS, ids=["StrEnum", "str and Enum"])
def test_messages_do_not_show_whether_events_are_members_of_an_enum(events: Any) -> None:
    assert messages(events) == messages(PLAIN)
