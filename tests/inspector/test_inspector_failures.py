"""After an error the page says which action, guard or effect has raised it, and in which state."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from attrs import define, field

from actions import RunFsm, Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.inspector.live.watched_machine import StateStay, failures_of

BOOM = "ValueError: boom"


@define(eq=False)
class Fails(FsmAction[Any]):
    """An action that raises an error in one of its callbacks, and remembers its visits."""

    phase: str = ""
    visits: int = field(default=0, init=False)

    def on_enter(self) -> None:
        self.visits += 1
        self._maybe("on_enter")

    def on_update(self) -> None:
        self._maybe("on_update")

    def on_exit(self) -> None:
        self._maybe("on_exit")

    def _maybe(self, phase: str) -> None:
        if phase == self.phase:
            raise ValueError("boom")


def boom(_state: Any) -> bool:
    raise ValueError("boom")


def gun(*actions: FsmAction[Any], **more: Any) -> Fsm[None]:
    fsm = Fsm[None]("Gun", on_unhandled="ignore")
    idle, fire, safe = (fsm.add_state(name) for name in ("Idle", "Fire", "Safe"))
    for action in actions:
        fire.add_action(action)
    idle.add_transition("FIRE", fire, **more)
    fire.add_transition("REST", idle)
    fire.add_transition("LOCK", safe, suspend=True)
    safe.add_transition("UNLOCK", BACK)
    fsm.start()
    return fsm


def send(fsm: Fsm[Any], event: str) -> None:
    with suppress(ValueError):
        fsm.send_event(event)


def update(fsm: Fsm[Any]) -> Callable[[], None]:
    def attempt() -> None:
        with suppress(ValueError):
            fsm.update(1 / 64)

    return attempt


def detail(page: Any, wanted: Callable[[Any], object] = lambda _: True) -> Any:
    return page.frame(lambda frame: frame["detail"] and wanted(frame["detail"]))["detail"]


def errors(shown: Any) -> list[str | None]:
    return [row.get("error") for row in shown["actions"] if "name" in row]


def test_the_action_that_raised_on_entering_is_marked_and_the_next_shows_no_memory(
    inspected: Callable[..., Any],
) -> None:
    first, second = Fails(), TimedWait(0.2)
    fsm = gun(first, second)
    page = inspected(fsm)
    fsm.send_event("FIRE")
    for _ in range(20):
        page.update()
    detail(page, lambda shown: shown["state"] == "Fire" and shown["actions"][1]["finished"])
    fsm.send_event("REST")
    first.phase = "on_enter"
    send(fsm, "FIRE")
    shown = detail(page, lambda shown: shown["failed"])
    assert shown["failed"] == ["Gun__Fire"]
    assert errors(shown) == [BOOM, None]
    assert [(row["values"], row["progress"], row["entered"]) for row in shown["actions"]] == [
        ([], None, False), ([], None, False),
    ]  # fmt: skip
    first.phase = ""
    send(fsm, "REST")
    assert detail(page, lambda shown: shown["state"] == "Idle")["failed"] == []


@pytest.mark.parametrize("phase", ["on_enter", "on_update"])
def test_a_state_stays_failed_while_it_is_suspended_and_until_it_is_entered_again(
    inspected: Callable[..., Any], phase: str
) -> None:
    action = Fails(phase)
    fsm = gun(action)
    page = inspected(fsm)
    page.update = update(fsm)
    send(fsm, "FIRE")
    detail(page, lambda shown: shown["failed"])
    action.phase = ""
    fsm.send_event("LOCK")
    shown = detail(page, lambda shown: shown["state"] == "Safe")
    assert (shown["failed"], shown["dashed"], shown["actions"]) == (
        ["Gun__Fire"],
        ["Gun__Fire"],
        [],
    )
    fsm.send_event("UNLOCK")
    assert errors(detail(page, lambda shown: shown["state"] == "Fire")) == [BOOM]
    fsm.send_event("REST")
    fsm.send_event("FIRE")
    assert detail(page, lambda shown: not shown["failed"])["state"] == "Fire"


def test_an_error_on_exit_marks_the_state_that_was_left_until_the_next_change(
    inspected: Callable[..., Any],
) -> None:
    fsm = gun(Fails("on_exit"))
    page = inspected(fsm)
    fsm.send_event("FIRE")
    send(fsm, "REST")
    shown = detail(page, lambda shown: shown["failed"])
    assert (shown["state"], shown["failed"]) == ("Idle", ["Gun__Fire"])
    assert shown["failures"] == [f"{BOOM} (Fire, actions[0] (Fails), on_exit)"]
    send(fsm, "FIRE")
    assert detail(page, lambda shown: shown["state"] == "Fire")["failed"] == []


@pytest.mark.parametrize("kind", ["when", "do"])
def test_an_error_of_a_guard_or_an_effect_is_shown_with_the_state(
    inspected: Callable[..., Any], kind: str
) -> None:
    fsm = gun(**{kind: boom})
    page = inspected(fsm)
    send(fsm, "FIRE")
    shown = detail(page, lambda shown: shown["failed"])
    assert shown["failed"] == ["Gun__Idle"]
    [text] = shown["failures"]
    assert text.startswith(f"{BOOM} (Idle, transition for 'FIRE', ")


def test_an_error_of_a_child_marks_it_and_those_around_it(inspected: Callable[..., Any]) -> None:
    fsm = gun(Sequence(TimedWait(0.02), Fails("on_enter")), TimedWait(9.0))
    page = inspected(fsm)
    page.update = update(fsm)
    fsm.send_event("FIRE")
    assert errors(detail(page, lambda shown: shown["failed"])) == ["", None, BOOM, None]


def test_an_error_in_a_nested_machine_marks_both_states(inspected: Callable[..., Any]) -> None:
    inner = gun(Fails("on_update"))
    inner.stop()
    outer = Fsm[None]("Man")
    outer.add_state("Armed").add_action(RunFsm(inner))
    outer.start()
    page = inspected(outer)
    page.update = update(outer)
    inner.send_event("FIRE")
    shown = detail(page, lambda shown: len(shown["failed"]) > 1)
    assert sorted(shown["failed"]) == ["Man_2f_Gun__Fire", "Man__Armed"]
    assert errors(shown) == [BOOM, BOOM]


def test_several_errors_of_one_call_are_told_apart() -> None:
    first, second = Fails("on_exit"), Fails("on_exit")
    fsm = gun(first, second)
    fsm.send_event("FIRE")
    with pytest.raises(BaseExceptionGroup) as raised:
        fsm.send_event("REST")
    found = [*failures_of(fsm, raised.value)]
    assert [(each.state, each.places) for each in found] == [("Fire", ["0"]), ("Fire", ["1"])]
    stay = StateStay(lambda: None)
    stay.add_failures(fsm, raised.value)
    assert [place for each in stay.failures.values() for place in each.places] == ["0", "1"]


def test_an_error_that_is_handled_marks_nothing(inspected: Callable[..., Any]) -> None:
    fsm = gun(Fails("on_enter"))
    fsm.states["Fire"].add_transition("ERROR", fsm.states["Safe"])
    page = inspected(fsm)
    fsm.send_event("FIRE")
    assert detail(page, lambda shown: shown["state"] == "Safe")["failed"] == []


@pytest.mark.slow
def test_a_long_error_is_cut(inspected: Callable[..., Any]) -> None:
    class Talks(FsmAction[Any]):
        def on_enter(self) -> None:
            raise ValueError("x" * 100_000)

    fsm = gun(Talks())
    page = inspected(fsm)
    send(fsm, "FIRE")
    shown = detail(page, lambda shown: shown["failed"])
    assert len(shown["actions"][0]["error"]) < 200
    [text] = [e["text"] for frame in page.frames for e in frame["log"] if e["kind"] == "error"]
    assert len(text) <= 2_000
