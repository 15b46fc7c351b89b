"""Errors that cannot even say what they are, and values without an end, do no harm to the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from attrs import define

from actions import DelegateAction
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("nothing to say")


class Endless(Exception):
    def __str__(self) -> str:
        return "x" * 1_000_000


def machine(name: str, context: Any = None, **options: Any) -> Fsm[Any]:
    fsm = Fsm(name, context=context, **{"on_unhandled": "warn", **options})
    go, rest = fsm.add_state("Go"), fsm.add_state("Rest")
    go.add_transition("TIRED", rest)
    rest.add_transition("WAKE", go)
    fsm.start()
    return fsm


def raising(error: type[Exception]) -> Fsm[Any]:
    def fail() -> None:
        raise error

    fsm = machine("Odd")
    fsm.states["Rest"].add_action(DelegateAction(on_enter=fail))
    return fsm


@pytest.mark.parametrize(
    "request_", [{"do": "send", "event": "TIRED"}, {"do": "force", "state": "Rest"}]
)
def test_an_error_without_a_text_answers_the_page_that_has_caused_it(
    inspected: Callable[..., Any], request_: dict[str, Any]
) -> None:
    page = inspected(raising(Silent))
    answer = page.ask(machine="Odd", **request_)
    assert answer["error"] == "Silent"


def test_an_error_with_a_very_long_text_is_shortened(inspected: Callable[..., Any]) -> None:
    answer = inspected(raising(Endless)).ask("send", machine="Odd", event="TIRED")
    assert answer["error"].startswith("Endless: xxx")
    assert len(answer["error"]) == 2_000


@define(eq=False)
class SaysNothing(FsmAction[Any]):
    """An action that cannot say what it waits for."""

    @property
    def waits_for(self) -> str:
        raise RuntimeError("no idea")


@pytest.mark.parametrize("name", ["Odd", "Fine"])
def test_an_unhandled_event_whose_reason_cannot_be_found_is_counted(
    inspected: Callable[..., Any], name: str
) -> None:
    odd = machine("Odd")
    odd.states["Go"].add_action(SaysNothing())
    odd.start()
    page = inspected(FsmGroup([machine("Fine"), odd]))
    page.ask("select", machine=name)
    odd.stop()
    odd.start()
    assert not odd.send_event(FINISHED)
    assert page.frame(lambda frame: frame["marks"])["marks"] == {"Odd": [0, 1]}


class Unreadable:
    def __getattribute__(self, name: str) -> Any:
        raise Silent


def test_a_log_point_about_an_error_without_a_text_names_the_error(
    inspected: Callable[..., Any],
) -> None:
    fsm = machine("Odd", {"health": 3})
    page = inspected(fsm)
    point = {"machine": "Odd", "kind": "event", "name": "TIRED", "text": "now {health}"}
    assert page.ask("set_breakpoint", **point)["ok"]
    fsm.context = Unreadable()
    assert fsm.send_event("TIRED")
    entry = page.frame(lambda f: any(e["kind"] == "log point" for e in f["log"]))["log"]
    assert [each["text"] for each in entry if each["kind"] == "log point"] == ["now Silent"]


class Turns:
    """Has two numbers, and begins again after the last one."""

    def __init__(self) -> None:
        self.numbers = [1.0, 2.0]

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> float:
        return self.numbers[index % 2]


class NoEnd(Mapping[int, int]):
    """A mapping without an end."""

    def __getitem__(self, key: int) -> int:
        return key

    def __iter__(self) -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    def __len__(self) -> int:
        return 5


def test_an_object_whose_indices_begin_again_does_not_hold_the_game_up(
    inspected: Callable[..., Any],
) -> None:
    frame = inspected(machine("Odd", Turns())).frame()
    assert frame["detail"]["context"] == [["numbers", "[1.0, 2.0]"]]


def test_a_mapping_without_an_end_does_not_hold_the_game_up(inspected: Callable[..., Any]) -> None:
    page = inspected(machine("Odd", NoEnd()))
    answer = page.ask("offer", machine="Odd", path=["context", "no such key"])
    assert "no public field 'no such key'" in answer["error"]


@pytest.mark.parametrize("value", [10**5000, -(2**53), (1, 2**53)], ids=["huge", "large", "pair"])
def test_a_whole_number_that_pages_cannot_keep_exactly_is_not_offered(
    inspected: Callable[..., Any], value: Any
) -> None:
    page = inspected(machine("Odd", {"seed": value}))
    answer = page.ask("offer", machine="Odd", path=["context", "seed"])
    assert answer["error"].startswith("seed cannot be edited: a page keeps integers exactly ")


@pytest.mark.parametrize(
    ("value", "offered"),
    [(float("nan"), None), (float("-inf"), None), ((1.0, float("nan")), [1.0, None])],
    ids=["nan", "inf", "pair"],
)
def test_a_number_that_json_does_not_have_is_offered_as_none(
    inspected: Callable[..., Any], value: Any, offered: Any
) -> None:
    page = inspected(machine("Odd", {"speed": value}))
    answer = page.ask("offer", machine="Odd", path=["context", "speed"])
    assert answer["offer"]["value"] == offered


@define(eq=False)
class GetsNowhere(FsmAction[Any]):
    """An action whose progress is not a number from 0 to 1."""

    progress: float


@pytest.mark.parametrize("progress", [float("nan"), float("inf"), -1.0])
def test_what_is_waited_for_says_nothing_of_an_impossible_progress(
    inspected: Callable[..., Any], progress: float
) -> None:
    fsm = machine("Odd")
    rest = fsm.states["Rest"]
    rest.add_action(GetsNowhere(progress))
    rest.add_transition(FINISHED, fsm.states["Go"])
    page = inspected(fsm)
    fsm.send_event("TIRED")
    detail = page.frame(lambda frame: frame["detail"]["state"] == "Rest")["detail"]
    assert [each["text"] for each in detail["waiting"][0]["actions"]] == ["GetsNowhere"]
