"""Rules 3, 6, 7, 8, 14: queueing, events on exit, transitions to self, who gets an event."""

import logging
from functools import partial
from typing import Any

import pytest

from fsmkit import (
    ERROR,
    FINISHED,
    Fsm,
    FsmAction,
    TransitionLoopError,
    TransitionOnExitError,
    UnhandledEventError,
)
from fsmkit.testing import Probe, Recorder, drive


def switch(**options: object) -> Fsm:
    fsm = Fsm("Switch", **options)
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("ON", on)
    on.add_transition("OFF", off)
    return fsm


def test_an_event_sent_after_a_decided_change_is_offered_to_the_new_state() -> None:
    fsm = switch()
    answers: list[bool] = []
    fsm.states["Off"].add_action(
        Probe("p", [], on_update=lambda p: answers.extend(map(p.fsm.send_event, ("ON", "OFF"))))
    )
    fsm.start()
    journal = drive(fsm, [0.1])
    assert answers == [True, True]
    assert [line for line in journal if "event" in line or "enter " in line] == [
        "event ON: changed", "event OFF: queued", "enter On", "event OFF: changed", "enter Off",
    ]  # fmt: skip


def test_queued_events_keep_their_order_and_finished_comes_first() -> None:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c, d = (fsm.add_state(name) for name in "ABCD")
    a.add_transition("GO", b)
    b.add_transition(FINISHED, c)
    c.add_transition("FIRST", d)
    d.add_transition("SECOND", a)
    a.add_action(
        Probe("p", [], on_update=lambda p: [*map(p.fsm.send_event, ("GO", "FIRST", "SECOND"))])
    )
    fsm.start()
    with Recorder(fsm) as recorder:
        fsm.update(0.1)
    assert recorder.path == ["B", "C", "D", "A"]


def test_an_event_in_the_enter_walk_goes_before_queued_ones() -> None:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    a.add_transition("GO", b)
    b.add_transition("OWN", c)
    b.add_transition("WAITING", a)
    a.add_action(Probe("p", [], on_update=lambda p: [*map(p.fsm.send_event, ("GO", "WAITING"))]))
    b.add_action(Probe("q", [], on_enter="OWN"))
    fsm.start()
    journal = drive(fsm, [0.1])
    assert fsm.current_state is c
    assert journal[-1] == "event WAITING: ignored"


def test_an_event_from_on_exit_with_a_transition_raises_at_the_call() -> None:
    fsm = switch()
    caught: list[str] = []

    def send(probe: Probe) -> None:
        with pytest.raises(TransitionOnExitError) as error:
            probe.fsm.send_event("ON")
        caught.append(str(error.value))

    fsm.states["Off"].add_action(Probe("p", [], on_exit=send))
    fsm.start()
    fsm.send_event("ON")
    assert fsm.current_state is fsm.states["On"]
    assert "Fsm 'Switch', state 'Off': send_event('ON') from an on_exit" in caught[0]


@pytest.mark.parametrize("command", [Fsm.start, Fsm.stop])
def test_start_and_stop_from_on_exit_raise_at_the_call(command: object) -> None:
    fsm = switch()
    fsm.states["Off"].add_action(Probe("p", [], on_exit=lambda p: command(p.fsm)))
    fsm.start()
    with pytest.raises(TransitionOnExitError):
        fsm.send_event("ON")
    assert fsm.current_state is fsm.states["On"]


def test_an_event_from_on_exit_without_a_transition_is_unhandled() -> None:
    fsm = switch(on_unhandled="ignore")
    answers: list[bool] = []
    fsm.states["Off"].add_action(
        Probe("p", [], on_exit=lambda p: answers.append(p.fsm.send_event("NOBODY")))
    )
    fsm.start()
    journal = drive(fsm, ["ON"])
    assert answers == [False]
    assert "event NOBODY: ignored" in journal


def test_finish_in_on_exit_does_nothing() -> None:
    fsm = switch()
    fsm.states["Off"].add_transition(FINISHED, "Off")
    fsm.states["Off"].add_action(Probe("p", [], on_exit=Probe.finish))
    fsm.start()
    journal = drive(fsm, ["ON"])
    assert "event FINISHED: changed" not in journal
    assert fsm.current_state is fsm.states["On"]


def test_a_transition_to_the_same_state_exits_and_enters_again() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_transition("AGAIN", state)
    state.add_action(Probe("p", journal))
    fsm.start()
    assert fsm.send_event("AGAIN")
    assert journal == ["enter p", "exit p", "enter p"]
    assert fsm.previous_state is state
    assert fsm.last_event == "AGAIN"


def test_a_global_transition_to_the_current_state_does_nothing() -> None:
    fsm = switch(on_unhandled="raise")
    fsm.add_global_transition("RESET", "Off")
    fsm.start()
    assert drive(fsm, ["RESET"]) == ["event RESET: ignored"]
    assert fsm.send_event("RESET") is False


def test_the_own_transition_goes_before_the_global_one() -> None:
    fsm = switch()
    fsm.add_global_transition("ON", "Off")
    fsm.start()
    assert fsm.send_event("ON")
    assert fsm.current_state is fsm.states["On"]
    assert fsm.send_event("ON")
    assert fsm.current_state is fsm.states["Off"]


def test_the_first_listener_that_takes_an_event_consumes_it() -> None:
    journal: list[str] = []
    fsm = switch()
    for name, takes in (("p", ""), ("q", ("ON",)), ("r", ("ON",))):
        fsm.states["Off"].add_action(Probe(name, journal, takes=takes))
    fsm.start()
    journal.clear()
    assert fsm.send_event("ON") is True
    assert journal == ["q takes ON"]
    assert fsm.current_state is fsm.states["Off"]


def test_a_listener_that_decides_a_change_has_consumed_the_event() -> None:
    class Translate(FsmAction):
        def on_event(self, event: str, data: object) -> bool:
            if event == "SWITCH":
                self.fsm.send_event("ON")
            return False

    fsm = switch(on_unhandled="raise")
    fsm.states["Off"].add_action(Translate())
    fsm.start()
    assert drive(fsm, ["SWITCH"])[:2] == ["event ON: changed", "event SWITCH: consumed"]
    assert fsm.current_state is fsm.states["On"]


def test_only_entered_actions_listen() -> None:
    journal: list[str] = []
    fsm = switch()
    fsm.states["Off"].add_action(Probe("first", journal, takes=("HELLO",)))
    fsm.states["Off"].add_action(Probe("sender", journal, on_enter="HELLO", takes=("HELLO",)))
    fsm.states["Off"].add_action(Probe("last", journal, takes=("HELLO",)))
    fsm.start()
    assert journal == ["enter first", "enter sender", "first takes HELLO", "enter last"]


def test_the_sender_itself_is_not_asked_while_it_is_being_entered() -> None:
    fsm = switch(on_unhandled="ignore")
    journal: list[str] = []
    fsm.states["Off"].add_action(Probe("sender", journal, on_enter="HELLO", takes=("HELLO",)))
    fsm.start()
    assert journal == ["enter sender"]


def test_nobody_listens_on_exit() -> None:
    fsm = switch(on_unhandled="ignore")
    journal: list[str] = []
    fsm.states["Off"].add_action(Probe("p", journal, on_exit="HELLO", takes=("HELLO",)))
    fsm.start()
    fsm.send_event("ON")
    assert journal == ["enter p", "exit p"]


def test_finished_actions_still_listen() -> None:
    fsm = switch()
    journal: list[str] = []
    fsm.states["Off"].add_action(Probe("p", journal, on_enter=Probe.finish, takes=("ON",)))
    fsm.start()
    fsm.send_event("ON")
    assert journal[-1] == "p takes ON"


def test_event_and_data_can_be_read_from_on_enter_onwards() -> None:
    fsm = switch()
    seen: list[object] = []
    fsm.states["Off"].add_action(
        Probe("p", [], on_exit=lambda p: seen.append((p.fsm.last_event, p.fsm.event_data)))
    )
    fsm.states["On"].add_action(
        Probe("p", [], on_enter=lambda p: seen.append((p.fsm.last_event, p.fsm.event_data)))
    )
    fsm.start()
    fsm.send_event("ON", 42)
    assert seen == [(None, None), ("ON", 42)]
    fsm.start()
    assert (fsm.last_event, fsm.event_data) == (None, None)


def test_unhandled_events_are_warned_of_with_the_events_the_state_knows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fsm = switch()
    fsm.add_global_transition("BREAK", "Off")
    fsm.start()
    assert fsm.send_event("OM") is False
    [record] = caplog.records
    assert (record.name, record.levelno) == ("fsmkit", logging.WARNING)
    assert record.message == (
        "Fsm 'Switch', state 'Off': no transition for event 'OM'. It knows 'ON', 'BREAK'. "
        "Add one with add_transition(), or check the spelling."
    )


def test_a_machine_that_does_not_run_handles_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert switch().send_event("ON") is False
    assert "is not running: event 'ON' was not handled" in caplog.text


def test_unhandled_events_can_be_errors_or_be_ignored(caplog: pytest.LogCaptureFixture) -> None:
    strict, easy = switch(on_unhandled="raise"), switch(on_unhandled="ignore")
    with pytest.raises(UnhandledEventError, match="not running"):
        strict.send_event("NO")
    strict.start()
    with pytest.raises(UnhandledEventError, match="no transition for event 'NO'"):
        strict.send_event("NO")
    easy.start()
    assert easy.send_event("NO") is False
    assert caplog.records == []


def test_an_offered_event_that_nobody_handles_is_not_a_fault() -> None:
    fsm = switch(on_unhandled="raise")
    assert fsm.offer_event("NO") is False
    fsm.start()
    assert fsm.offer_event("NO") is False
    assert fsm.offer_event("ON") is True
    assert fsm.current_state is fsm.states["On"]


def test_the_names_of_the_two_events_every_machine_knows() -> None:
    assert (FINISHED, ERROR) == ("FINISHED", "ERROR")


def test_what_is_not_a_string_is_not_an_event() -> None:
    fsm = Fsm("Guard")
    fsm.add_state("Patrol")
    fsm.start()
    for send in (fsm.send_event, fsm.offer_event, fsm.post_event, partial(fsm.send_event_after, 1)):
        with pytest.raises(TypeError, match="Fsm 'Guard': an event must be a str, got 5"):
            send(5)  # type: ignore[operator]
    fsm.update(1)
    assert fsm.is_running


@pytest.mark.parametrize("event", [5, None, [], {}, b"GO"])
def test_what_is_not_an_event_is_refused_at_the_call_even_after_a_decided_change(
    event: Any,
) -> None:
    refused: list[str] = []

    def send(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        try:
            probe.fsm.send_event(event)
        except TypeError as error:
            refused.append(str(error))

    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    a.add_action(Probe("p", [], on_update=send))
    fsm.start()
    with pytest.raises(TypeError, match="Fsm 'M': an event must be a str, got"):
        fsm.send_event(event)
    fsm.update(0.1)
    assert refused == [f"Fsm 'M': an event must be a str, got {event!r}."]
    assert fsm.current_state is b


class Answer(FsmAction):
    """Answer an event by another one, from its `on_event`."""

    def __init__(self, event: str, answer: str, deep: int = 0) -> None:
        self.event = event
        self.answer = answer
        self.deep = deep

    def on_event(self, event: str, data: object) -> bool:
        if event == self.event:
            self.send(self.deep)
        return event == self.event

    def send(self, deep: int) -> None:
        """Send the answer from deep in the stack."""
        if deep:
            self.send(deep - 1)
        else:
            self.fsm.send_event(self.answer)


@pytest.mark.parametrize("deep", [0, 5, 50])
@pytest.mark.parametrize("how", ["sent", "posted"])
def test_events_that_answer_each_other_endlessly_are_named(deep: int, how: str) -> None:
    fsm = Fsm("Echo")
    a = fsm.add_state("A")
    a.add_action(Answer("PING", "PONG", deep))
    a.add_action(Answer("PONG", "PING", deep))
    fsm.start()
    if how == "posted":
        fsm.post_event("PING")
    call = partial(fsm.update, 0.1) if how == "posted" else partial(fsm.send_event, "PING")
    with pytest.raises(TransitionLoopError, match="They repeat: P.NG -> P.NG -> P.NG"):
        call()
    assert (fsm.phase, fsm.current_state) == (None, a)
    assert not fsm.offer_event("OTHER")


def test_a_hundred_events_may_answer_each_other() -> None:
    class Count(FsmAction):
        def on_event(self, event: str, data: object) -> bool:
            if isinstance(data, int) and data:
                self.fsm.send_event(event, data - 1)
            return True

    fsm = Fsm("Countdown")
    fsm.add_state("A").add_action(Count())
    fsm.start()
    assert fsm.send_event("COUNT", 99)
    with pytest.raises(TransitionLoopError):
        fsm.send_event("COUNT", 100)


def test_a_recursion_of_the_user_s_own_is_left_as_it_is() -> None:
    class Endless(FsmAction):
        def on_event(self, event: str, data: object) -> bool:
            return self.on_event(event, data)

    fsm = Fsm("M")
    fsm.add_state("A").add_action(Endless())
    fsm.start()
    with pytest.raises(RecursionError):
        fsm.send_event("X")
