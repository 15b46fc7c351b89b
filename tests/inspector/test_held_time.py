"""The time of a hold is taken off the step that contains it, and off no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, nan
from random import Random
from time import monotonic
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmError
from fsmkit.inspector.live.pausing import HeldTime


def steps(held: HeldTime, *given: float) -> list[float]:
    return [round(held.without(dt), 6) for dt in given]


def test_the_next_step_is_shorter_by_the_time_of_the_hold() -> None:
    held = HeldTime()
    steps(held, 0.016, 0.016)
    held.add(3.0)
    assert steps(held, 3.017, 0.016, 0.5) == [0.017, 0.016, 0.5]


def test_a_step_that_was_measured_before_the_hold_stays_as_it_is() -> None:
    held = HeldTime()
    steps(held, 0.016)
    held.add(3.0)
    assert steps(held, 0.016, 3.016, 3.016) == [0.016, 0.016, 3.016]


def test_several_holds_add_up() -> None:
    held = HeldTime()
    steps(held, 0.016)
    held.add(1.0)
    held.add(2.0)
    assert steps(held, 3.02) == [0.02]


def test_a_hold_after_the_clock_was_asked_shows_in_the_step_after_the_next() -> None:
    held = HeldTime()
    steps(held, 0.016)
    held.add(1.0)
    held.add(2.0)
    assert steps(held, 1.016, 2.016, 2.016) == [0.016, 0.016, 2.016]


def test_a_game_that_caps_its_steps_or_slows_them_down_gets_an_ordinary_one() -> None:
    held = HeldTime()
    steps(held, 0.016)
    held.add(3.0)
    assert steps(held, 0.1) == [0.016]
    held.add(3.0)
    assert steps(held, 1.508) == [0.016]


@pytest.mark.parametrize("dt", [0.0, 1 / 60, 1.0, 5.0])
def test_fixed_steps_are_never_changed(dt: float) -> None:
    held = HeldTime()
    for _ in range(5):
        assert held.without(dt) == dt
        held.add(3.0)


def test_long_and_short_steps_by_turns_are_never_changed() -> None:
    held = HeldTime()
    for dt in (0.02, 0.1) * 5:
        assert held.without(dt) == dt
    for dt in (0.02, 0.1) * 5:
        held.add(0.05)
        assert held.without(dt) == dt


def test_steps_without_time_stay_so_and_the_first_with_time_is_shortened() -> None:
    held = HeldTime()
    steps(held, 0.0, 0.0)
    held.add(3.0)
    assert steps(held, 0.0, 3.016) == [0.0, 0.016]


@pytest.mark.parametrize("dt", [-1.0, nan, inf])
def test_an_invalid_step_is_left_to_the_machine(dt: float) -> None:
    held = HeldTime()
    steps(held, 0.016)
    held.add(3.0)
    assert repr(held.without(dt)) == repr(dt)
    assert steps(held, 3.016) == [0.016]


@pytest.mark.parametrize("seed", range(20))
def test_a_real_clock_does_not_leap_whenever_it_was_held(seed: int) -> None:
    chance, held = Random(seed), HeldTime()
    now = asked = 0.0
    for frame in range(300):
        now += chance.uniform(0.01, 0.02)
        dt, asked = now - asked, now
        between, inside = ((chance.random() < 0.1) * chance.uniform(0.1, 9.0) for _ in range(2))
        if between and frame:
            held.add(between)
        given = held.without(dt)
        if inside:
            held.add(inside)
        now += between * bool(frame) + inside
        assert 0.0 <= given <= min(dt, 0.04)


def hunter() -> Fsm[None]:
    fsm = Fsm[None]("Wolf")
    roam, hunt, rest = (fsm.add_state(name) for name in ("Roam", "Hunt", "Rest"))
    roam.add_transition("SMELLS", hunt)
    hunt.add_action(TimedWait(1000.0))
    hunt.add_transition(FINISHED, rest)
    fsm.start()
    return fsm


ORDINARY = 0.002


@pytest.mark.parametrize("release", ["resume", "step"])
@pytest.mark.parametrize("speed", [1.0, 0.5, 4.0])
def test_the_state_that_was_stopped_at_lasts_as_long_as_before(
    inspected: Callable[..., Any], release: str, speed: float
) -> None:
    fsm = hunter()
    held: list[float] = []

    def while_held() -> None:
        held.append(monotonic())
        if len(held) == 20:
            page.socket.send(json.dumps({"id": 99, "do": release}))

    page = inspected(fsm, while_held=while_held)
    page.update = lambda: fsm.update(ORDINARY)
    page.ask("speed", factor=speed)
    page.ask("break", machine="Wolf", kind="state", name="Hunt", on=True)
    for _ in range(20):
        page.update()
    before = monotonic()
    fsm.send_event("SMELLS")
    assert held[-1] - held[0] > 0.1
    after = monotonic()
    fsm.update(after - before)
    assert fsm.current_state is fsm.states["Hunt"]
    not_held = (held[0] - before) + (after - held[-1])  # longer on a busy machine
    assert fsm.time_in_state <= speed * max(not_held, ORDINARY) + 1e-6
    page.ask("pause")  # reads what the page was sent meanwhile


def test_a_step_of_the_wrong_type_is_refused_by_the_machine(inspected: Callable[..., Any]) -> None:
    fsm = hunter()
    inspected(fsm).ask("speed", factor=2.0)
    with pytest.raises((FsmError, TypeError, ValueError)) as bare:
        hunter().update("x")  # type: ignore[arg-type]
    with pytest.raises(type(bare.value), match="dt|x"):
        fsm.update("x")  # type: ignore[arg-type]
