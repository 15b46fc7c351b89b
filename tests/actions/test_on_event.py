"""OnEvent: events that are handled in place."""

from collections.abc import Callable
from functools import partial

import pytest

from actions import IgnoreEvents, OnEvent, Parallel, Sequence, TimedWait
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmError
from fsmkit.testing import drive


def knight(*actions: FsmAction) -> Fsm:
    """Fight (with the actions) -> Hurt on HIT, -> Won on FINISHED, -> Gone on GO from anywhere."""
    fsm = Fsm("Knight", on_unhandled="raise")
    fight, hurt, won = (fsm.add_state(name) for name in ("Fight", "Hurt", "Won"))
    fight.add_transition("HIT", hurt)
    fight.add_transition(FINISHED, won)
    fsm.add_global_transition("GO", fsm.add_state("Gone"))
    for action in actions:
        fight.add_action(action)
    fsm.start()
    return fsm


def test_the_event_is_handled_and_the_state_stays() -> None:
    hits: list[object] = []
    fsm = knight(OnEvent("HIT", lambda state, hit: hits.append((state.name, hit))), TimedWait(1.0))
    assert drive(fsm, [("HIT", 3), ("HIT", 4), 1.0]) == [
        "event HIT: consumed",
        "event HIT: consumed",
        "update 1",
        "TimedWait finished",
        "event FINISHED: changed",
        "OnEvent left",
        "TimedWait left",
        "leave Fight",
        "enter Won",
    ]
    assert hits == [("Fight", 3), ("Fight", 4)]


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (lambda journal: lambda: journal.append("nothing"), "nothing"),
        (lambda journal: lambda state: journal.append(state.name), "Fight"),
        (lambda journal: lambda state, hit: journal.append((state.name, hit)), ("Fight", 3)),
        (lambda journal: lambda state, kept=5: journal.append((state.name, kept)), ("Fight", 5)),
        (lambda journal: partial(journal.append, "bound"), "bound"),
    ],
)
def test_the_handler_takes_nothing_the_state_or_the_state_and_the_data(
    handler: Callable[[list[object]], Callable[..., object]], expected: object
) -> None:
    journal: list[object] = []
    knight(OnEvent("HIT", handler(journal)), TimedWait(1.0)).send_event("HIT", 3)
    assert journal == [expected]


def test_of_several_for_one_event_the_first_takes_it() -> None:
    journal: list[str] = []
    fsm = knight(
        OnEvent("HIT", lambda: journal.append("first")),
        OnEvent("HIT", lambda: journal.append("second")),
        TimedWait(1.0),
    )
    fsm.send_event("HIT")
    assert journal == ["first"]


def test_the_handler_may_send_an_event_that_changes_the_state() -> None:
    fsm = knight(OnEvent("HIT", lambda state: state.send_event("GO")), TimedWait(1.0))
    assert drive(fsm, ["HIT"]) == [
        "event GO: changed",
        "event HIT: consumed",
        "OnEvent left",
        "TimedWait left",
        "leave Fight",
        "enter Gone",
    ]


def test_it_does_not_keep_the_state_from_finishing() -> None:
    assert knight(OnEvent("HIT", print)).current_state.name == "Won"


def test_it_handles_inside_a_composition_while_that_lasts() -> None:
    hits: list[object] = []
    on_hit = OnEvent("HIT", lambda _, hit: hits.append(hit))
    fsm = knight(Sequence(Parallel(on_hit, TimedWait(1.0)), TimedWait(1.0)))
    fsm.send_event("HIT", 1)
    fsm.update(1.0)
    fsm.send_event("HIT", 2)
    assert (hits, fsm.current_state.name) == ([1], "Hurt")


def test_what_the_handler_raises_says_where() -> None:
    fsm = knight(OnEvent("HIT", lambda: 1 / 0), TimedWait(1.0))
    with pytest.raises(ZeroDivisionError) as raised:
        fsm.send_event("HIT")
    assert raised.value.__notes__ == ["Fsm 'Knight', state 'Fight', actions[0] (OnEvent), on_event"]
    assert fsm.current_state.name == "Fight"


def test_two_handlers_that_answer_each_other_are_bounded() -> None:
    fsm = knight(
        OnEvent("PING", lambda state: state.send_event("PONG")),
        OnEvent("PONG", lambda state: state.send_event("PING")),
        TimedWait(1.0),
    )
    with pytest.raises(FsmError, match="They repeat: PING -> PONG -> PING|PONG -> PING -> PONG"):
        fsm.send_event("PING")


@pytest.mark.parametrize("event", [FINISHED, ERROR])
@pytest.mark.parametrize("make", [lambda event: OnEvent(event, print), IgnoreEvents])
def test_the_events_of_the_machine_are_refused(
    event: str, make: Callable[[str], FsmAction]
) -> None:
    with pytest.raises(ValueError, match="must be an event of your own, got "):
        make(event)


@pytest.mark.parametrize(
    ("event", "handler", "message"),
    [
        (3, print, "OnEvent: event must be the name of an event, got 3"),
        ("HIT", 3, "OnEvent: handler must be a function, got 3"),
        ("HIT", lambda a, b, c: None, "OnEvent: handler must take nothing, the state, or the"),
    ],
)
def test_what_cannot_be_right_is_refused(event: str, handler: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        OnEvent(event, handler)  # type: ignore[arg-type]


def test_tools_can_read_what_it_takes() -> None:
    assert Sequence(OnEvent("HIT", print), IgnoreEvents("A", "B")).takes == ("HIT", "A", "B")
