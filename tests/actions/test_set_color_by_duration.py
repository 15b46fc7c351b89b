"""SetColorByDuration: from one colour to another."""

from types import SimpleNamespace
from typing import Any

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from actions.easing import ease_out_elastic
from actions.set_color_by_duration import SetColorByDuration
from actions.tween import Tween
from fsmkit import Fsm, TimeReference
from fsmkit.testing import drive

pygame = pytest.importorskip("pygame")

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
        (SimpleNamespace(color=(0, 0, 0)), 3, TypeError, r"A colour must be a tuple .* got 3\.$"),
        (SimpleNamespace(color=(0, 0, 0)), "red", TypeError, "vector of numbers, got 'red'"),
        (SimpleNamespace(color=(0, 0, 0)), "#ff0000", TypeError, "Write its numbers, as"),
        (SimpleNamespace(color=(0, 0, 0)), "255", TypeError, "Write its numbers, as"),
        (
            SimpleNamespace(color=(0, 0, 0)),
            (9, 8, 7, 0),
            ValueError,
            r"color of namespace.* has no alpha, got \(9, 8, 7, 0\)\. Give three: \(9, 8, 7\)\.",
        ),
        (
            {"color": [0, 0, 0]},
            pygame.Color("red"),
            ValueError,
            r"has no alpha, got .*Give three: \(255, 0, 0\)\.",
        ),
        (SimpleNamespace(color=(0, 0, 0)), (0, 0), ValueError, "same number of components, got"),
    ],
)
def test_what_cannot_be_done_is_an_error_on_enter(
    target: Any, end: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        started(SetColorByDuration(target, None, end, 1.0))


# Alpha


class Sprite:
    """A thing as those of the engines: three numbers, and the alpha beside them."""

    def __init__(self) -> None:
        self.color: Any = (255, 255, 255)
        self.alpha = 100


@every("start", [None, (10, 20, 30), (10, 20, 30, 128), lambda: [10, 20, 30]])
@every("end", [(0, 0, 0), (0, 0, 0, 128), lambda: (0, 0, 0)])
def test_where_no_end_has_alpha_the_fourth_number_stays_as_it_is(start: Any, end: Any) -> None:
    lamp = SimpleNamespace(color=(10, 20, 30, 128))
    fsm = started(SetColorByDuration(lamp, start, end, 1.0))
    seen = [tuple(lamp.color)]
    for _ in range(2):
        fsm.update(0.5)
        seen.append(tuple(lamp.color))
    assert seen == [(10, 20, 30, 128), (5, 10, 15, 128), (0, 0, 0, 128)]


def test_alpha_is_taken_along_where_the_thing_has_it_beside_the_color() -> None:
    sprite = Sprite()
    fsm = started(SetColorByDuration(sprite, None, pygame.Color(255, 0, 55, 200), 2.0))
    seen = [(sprite.color, sprite.alpha)]
    for _ in range(2):
        fsm.update(1)
        seen.append((sprite.color, sprite.alpha))
    assert seen == [
        ((255, 255, 255), 100),
        ((255, 128, 155), 150),
        ((255, 0, 55), 200),
    ]


def test_so_it_is_under_keys() -> None:
    style = {"color": [0, 0, 0], "alpha": 0.0}
    drive(started(SetColorByDuration(style, None, [1.0, 0.5, 0.0, 1.0], 2.0)), [1])
    assert style == {"color": [0.5, 0.25, 0.0], "alpha": 0.5}


@pytest.mark.parametrize("make", [tuple, list, lambda numbers: pygame.Color(*numbers)])
def test_three_numbers_leave_the_alpha_as_it_is(make: Any) -> None:
    lamp = SimpleNamespace(color=make((0, 0, 0, 77)))
    fsm = started(SetColorByDuration(lamp, None, (100, 50, 0), 2.0))
    drive(fsm, [1])
    half = lamp.color
    drive(fsm, [1])
    assert (half, lamp.color) == (make((50, 25, 0, 77)), make((100, 50, 0, 77)))
    assert type(lamp.color) is type(make((0, 0, 0, 77)))


@pytest.mark.parametrize(
    ("start", "end"), [((0, 0, 0), (200, 100, 0, 200)), ((0, 0, 0, 100), (200, 100, 0))]
)
def test_ends_of_three_and_four_numbers_may_be_mixed(start: Any, end: Any) -> None:
    sprite = Sprite()
    drive(started(SetColorByDuration(sprite, start, end, 2.0)), [1])
    assert sprite.color == (100, 50, 0)
    assert sprite.alpha == (150 if len(end) == 4 else 100)


def test_ends_of_functions_may_be_mixed_too() -> None:
    sprite = Sprite()
    drive(started(SetColorByDuration(sprite, None, lambda: (0, 0, 0, 0), 1.0)), [1])
    drive(started(SetColorByDuration(sprite, None, lambda: (10, 20, 30), 1.0)), [1])
    assert (sprite.color, sprite.alpha) == ((10, 20, 30), 0)


def test_colors_of_arcade_stay_such() -> None:
    arcade = pytest.importorskip("arcade")
    lamp = SimpleNamespace(color=arcade.color.WHITE)
    drive(started(SetColorByDuration(lamp, None, arcade.color.RED, 2.0)), [1])
    drive(started(SetColorByDuration(lamp, None, (255, 128, 128), 2.0)), [1])
    assert (lamp.color, type(lamp.color)) == ((255, 128, 128, 255), type(arcade.color.RED))


@pytest.mark.parametrize(
    ("color", "end", "hint"),
    [
        ((0, 0, 0), (1, 2, 3, 4), "For colours with alpha use SetColorByDuration"),
        ((0, 0, 0, 0), [1, 2, 3], "For colours with alpha use SetColorByDuration"),
        ((0, 0, 0), "red", "Write its numbers, as"),
    ],
)
def test_a_tween_says_what_knows_colors(color: Any, end: Any, hint: str) -> None:
    with pytest.raises((TypeError, ValueError), match=hint):
        started(Tween(SimpleNamespace(color=color), "color", None, end, 1.0))
