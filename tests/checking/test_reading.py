"""What is read in the code of lambdas, functions and own actions."""

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

import pytest
from every import every

from actions import (
    Await,
    Coroutine,
    DelegateAction,
    InThread,
    Log,
    OnEvent,
    SendEvent,
    SendEventWhen,
    SetValue,
    TimedWait,
    WaitUntil,
)
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.checking.emissions import Emissions
from fsmkit.checking.reading.reader import Sent
from fsmkit.checking.transitions import Transitions

SHOT = "SHOT"
mode = "MODE"


class Event(str, Enum):  # noqa: UP042  # as it is still often written
    HIT = "HIT"
    DIE = "DIE"


class Names:
    MISS = "MISS"


def read(fsm: Fsm[Any], action: FsmAction[Any]) -> list[tuple[str, Sent]]:
    """What is sent, with the callbacks, once `action` is in a state of `fsm`."""
    fsm.add_state(f"S{len(fsm.states)}").add_action(action)
    readings = Emissions(Transitions(fsm)).readings(action)
    return [(reading.callback, sent) for reading in readings for sent in reading.sent]


def events(action: FsmAction[Any], fsm: Fsm[Any] | None = None) -> list[str | None]:
    return [sent.event for _, sent in read(fsm or Fsm("M"), action)]


def entering(function: Callable[..., object]) -> list[str | None]:
    """The events that a function sends as the `on_enter` of a `DelegateAction`."""
    return events(DelegateAction(function))


# Where the event comes from


def send_closed(event: str) -> Callable[[Any], object]:
    return lambda state: state.send_event(event)


def send_first(event: str, state: Any) -> None:
    state.send_event(event)


@every(
    ("function", "expected"),
    [
        (lambda state: state.send_event("GO"), "GO"),
        (lambda state: state.fsm.send_event("GO", {"at": (1, 2)}), "GO"),
        (lambda state: state.fsm.send_event(event="GO", data=[1 for _ in "abc"]), "GO"),
        (lambda state: state.send_event(SHOT), "SHOT"),
        (lambda state: state.send_event(Event.HIT), "HIT"),
        (lambda state: state.send_event(Event.DIE.value), "DIE"),
        (lambda state: state.send_event(Names.MISS), "MISS"),
        (lambda state, event="DEFAULT": state.send_event(event), "DEFAULT"),
        (send_closed("CLOSED"), "CLOSED"),
        (partial(send_first, "BOUND"), "BOUND"),
        (lambda state: send_first("CALLED", state), "CALLED"),
        (lambda state: state.fsm.current_state.send_event("CURRENT"), "CURRENT"),
    ],
)
def test_a_constant_is_read_wherever_it_comes_from(
    function: Callable[..., object], expected: str
) -> None:
    assert entering(function) == [expected]


@pytest.mark.parametrize(
    "function",
    [
        lambda state: state.send_event(state.context),
        lambda state: state.send_event(f"GO_{state.name}"),
        lambda state: state.send_event("GO" + state.name),
        lambda state: state.send_event({"a": "GO"}[state.name]),
        lambda state: state.send_event(mode),  # a variable of the module, which may change
        lambda state: state.send_event(*state.context),
        lambda state: state.send_event("GO".lower()),
    ],
)
def test_what_is_not_a_constant_is_not_guessed(function: Callable[..., object]) -> None:
    assert entering(function) == [None]


def test_every_branch_is_read() -> None:
    def choose(state: Any) -> None:
        if state.context:
            state.send_event("YES" if state.name else "MAYBE")
        elif state.fsm.time > 3:
            return
        for event in ("ONE", "TWO"):
            state.send_event(event)
        try:
            state.context.act()
        except KeyError:
            state.send_event("FAILED")
        finally:
            state.send_event("TRIED")
        with state.context:
            state.send_event("INSIDE")
        while state.context:
            state.send_event("AGAIN")
        match state.context:
            case {"key": _}:
                state.send_event("MATCHED")

    found = entering(choose)
    assert sorted(map(str, found)) == [
        "AGAIN", "FAILED", "INSIDE", "MATCHED", "MAYBE", "ONE", "TRIED", "TWO", "YES",
    ]  # fmt: skip


def test_what_is_called_is_read_too() -> None:
    class Shoot(FsmAction):
        kind = "KIND"

        def __init__(self) -> None:
            self.event = "GIVEN"
            self.changing = "BEFORE"
            self.later = None

        def on_enter(self) -> None:
            self.fire()
            self.tell("TOLD")
            self.fsm.send_event(self.event)
            self.fsm.send_event(self.kind)
            self.fsm.send_event(self.made)
            self.fsm.send_event(self.chosen())
            self.fsm.send_event(self.changing)
            self.changing = "AFTER"

        def fire(self) -> None:
            self.state.send_event("FIRED")

        def tell(self, event: str) -> None:
            self.fsm.send_event(event)

        @property
        def made(self) -> str:
            return "MADE"

        def chosen(self) -> str:
            return Event.HIT

    assert events(Shoot()) == ["FIRED", "TOLD", "GIVEN", "KIND", "MADE", "HIT", None]


def test_a_branch_that_the_arguments_rule_out_is_not_read() -> None:
    class Shout(FsmAction):
        def __init__(self, kind: str, loud: bool = False, delay: float = 0.0) -> None:
            self.kind = kind
            self.loud = loud
            self.delay = delay
            self.count = 0

        def on_enter(self) -> None:
            if self.loud:
                self.fsm.send_event("LOUD")
            if self.kind == "call" and not self.loud:
                self.fsm.send_event("CALL")
            elif self.kind in ("sing", "hum"):
                self.fsm.send_event("SONG")
            if self.delay > 1.0:
                self.fsm.send_event_after(self.delay, "ECHO")
            if isinstance(self.delay, str):
                self.fsm.send_event("TEXT")
            if self.count:
                self.fsm.send_event("AGAIN")
            self.count += 1

    assert events(Shout("call")) == ["CALL", "AGAIN"]
    assert events(Shout("call", loud=True)) == ["LOUD", "AGAIN"]
    assert events(Shout("hum", delay=2.0)) == ["SONG", "ECHO", "AGAIN"]
    assert events(Shout("wave")) == ["AGAIN"]


def test_a_method_of_the_class_above_is_read_by_super() -> None:
    class Shout(FsmAction):
        def on_enter(self) -> None:
            self.fsm.send_event("SHOUTED")

    class ShoutTwice(Shout):
        def on_enter(self) -> None:
            super().on_enter()
            super(ShoutTwice, self).on_enter()  # noqa: UP008  # the long way
            self.fsm.send_event("TWICE")

    assert events(ShoutTwice()) == ["SHOUTED", "TWICE"]


def test_a_method_of_the_context_is_read_if_it_leads_to_a_machine() -> None:
    class Guard:
        def __init__(self) -> None:
            self.fsm = Fsm("Guard", context=self)

        def shout(self) -> None:
            self.machine.send_event("SHOUTED")

        @property
        def machine(self) -> Fsm[Any]:
            return self.fsm

    guard = Guard()
    assert events(DelegateAction(lambda state: state.context.shout()), guard.fsm) == ["SHOUTED"]
    assert events(DelegateAction(guard.shout), guard.fsm) == ["SHOUTED"]


@pytest.mark.slow
def test_the_functions_that_actions_of_the_library_call_are_read() -> None:
    fsm = Fsm("M")

    def routine(state: Any) -> Any:
        yield 1.0
        state.send_event("ROUTINE")

    async def load(state: Any) -> None:
        state.fsm.post_event("LOADED")

    given = [
        DelegateAction(on_update=lambda: fsm.send_event("UPDATE")),
        DelegateAction(on_event={"HIT": lambda state: state.send_event("HURT")}),
        DelegateAction(on_event=lambda state, event, data: state.send_event("ANY")),
        DelegateAction(partial(fsm.send_event, "PARTIAL")),
        OnEvent("HIT", lambda state, data: state.send_event("HIT_BY" if data else "HIT")),
        SendEventWhen(lambda state: state.send_event("ASKED"), "DECLARED"),
        WaitUntil(lambda state: state.send_event("WAITED")),
        SetValue({}, "key", lambda state: state.send_event("VALUE")),
        TimedWait(lambda: fsm.send_event("LENGTH") or 1.0),
        Log(lambda state: str(state.send_event("LOGGED"))),
        Coroutine(routine),
        Await(load),
        InThread(lambda: fsm.post_event("THREAD")),
        SendEvent("OWN", to=lambda: None),
    ]
    found = [list(dict.fromkeys(events(action, fsm))) for action in given]
    assert found == [
        ["UPDATE"], ["HURT"], ["ANY"], ["PARTIAL"], ["HIT_BY", "HIT"], ["ASKED"], ["WAITED"],
        ["VALUE"], ["LENGTH"], ["LOGGED"], ["ROUTINE"], ["LOADED"], ["THREAD"], [],
    ]  # fmt: skip


# How it is sent, and to whom


def test_the_way_of_sending_is_noted() -> None:
    class Send(FsmAction):
        def __init__(self) -> None:
            self.delay = 3.0

        def on_enter(self) -> None:
            self.fsm.send_event_after(2.0, "AFTER")
            self.fsm.send_event_after(self.delay, event="KEPT", keep=True)
            self.fsm.send_event_after(self.delta_time, "UNKNOWN")
            self.fsm.post_event("POSTED")
            self.fsm.offer_event("OFFERED")
            self.fsm.send_in_time("IN_TIME")

    assert [
        (sent.event, sent.how, sent.delay, sent.is_kept) for _, sent in read(Fsm("M"), Send())
    ] == [
        ("AFTER", "after", 2.0, False),
        ("KEPT", "after", 3.0, True),
        ("UNKNOWN", "after", None, False),
        ("POSTED", "posted", None, False),
        ("OFFERED", "offered", None, False),
        ("IN_TIME", "now", None, False),
    ]


def test_the_receiver_is_noted() -> None:
    fsm, other, group = Fsm("M"), Fsm("Other"), FsmGroup()

    def send(state: Any) -> None:
        other.send_event("ONE")
        group.broadcast("TWO")
        state.send_event("THREE")
        state.context.send_event("FOUR")  # of whom nothing is known

    found = [(sent.event, sent.receiver) for _, sent in read(fsm, DelegateAction(send))]
    assert found == [("ONE", other), ("TWO", group), ("THREE", fsm)]


def test_code_that_is_handed_on_may_run_at_any_time() -> None:
    class Listen(FsmAction):
        def on_enter(self) -> None:
            self.context.on_click(lambda: self.fsm.send_event("CLICKED"))
            self.context.on_key(self.pressed)
            self.context.callback = self.moved
            self.fsm.send_event("LISTENING")

        def pressed(self) -> None:
            self.fsm.send_event("PRESSED")

        def moved(self) -> None:
            self.fsm.send_event("MOVED")

    found = [(sent.event, sent.is_later) for _, sent in read(Fsm("M"), Listen())]
    assert found == [("CLICKED", True), ("PRESSED", True), ("MOVED", True), ("LISTENING", False)]


# What is certain


def reading_of(function: Callable[..., object]) -> Any:
    fsm = Fsm("M", context=None)
    action = fsm.add_state("S").add_action(DelegateAction(function))
    return Emissions(Transitions(fsm)).on_enter(action)


def certain(function: Callable[..., object]) -> list[str]:
    """The events that are sent whichever way is gone."""
    return sorted(str(event) for what, _, event in reading_of(function).done if what == "sent")


def test_what_every_branch_passes_is_certain() -> None:
    def always(state: Any) -> None:
        if state.context:
            state.send_event("FIRST")
        else:
            state.send_event("FIRST")
            state.send_event("OTHER")
        state.send_event("LAST")

    def never_for_certain(state: Any) -> None:
        for _ in state.context:
            state.send_event("LOOP")
        if state.context:
            return
        try:
            state.context.act()
            state.send_event("TRIED")
        except KeyError:
            pass
        state.send_event("A" if state.context else "B")

    assert certain(always) == ["FIRST", "LAST"]
    assert certain(never_for_certain) == []
    assert certain(lambda state: state.context and state.send_event("AND")) == []


def test_a_call_that_cannot_be_read_may_do_anything() -> None:
    assert reading_of(lambda state: state.send_event("GO")).is_complete
    assert reading_of(lambda state: print(len(state.name), max(1, 2))).is_complete
    assert not reading_of(lambda state: state.context.act()).is_complete


def test_code_that_calls_itself_comes_to_an_end() -> None:
    def down(state: Any, count: int = 3) -> None:
        state.send_event("DOWN")
        if count:
            down(state, count - 1)

    assert entering(down) == ["DOWN"]
    assert not reading_of(down).is_complete
