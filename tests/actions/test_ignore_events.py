"""IgnoreEvents: events without effect."""

import pytest

from actions import IgnoreEvents, OnEvent
from fsmkit import FINISHED, Fsm
from fsmkit.testing import drive


def test_neither_the_state_nor_the_machine_gets_the_event() -> None:
    fsm = Fsm("Knight", on_unhandled="raise")
    dead, hurt = fsm.add_state("Dead"), fsm.add_state("Hurt")
    fsm.add_global_transition("HIT", hurt)
    dead.add_transition("SEEN", hurt)
    dead.add_transition("RISE", hurt)
    dead.add_action(IgnoreEvents("HIT", "SEEN", "WHO KNOWS"))
    fsm.start()
    assert drive(fsm, ["HIT", "SEEN", "WHO KNOWS", "RISE"]) == [
        "event HIT: consumed",
        "event SEEN: consumed",
        "event WHO KNOWS: consumed",
        "event RISE: changed",
        "IgnoreEvents left",
        "leave Dead",
        "enter Hurt",
    ]


def test_actions_before_it_get_the_event_all_the_same() -> None:
    fsm = Fsm("Knight")
    state = fsm.add_state("Dead")
    hits: list[object] = []
    state.add_action(OnEvent("HIT", lambda _, hit: hits.append(hit)))
    state.add_action(IgnoreEvents("HIT"))
    fsm.start()
    fsm.send_event("HIT", 3)
    assert hits == [3]


def test_it_does_not_keep_the_state_from_finishing() -> None:
    fsm = Fsm("Knight")
    fsm.add_state("Dead").add_action(IgnoreEvents("HIT"))
    fsm.states["Dead"].add_transition(FINISHED, fsm.add_state("Gone"))
    fsm.start()
    assert fsm.current_state.name == "Gone"


@pytest.mark.parametrize(
    ("events", "error", "message"),
    [
        ((), ValueError, "IgnoreEvents: events must be one or more events, got none"),
        ((3,), TypeError, "IgnoreEvents: events must be the name of an event, got 3"),
        ((["HIT"],), TypeError, "IgnoreEvents: events must be the name of an event, got"),
        (("",), ValueError, "IgnoreEvents: events must be the name of an event, got ''"),
    ],
)
def test_what_cannot_be_right_is_refused(
    events: tuple[str, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        IgnoreEvents(*events)
