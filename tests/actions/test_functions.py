"""The functions that actions are given take nothing or the state, and do at once what they say."""

import copy
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import define
from every import every

import actions
from actions import (
    AddValue,
    Assert,
    Await,
    Broadcast,
    Compare,
    Cooldown,
    Coroutine,
    DelegateAction,
    FollowField,
    FollowPath,
    FollowWaypoints,
    ForEach,
    Jump,
    Log,
    LookAt,
    Move,
    MoveBy,
    MoveConstantly,
    MoveTowards,
    OnChange,
    RandomWait,
    Rotate,
    RotateConstantly,
    RotateTowards,
    ScaleByDuration,
    SendEvent,
    SendEventWhen,
    SequenceEvent,
    SetColorByDuration,
    SetValue,
    Switch,
    TimedAction,
    TimedWait,
    Timeout,
    Tween,
    WaitFrames,
    WaitUntil,
    When,
)
from actions.parts.parameters import Param
from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.space import Transform

THING = Transform((0.0, 0.0))
COUNTER = {"n": 0}
GROUP = FsmGroup()

Make = Callable[[Callable[..., Any]], FsmAction[Any]]

PLACES: dict[str, tuple[Make, Any]] = {
    "AddValue: amount": (lambda f: AddValue(COUNTER, "n", f), 1),
    "Assert: predicate": (lambda f: Assert(f, "wrong"), True),
    "Assert: message": (lambda f: Assert(lambda: False, f), "wrong"),
    "Broadcast: data": (lambda f: Broadcast(GROUP, "GO", f), 1),
    "Compare: value": (lambda f: Compare(f, 1, equal="GO"), 1),
    "Compare: other": (lambda f: Compare(1, f, equal="GO"), 1),
    "Cooldown: duration": (lambda f: Cooldown("GO", f), 1.0),
    "DelegateAction: on_enter": (DelegateAction, None),
    "DelegateAction: on_update": (lambda f: DelegateAction(on_update=f), None),
    "DelegateAction: on_exit": (lambda f: DelegateAction(on_exit=f), None),
    "FollowField: field": (lambda f: FollowField(THING, f, 1.0), None),
    "FollowField: speed": (lambda f: FollowField(THING, None, f), 1.0),
    "FollowPath: path": (lambda f: FollowPath(THING, f, 1.0), [(1.0, 1.0)]),
    "FollowPath: speed": (lambda f: FollowPath(THING, [(1.0, 1.0)], f), 1.0),
    "FollowWaypoints: waypoints": (lambda f: FollowWaypoints(THING, f, 1.0), [(1.0, 1.0)]),
    "FollowWaypoints: waypoints[1]": (
        lambda f: FollowWaypoints(THING, [(1.0, 1.0), f], 9.0),
        (2.0, 2.0),
    ),
    "FollowWaypoints: speed": (lambda f: FollowWaypoints(THING, [(1.0, 1.0)], f), 1.0),
    "ForEach: items": (lambda f: ForEach(f, TimedWait), [1.0]),
    "Jump: height": (lambda f: Jump(THING, f, 1.0), 1.0),
    "Jump: duration": (lambda f: Jump(THING, 1.0, f), 1.0),
    "Log: message": (lambda f: Log(f, level=50), "hello"),
    "LookAt: target": (lambda f: LookAt(THING, f), (1.0, 1.0)),
    "Move: start": (lambda f: Move(THING, f, (1.0, 1.0), 1.0), (0.0, 0.0)),
    "Move: end": (lambda f: Move(THING, None, f, 1.0), (1.0, 1.0)),
    "Move: duration": (lambda f: Move(THING, None, (1.0, 1.0), f), 1.0),
    "MoveBy: offset": (lambda f: MoveBy(THING, f, 1.0), (1.0, 1.0)),
    "MoveConstantly: velocity": (lambda f: MoveConstantly(THING, f), (1.0, 1.0)),
    "MoveTowards: target": (lambda f: MoveTowards(THING, f, 1.0), (9.0, 9.0)),
    "MoveTowards: speed": (lambda f: MoveTowards(THING, (9.0, 9.0), f), 1.0),
    "OnChange: value": (lambda f: OnChange(f, "GO"), 1),
    "RandomWait: shortest": (lambda f: RandomWait(f, 2.0, rng=Random(1)), 1.0),
    "RandomWait: longest": (lambda f: RandomWait(1.0, f, rng=Random(1)), 2.0),
    "Rotate: end": (lambda f: Rotate(THING, None, f, 1.0), 90.0),
    "RotateConstantly: speed": (lambda f: RotateConstantly(THING, f), 90.0),
    "RotateTowards: target": (lambda f: RotateTowards(THING, f, speed=1.0), (1.0, 1.0)),
    "RotateTowards: speed": (lambda f: RotateTowards(THING, (1.0, 1.0), speed=f), 1.0),
    "RotateTowards: smoothing": (lambda f: RotateTowards(THING, (1.0, 1.0), smoothing=f), 1.0),
    "ScaleByDuration: end": (lambda f: ScaleByDuration(THING, None, f, 1.0), (2.0, 2.0)),
    "SendEvent: data": (lambda f: SendEvent("GO", f), 1),
    "SendEvent: delay": (lambda f: SendEvent("GO", delay=f), 0.0),
    "SendEventWhen: predicate": (lambda f: SendEventWhen(f, "GO"), True),
    "SendEventWhen: data": (lambda f: SendEventWhen(lambda: True, "GO", data=f), 1),
    "SequenceEvent: data": (lambda f: SequenceEvent("GO", data=f), 1),
    "SequenceEvent: delay": (lambda f: SequenceEvent("GO", delay=f), 0.0),
    "SetColorByDuration: end": (
        lambda f: SetColorByDuration(SimpleNamespace(color=(0, 0, 0)), None, f, 1.0),
        (255, 255, 255),
    ),
    "SetValue: value": (lambda f: SetValue(COUNTER, "n", f), 1),
    "Switch: value": (lambda f: Switch(f, {1: "GO"}), 1),
    "TimedWait: duration": (TimedWait, 1.0),
    "Timeout: duration": (lambda f: Timeout(TimedWait(1.0), f), 1.0),
    "Tween: start": (lambda f: Tween(COUNTER, "n", f, 5.0, 1.0), 0.0),
    "WaitFrames: frames": (WaitFrames, 1),
    "WaitUntil: predicate": (WaitUntil, True),
    "When: predicate": (lambda f: When(f, DelegateAction()), True),
}
"""Every parameter that may be a function: how it is given, and what it may return."""


def lived_through(action: FsmAction[Any]) -> None:
    """Enter, update and exit the state of `action`, and send it the event that some wait for."""
    fsm = Fsm("M", on_unhandled="ignore")
    fsm.add_state("A").add_action(action)
    with suppress(AssertionError):
        fsm.start()
    fsm.update(0.5)
    fsm.send_event("GO")
    fsm.stop()


@every("place", PLACES)
def test_a_function_may_take_nothing(place: str) -> None:
    make, result = PLACES[place]
    calls: list[tuple[object, ...]] = []

    def asked() -> Any:
        calls.append(())
        return result

    lived_through(make(asked))
    assert set(calls) == {()}


@every("place", PLACES)
def test_a_function_may_take_the_state(place: str) -> None:
    make, result = PLACES[place]
    calls: list[FsmState] = []

    def asked(state: FsmState) -> Any:
        calls.append(state)
        return result

    action = make(asked)
    lived_through(action)
    assert {id(state) for state in calls} == {id(action.state)}


async def later(_state: object) -> bool:
    return False


def steps(_state: object) -> Iterator[None]:
    yield


async def later_steps(_state: object) -> AsyncIterator[None]:
    yield


@every("place", PLACES)
@every(
    ("function", "message"),
    [
        (later, "must be a plain function. later is an async function, which would only make"),
        (later_steps, "must be a plain function. later_steps is an async generator"),
        (steps, "must be a plain function. steps is a generator function, which would never run"),
        (lambda one, two: True, "must take nothing or the state, but lambda one, two: True"),
        (lambda *, speed: True, "must not require keywords, but lambda *, speed: True requires"),
    ],
)
def test_other_functions_are_refused_where_they_are_written(
    place: str, function: Callable[..., Any], message: str
) -> None:
    make, _ = PLACES[place]
    with pytest.raises(TypeError) as raised:
        make(function)
    assert str(raised.value).startswith(f"{place} {message}")


def test_a_routine_may_take_nothing_or_the_state() -> None:
    journal: list[object] = []

    def alone() -> Iterator[float]:
        journal.append("alone")
        yield 1.0

    def with_state(state: FsmState) -> Iterator[float]:
        journal.append(state.name)
        yield 1.0

    lived_through(Coroutine(alone))
    lived_through(Coroutine(with_state))
    assert journal == ["alone", "A"]
    with pytest.raises(TypeError, match=r"^Coroutine: routine .* later is an async function"):
        Coroutine(later)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^Coroutine: routine must be a function, got 3\."):
        Coroutine(3)  # type: ignore[arg-type]


def test_a_call_in_the_place_of_a_function_is_told_to_hand_over_the_function() -> None:
    with pytest.raises(TypeError) as raised:  # and no warning that nobody has awaited it
        Await(later(None))  # type: ignore[arg-type]
    assert str(raised.value) == (
        "Await: function must be a function, got the result of later(). "
        "Pass later without calling it."
    )
    with pytest.raises(TypeError, match=r"^Coroutine: .* Pass steps without calling it\.$"):
        Coroutine(steps(None))  # type: ignore[arg-type]


def test_a_generator_in_the_place_of_a_callback_is_told_where_it_belongs() -> None:
    with pytest.raises(TypeError, match=r"^DelegateAction: on_update .* Use Coroutine\.$"):
        DelegateAction(on_update=steps)


@pytest.mark.parametrize("easing", [later, steps])
def test_an_easing_cannot_be_async_or_a_generator(easing: Any) -> None:
    with pytest.raises(TypeError, match="^Move: easing must be a plain function, got"):
        Move(THING, None, (1.0, 1.0), 1.0, easing=easing)


def test_event_data_and_context_reach_a_parameter_by_the_state() -> None:
    body = Transform((0.0, 0.0))
    fsm = Fsm("Guard", context=SimpleNamespace(rest=2.0))
    idle, look = fsm.add_state("Idle"), fsm.add_state("Look")
    idle.add_transition("NOISE", look)
    look.add_action(LookAt(body, lambda state: state.fsm.event_data["at"]))
    wait = look.add_action(TimedWait(lambda state: state.context.rest))
    fsm.start()
    fsm.send_event("NOISE", {"at": (0.0, 3.0)})
    assert (body.rotation, wait.length) == (90.0, 2.0)


@define(eq=False, repr=False, slots=False)
class Fill(TimedAction):
    """An action of a user, which says nothing of functions."""

    duration: Param[float]


def test_the_duration_of_an_action_of_ones_own_may_be_a_function_too() -> None:
    lengths = []
    for duration in (lambda: 2.0, lambda state: state.context):
        fsm = Fsm("M", context=3.0)
        fill = fsm.add_state("A").add_action(Fill(duration))
        fsm.start()
        lengths.append(fill.length)
    assert lengths == [2.0, 3.0]


def test_an_adapted_function_is_shown_as_it_was_given() -> None:
    def is_closed() -> bool:
        return False

    wait = WaitUntil(is_closed)
    assert repr(wait) == "WaitUntil(predicate=is_closed)"
    assert wait.predicate == is_closed


def test_a_copied_action_asks_the_copied_object() -> None:
    class Door:
        closed = False

        def is_closed(self) -> bool:
            return self.closed

    door = Door()
    fsm = Fsm("M", context=door)
    fsm.add_state("A").add_action(WaitUntil(door.is_closed))
    fsm.start()
    two = copy.deepcopy(fsm)
    two.context.closed = True
    for each in (fsm, two):
        each.update(0.1)
    assert [each.states["A"].actions[0].finished for each in (fsm, two)] == [False, True]


def test_a_function_that_is_set_later_takes_the_state() -> None:
    wait = WaitUntil(lambda: False)
    with pytest.raises(TypeError, match="^WaitUntil: predicate must take the state if it is set"):
        wait.predicate = lambda: True
    wait.predicate = lambda _state: True
    fsm = Fsm("M")
    fsm.add_state("A").add_action(wait)
    fsm.start()
    assert wait.finished


EVERY_ACTION = sorted(
    (
        thing
        for thing in (getattr(actions, name) for name in actions.__all__)
        if isinstance(thing, type) and issubclass(thing, FsmAction)
    ),
    key=lambda action: action.__name__,
)


@every("action", EVERY_ACTION)
def test_finish_event_is_keyword_only_but_for_the_timed_wait(action: type[FsmAction]) -> None:
    parameters = inspect.signature(action).parameters
    if "finish_event" in parameters:
        by_position = parameters["finish_event"].kind is not inspect.Parameter.KEYWORD_ONLY
        assert by_position is (action is TimedWait)
