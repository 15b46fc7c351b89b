"""SetColorByDuration: from one colour to another."""

from types import SimpleNamespace
from typing import Any

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.easing import ease_out_elastic
from actions.set_color_by_duration import SetColorByDuration
from fsmkit import Fsm, TimeReference
from fsmkit.testing import drive

BYTES = st.tuples(*[st.integers(0, 255)] * 3)


def started(color: SetColorByDuration) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(color)
    fsm.start()
    return fsm


def test_integers_are_rounded_to_integers() -> None:
    lamp = SimpleNamespace(color=(255, 0, 100))
    color = SetColorByDuration(lamp, None, (0, 255, 100), 2.0)
    fsm = started(color)
    seen = [lamp.color]
    for _ in range(2):
        fsm.update(1)
        seen.append(lamp.color)
    assert seen == [(255, 0, 100), (128, 128, 100), (0, 255, 100)]
    assert {type(number) for shade in seen for number in shade} == {int}
    assert color.finished


def test_other_numbers_are_not_rounded() -> None:
    lamp = SimpleNamespace(color=(1.0, 0.0, 0.0, 1))
    drive(started(SetColorByDuration(lamp, None, (0.0, 1.0, 0.0, 0), 2.0)), [0.5])
    assert lamp.color == (0.75, 0.25, 0.0, 0.75)


@given(BYTES, BYTES, st.floats(0.0, 1.0))
def test_easing_does_not_lead_beyond_the_ends(
    start: tuple[int, ...], end: tuple[int, ...], share: float
) -> None:
    lamp = SimpleNamespace(color=start)
    drive(started(SetColorByDuration(lamp, None, end, 1.0, easing=ease_out_elastic)), [share])
    for number, a, b in zip(lamp.color, start, end, strict=True):
        assert min(a, b) <= number <= max(a, b)


@pytest.mark.parametrize(("duration", "dts"), [(0.0, []), (1e-9, [1e-12]), (0.3, [0.1, 1e12])])
def test_ends_exactly_at_the_end(duration: float, dts: list[float]) -> None:
    lamp = SimpleNamespace(color=(0.1, 0.2, 0.3))
    color = SetColorByDuration(lamp, None, (0.7, 1 / 3, 0.9), duration)
    drive(started(color), dts)
    assert (lamp.color, color.finished) == ((0.7, 1 / 3, 0.9), True)


def test_colors_of_pygame_stay_such() -> None:
    lamp = SimpleNamespace(color=pygame.Color(255, 0, 0))
    drive(started(SetColorByDuration(lamp, None, (0, 0, 255, 255), 2.0)), [1])
    assert lamp.color == pygame.Color(128, 0, 128, 255)
    assert isinstance(lamp.color, pygame.Color)


def test_attribute_may_be_another_one_or_a_key() -> None:
    lamp = SimpleNamespace(tint=(0, 0, 0))
    style = {"color": (0, 0, 0)}
    drive(started(SetColorByDuration(lamp, None, (10, 20, 30), 2.0, attribute="tint")), [1])
    drive(started(SetColorByDuration(style, None, (10, 20, 30), 2.0)), [1])
    assert (lamp.tint, style) == ((5, 10, 15), {"color": (5, 10, 15)})


def test_every_visit_starts_from_the_present_color() -> None:
    lamp = SimpleNamespace(color=(0, 0, 0))
    fsm = started(SetColorByDuration(lamp, None, lambda: (100, 200, 80), 1.0))
    drive(fsm, [0.5, fsm.start, 0.5])
    assert lamp.color == (75, 150, 60)


def test_between_equal_ends_it_finishes_on_enter() -> None:
    color = SetColorByDuration(SimpleNamespace(color=(1, 2, 3)), None, (1, 2, 3), 9.0)
    started(color)
    assert color.finished


def test_it_uses_its_time_reference_and_sends_its_finish_event() -> None:
    lamp = SimpleNamespace(color=(0, 0, 0))
    slow = TimeReference("slow", 0.5)
    fsm = started(SetColorByDuration(lamp, None, (8, 8, 8), 1.0, finish_event="LIT", time=slow))
    fsm.states["A"].add_transition("LIT", fsm.add_state("B"))
    fsm.update(1)
    half = lamp.color
    assert drive(fsm, [1])[1:3] == ["SetColorByDuration finished", "event LIT: changed"]
    assert (half, lamp.color) == ((4, 4, 4), (8, 8, 8))


@pytest.mark.parametrize(
    ("target", "end", "error", "message"),
    [
        (SimpleNamespace(), (0, 0, 0), AttributeError, "has no attribute 'color'"),
        ({}, (0, 0, 0), KeyError, "has no key 'color'"),
        (SimpleNamespace(color=(0, 0, 0)), "red", TypeError, "vector of numbers, got 'red'"),
        (SimpleNamespace(color=(0, 0, 0)), (0, 0, 0, 0), ValueError, "same number of axes"),
    ],
)
def test_what_cannot_be_done_is_an_error_on_enter(
    target: Any, end: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        started(SetColorByDuration(target, None, end, 1.0))
