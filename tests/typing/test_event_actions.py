"""The functions that handle events, and work elsewhere: mypy and pyright read this, pytest runs it.

Both report an ignore that is not needed, so each one here says that both refuse its line.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from collections.abc import Generator, Iterator
from typing import Any, assert_type

import pytest

from actions import (
    HOST,
    Await,
    Coroutine,
    Defer,
    DelegateAction,
    InThread,
    OnEvent,
    RunFsm,
    SendEvent,
    TimedWait,
)
from fsmkit import Fsm, FsmGroup, FsmState


class Knight:
    def hurt(self, damage: int) -> None: ...
    def shout(self) -> bool:
        return True


def a_state() -> FsmState[Knight]:
    return Fsm("Knight", context=Knight()).add_state("Fight")


def with_state(state: FsmState[Knight]) -> None: ...
def with_data(state: FsmState[Knight], damage: int) -> None: ...
def with_event(state: FsmState[Knight], event: str, damage: int) -> None: ...
def with_more(state: FsmState[Knight], event: str, damage: int, more: int) -> None: ...


async def ask(state: FsmState[Knight]) -> int:
    return len(state.name)


async def ask_nobody() -> None: ...


def routine(state: FsmState[Knight]) -> Iterator[Any]:
    yield 1.0
    yield "HIT"
    yield TimedWait(1.0)
    yield state.context.shout


def careful(_state: FsmState[Knight]) -> Generator[float | str | None, Any, None]:
    yield None


def test_a_lambda_that_handles_an_event_knows_the_context() -> None:
    state = a_state()
    state.add_action(
        OnEvent("HIT", lambda state, hit: assert_type(state.context, Knight).hurt(hit))
    )
    state.add_action(
        DelegateAction(on_event=lambda state, _, hit: assert_type(state.context, Knight).hurt(hit))
    )
    state.add_action(
        DelegateAction(
            on_event={"HIT": lambda state, hit: assert_type(state.context, Knight).hurt(hit)}
        )
    )
    state.add_action(Defer("HIT", until=lambda state: assert_type(state.context, Knight).shout()))
    state.add_action(InThread(lambda state: assert_type(state.context, Knight).shout()))


def test_functions_of_every_number_of_arguments_are_accepted() -> None:
    state = a_state()
    for handler in (with_state, Knight().shout):
        state.add_action(OnEvent("HIT", handler))
    state.add_action(OnEvent("HIT", with_data))
    state.add_action(DelegateAction(on_event=with_state))
    state.add_action(DelegateAction(on_event=with_data))
    state.add_action(DelegateAction(on_event=with_event))
    state.add_action(DelegateAction(on_event={"HIT": with_data, "SEEN": with_state}))
    state.add_action(Await(ask))
    state.add_action(Await(ask_nobody, finish_event="ASKED"))
    state.add_action(Coroutine(routine))
    state.add_action(Coroutine(careful))


def test_other_functions_are_refused() -> None:
    # mypy refuses them or not, depending on what it has checked before.
    with pytest.raises(TypeError):
        OnEvent("HIT", with_event)  # type: ignore[arg-type, unused-ignore]
    with pytest.raises(TypeError):
        DelegateAction(on_event=with_more)  # type: ignore[arg-type, unused-ignore]
    with pytest.raises(TypeError):
        DelegateAction(on_event={"HIT": with_event})  # type: ignore[dict-item, unused-ignore]
    Await(Knight().shout)  # type: ignore[arg-type]


def test_events_go_to_machines_groups_and_the_host() -> None:
    fsm = Fsm("Knight")
    SendEvent("HIT", to=HOST)
    SendEvent("HIT", to=fsm)
    SendEvent("HIT", to=FsmGroup())
    SendEvent("HIT", to=lambda state: state.fsm)
    SendEvent("HIT", to=lambda: None)
    with pytest.raises(TypeError):
        SendEvent("HIT", to="Knight")  # type: ignore[call-overload]


def test_outcomes_are_a_mapping_of_names() -> None:
    RunFsm(Fsm("Game"), {"Won": "WON"}, start="Play", resume=True)
    RunFsm(Fsm("Game"), start=lambda: "Play")
    with pytest.raises(TypeError):
        RunFsm(Fsm("Game"), ["Won"])  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        RunFsm(Fsm("Game"), {"Won": 3})  # type: ignore[dict-item]
