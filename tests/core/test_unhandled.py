"""What is said about an unknown event or state, and how often."""

import logging

import pytest

from actions import RunFsm
from fsmkit import Fsm, FsmAction, UnhandledEventError, UnknownStateError
from fsmkit.core.words.messages import MOST_COUNTED, UNHANDLED, warn_of_unhandled
from fsmkit.recording import why


def lamp(**options: object) -> Fsm:
    """A lamp that knows TOUCH only when it is up."""
    fsm = Fsm("Lamp", **options)  # type: ignore[arg-type]
    up, down = fsm.add_state("Up"), fsm.add_state("Down")
    up.add_transition("TOUCH", down)
    down.add_transition("RAISE", up)
    fsm.add_global_transition("RESET", up)
    fsm.start("Down")
    return fsm


def said_of(fsm: Fsm, event: str) -> str:
    """The sentences between what the state knows and the advice."""
    with pytest.raises(UnhandledEventError) as raised:
        fsm.send_event(event)
    text = str(raised.value).partition("It knows ")[2]
    return (
        text.partition(". ")[2]
        .removesuffix("Add one with add_transition(), or check the spelling.")
        .rstrip()
    )


def test_the_whole_text_about_an_unhandled_event() -> None:
    with pytest.raises(UnhandledEventError) as raised:
        lamp(on_unhandled="raise").send_event("TOUCH")
    assert str(raised.value) == (
        "Fsm 'Lamp', state 'Down': no transition for event 'TOUCH'. It knows 'RAISE', 'RESET'. "
        "It is known in 'Up'. Add one with add_transition(), or check the spelling."
    )


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("TOUCH", "It is known in 'Up'."),
        ("RISE", "Did you mean 'RAISE'?"),
        ("raise", "Did you mean 'RAISE'?"),
        ("TUCH", "Did you mean 'TOUCH'?"),
        ("RESETT", "Did you mean 'RESET'?"),
        ("DINNER", ""),
    ],
)
def test_an_event_is_known_elsewhere_or_similar_to_another(event: str, said: str) -> None:
    fsm = lamp(on_unhandled="raise")
    assert said_of(fsm, event) == said
    assert (why(fsm, event).reasons[1:]) == ((said,) if said else ())


def test_of_many_states_some_are_named() -> None:
    fsm = Fsm("Many", on_unhandled="raise")
    start = fsm.add_state("Start")
    for number in range(7):
        fsm.add_state(f"S{number}").add_transition("GO", start)
    fsm.start()
    assert said_of(fsm, "GO") == "It is known in 'S0', 'S1', 'S2', 'S3', 'S4' and 2 more."


def test_an_event_that_an_action_takes_is_known() -> None:
    class Shield(FsmAction):
        takes = ("HIT",)

    fsm = lamp(on_unhandled="raise")
    fsm.states["Up"].add_action(Shield())
    assert said_of(fsm, "HIT") == "It is known in 'Up'."


def test_an_event_of_a_nested_machine_is_known_there() -> None:
    fsm = lamp(on_unhandled="raise")
    inner = Fsm("Inner")
    inner.add_state("A").add_transition("BLINK", inner.add_state("B"))
    fsm.states["Up"].add_action(RunFsm(inner))
    assert said_of(fsm, "BLINK") == "It is known in Fsm 'Inner' nested in 'Up'."


def test_an_event_of_the_machine_around_stays_in_the_nested_one() -> None:
    outer, inner = lamp(), Fsm("Inner", on_unhandled="raise")
    inner.add_state("A")
    outer.states["Down"].add_action(RunFsm(inner))
    outer.start("Down")
    assert said_of(inner, "TOUCH") == (
        "It is known in Fsm 'Lamp' around it, but an event stays in the machine it is sent in."
    )


def test_an_unknown_state_may_be_a_misspelt_one() -> None:
    with pytest.raises(UnknownStateError) as raised:
        lamp().start("down")
    assert str(raised.value) == (
        "Fsm 'Lamp' has no state 'down'. Its states: 'Up', 'Down'. Did you mean 'Down'? "
        "Add it with add_state() first, or check the spelling."
    )


def test_a_warning_comes_once_and_then_ever_less_often(caplog: pytest.LogCaptureFixture) -> None:
    fsm = lamp()
    for _ in range(1234):
        fsm.send_event("TOUCH")
    assert {(record.name, record.levelno) for record in caplog.records} == {
        ("fsmkit", logging.WARNING)
    }
    text = (
        "Fsm 'Lamp', state 'Down': no transition for event 'TOUCH'. It knows 'RAISE', 'RESET'. "
        "It is known in 'Up'. Add one with add_transition(), or check the spelling."
    )
    assert [record.message for record in caplog.records] == [
        text,
        f"{text} So far this has happened 10 times.",
        f"{text} So far this has happened 100 times.",
        f"{text} So far this has happened 1,000 times.",
    ]


def test_each_state_and_event_is_warned_of_for_itself(caplog: pytest.LogCaptureFixture) -> None:
    fsm, other = lamp(), lamp()
    for event in ("A", "A", "B", "RAISE", "A", "A"):
        fsm.send_event(event)
    fsm.stop()
    fsm.send_event("A")
    fsm.send_event("A")
    other.send_event("A")
    assert [record.message.partition(". ")[0] for record in caplog.records] == [
        "Fsm 'Lamp', state 'Down': no transition for event 'A'",
        "Fsm 'Lamp', state 'Down': no transition for event 'B'",
        "Fsm 'Lamp', state 'Up': no transition for event 'A'",
        "Fsm 'Lamp' is not running: event 'A' was not handled",
        "Fsm 'Lamp', state 'Down': no transition for event 'A'",
    ]


def test_an_error_comes_each_time() -> None:
    fsm = lamp(on_unhandled="raise")
    for _ in range(3):
        with pytest.raises(UnhandledEventError):
            fsm.send_event("TOUCH")


def test_events_with_ever_new_names_do_not_pile_up(caplog: pytest.LogCaptureFixture) -> None:
    fsm = lamp()
    for number in range(3 * MOST_COUNTED):
        warn_of_unhandled(
            fsm, fsm.current_state, f"EVENT_{number}", lambda event: "nobody knows it"
        )
    assert len(caplog.records) == 3 * MOST_COUNTED
    assert len(UNHANDLED[fsm]) <= MOST_COUNTED
