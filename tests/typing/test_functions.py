"""The functions that actions are given, as type checkers know them: they read it, pytest runs it.

Both report an ignore that is not needed, so each one here says that both refuse its line.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from collections.abc import Generator, Iterator
from typing import Any, assert_type

import pytest

from actions import (
    Assert,
    Coroutine,
    DelegateAction,
    Log,
    LookAt,
    Move,
    OnChange,
    SendEventWhen,
    TimedWait,
    WaitUntil,
    When,
)
from fsmkit import Fsm, FsmState
from fsmkit.space import Transform

THING = Transform((0.0, 0.0))


class Door:
    rest = 2.0
    closed = True

    def is_closed(self) -> bool:
        return self.closed

    def watch(self, state: FsmState["Door"]) -> bool:
        return state.context.closed

    def knock(self) -> Iterator[float]:
        yield 1.0


def knock(state: FsmState[Door]) -> Iterator[float]:
    yield state.context.rest


def knock_slowly(_state: FsmState[Any]) -> Generator[float | None, None, None]:
    yield None


def pair(first: int, second: int) -> bool:
    return first == second


def state_of_a_door() -> FsmState[Door]:
    return Fsm("Door", context=Door()).add_state("Open")


def test_a_function_may_take_nothing() -> None:
    door = Door()
    TimedWait(lambda: 2.0)
    Move(THING, None, lambda: (1.0, 0.0), lambda: 2.0)
    LookAt(THING, lambda: (1.0, 0.0))
    OnChange(lambda: door.closed, "MOVED")
    WaitUntil(door.is_closed)
    DelegateAction(door.is_closed, on_exit=door.is_closed)
    SendEventWhen(door.is_closed, "CLOSED", data=lambda: 3)
    Log(door.is_closed)
    Coroutine(door.knock)


def test_a_function_may_take_the_state() -> None:
    door, state = Door(), state_of_a_door()
    TimedWait(lambda state: state.context.rest)
    Move(THING, None, lambda state: state.context.place, 2.0)
    LookAt(THING, lambda state: state.fsm.event_data["at"])
    OnChange(lambda state: state.context.closed, "MOVED")
    state.add_action(WaitUntil(door.watch))
    state.add_action(DelegateAction(door.watch, on_exit=door.is_closed))
    state.add_action(Coroutine(knock))
    state.add_action(Coroutine(knock_slowly))


def test_a_lambda_that_takes_the_state_knows_the_context() -> None:
    state = state_of_a_door()
    state.add_action(WaitUntil(lambda state: assert_type(state.context, Door).closed))
    state.add_action(Assert(lambda state: assert_type(state.context, Door).closed, "open"))
    state.add_action(Log(lambda state: f"{assert_type(state.context, Door).rest}"))
    state.add_action(
        When(
            lambda state: assert_type(state.context, Door).closed,
            DelegateAction(on_exit=lambda state: assert_type(state.context, Door).rest),
        )
    )
    state.fsm.start()


def test_what_the_context_does_not_have_is_refused() -> None:
    state = state_of_a_door()
    state.add_action(WaitUntil(lambda state: state.context.locked))  # type: ignore[attr-defined]
    state.add_action(
        DelegateAction(on_exit=lambda state: state.context.lock())  # type: ignore[attr-defined]
    )


def test_functions_that_require_more_are_refused() -> None:
    with pytest.raises(TypeError):
        WaitUntil(pair)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        DelegateAction(on_update=pair)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        TimedWait(lambda first, second: 2.0)  # type: ignore[arg-type]


def test_what_a_function_returns_is_known() -> None:
    TimedWait(lambda: "long")  # type: ignore[arg-type]
    TimedWait(lambda state: "long")  # type: ignore[arg-type]
    Coroutine(lambda state: 3)  # type: ignore[arg-type, return-value]


def test_what_is_not_a_function_is_refused() -> None:
    with pytest.raises(TypeError):
        OnChange(3, "MOVED")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        WaitUntil(True)  # type: ignore[arg-type]
