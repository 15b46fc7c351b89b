"""Tween: any attribute, from one value to another."""

from copy import deepcopy
from math import inf, nan
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.easing import ease_out_back
from actions.tween import Tween
from fsmkit import FINISHED, Fsm, TimeReference
from fsmkit.recording import restore, snapshot
from fsmkit.testing import drive


def started(tween: Tween) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(tween)
    fsm.start()
    return fsm


def test_goes_evenly_from_start_to_end() -> None:
    lamp = SimpleNamespace(brightness=7.0)
    tween = Tween(lamp, "brightness", 0.0, 1.0, 2.0)
    fsm = started(tween)
    seen = [lamp.brightness]
    for _ in range(4):
        fsm.update(0.5)
        seen.append(lamp.brightness)
    assert (seen, tween.finished) == ([0.0, 0.25, 0.5, 0.75, 1.0], True)


def test_a_mapping_has_keys() -> None:
    sound = {"volume": 1.0, 3: 5.0}
    drive(started(Tween(sound, "volume", None, 0.0, 2.0)), [1])
    drive(started(Tween(sound, 3, None, 10.0, 2.0)), [1])
    assert sound == {"volume": 0.5, 3: 7.5}


@pytest.mark.parametrize(("duration", "dts"), [(0.0, []), (1e-9, [1e-12]), (0.3, [0.1, 1e12])])
def test_ends_exactly_at_the_end(duration: float, dts: list[float]) -> None:
    lamp = SimpleNamespace(brightness=0.1)
    tween = Tween(lamp, "brightness", None, 1e9 / 3, duration, easing=ease_out_back)
    drive(started(tween), dts)
    assert (lamp.brightness, tween.finished) == (1e9 / 3, True)


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 0.4), max_size=20))
def test_is_the_same_at_every_frame_rate(dts: list[float]) -> None:
    lamp = SimpleNamespace(brightness=0.0)
    drive(started(Tween(lamp, "brightness", None, 5.0, 10.0)), dts)
    assert lamp.brightness == pytest.approx(min(10.0, sum(dts)) / 2)


def test_tuples_and_arrays_blend_number_by_number() -> None:
    shape = SimpleNamespace(size=(1.0, 2.0), pose=np.zeros(3))
    end = np.array([2.0, 4.0, 8.0])
    drive(started(Tween(shape, "size", None, (3.0, 0.0), 2.0)), [1])
    fsm = started(Tween(shape, "pose", None, end, 2.0))
    end += 100.0
    drive(fsm, [1])
    assert (shape.size, shape.pose.tolist()) == ((2.0, 1.0), [1.0, 2.0, 4.0])


def test_every_visit_starts_from_the_present_value() -> None:
    lamp = SimpleNamespace(brightness=0.0)
    ends = iter([8.0, 0.0])
    fsm = started(Tween(lamp, "brightness", None, lambda: next(ends), 1.0))
    drive(fsm, [0.5])
    first = lamp.brightness
    drive(fsm, [fsm.start, 0.25])
    assert (first, lamp.brightness) == (4.0, 3.0)


def test_between_equal_ends_it_finishes_on_enter() -> None:
    lamp = SimpleNamespace(brightness=1.0)
    tween = Tween(lamp, "brightness", None, 1.0, 9.0)
    started(tween)
    assert tween.finished


# Several times, and there and back


def course(tween: Tween, lamp: Any, dts: list[float]) -> list[float]:
    """The values on enter and after each update."""
    fsm = started(tween)
    seen = [lamp.brightness]
    for dt in dts:
        fsm.update(dt)
        seen.append(lamp.brightness)
    return seen


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0, 4, 8, 8, 8, 8, 8]),
        ({"repeat": False}, [0, 4, 8, 8, 8, 8, 8]),
        ({"repeat": 2}, [0, 4, 0, 4, 8, 8, 8]),
        ({"repeat": True}, [0, 4, 0, 4, 0, 4, 0]),
        ({"repeat": inf}, [0, 4, 0, 4, 0, 4, 0]),
        ({"yoyo": True}, [0, 4, 8, 4, 0, 0, 0]),
        ({"yoyo": True, "repeat": 2}, [0, 4, 8, 4, 0, 4, 8, 4, 0, 0]),
        ({"yoyo": True, "repeat": True}, [0, 4, 8, 4, 0, 4, 8, 4, 0, 4]),
    ],
    ids=str,
)
def test_repeats_and_turns_back_at_exactly_its_ends(
    options: dict[str, Any], expected: list[float]
) -> None:
    lamp = SimpleNamespace(brightness=3.0)
    tween = Tween(lamp, "brightness", 0.0, 8.0, 0.2, **options)
    assert course(tween, lamp, [0.1] * (len(expected) - 1)) == pytest.approx(expected)
    exact = [value for value in expected if value != 4]
    lamp.brightness = 3.0
    seen = course(Tween(lamp, "brightness", 0.0, 8.0, 0.2, **options), lamp, [0.1] * 9)
    assert {value for value in seen if abs(value - 4) > 1} == set(exact)


TIMES = st.integers(1, 5)


@given(
    TIMES, st.booleans(), st.lists(st.floats(0.0, 1.5), max_size=20), st.sampled_from([1.0, 0.3])
)
def test_the_course_is_the_same_at_every_frame_rate(
    times: int, yoyo: bool, dts: list[float], length: float
) -> None:
    lamp = SimpleNamespace(brightness=0.0)
    tween = Tween(lamp, "brightness", 0.0, 1.0, length, repeat=times, yoyo=yoyo)
    course(tween, lamp, dts)
    passed, total = sum(dts), length * times * (2 if yoyo else 1)
    assert tween.finished == (passed >= total - 1e-9)
    if tween.finished:
        assert lamp.brightness == (0.0 if yoyo else 1.0)
    elif yoyo:
        assert lamp.brightness == pytest.approx(abs((passed / length + 1) % 2 - 1), abs=1e-6)
    else:
        share = passed / length % 1.0
        assert min(abs(lamp.brightness - end) for end in (share, share - 1, share + 1)) < 1e-6
    assert tween.progress == pytest.approx(min(1.0, passed / total))


def test_the_way_back_is_the_way_there_in_reverse() -> None:
    lamp = SimpleNamespace(brightness=0.0)
    tween = Tween(lamp, "brightness", 0.0, 1.0, 1.0, easing=ease_out_back, yoyo=True, repeat=True)
    seen = course(tween, lamp, [0.125] * 16)
    assert seen[8] == 1.0
    assert seen[:8] == pytest.approx(seen[16:8:-1])


def test_every_time_begins_at_the_same_start() -> None:
    lamp = SimpleNamespace(brightness=3.0)
    tween = Tween(lamp, "brightness", None, lambda: 8.0, 0.5, repeat=2)
    assert course(tween, lamp, [0.25] * 4) == [3.0, 5.5, 3.0, 5.5, 8.0]


def test_a_long_update_goes_as_far_as_many_short_ones() -> None:
    lamp = SimpleNamespace(brightness=0.0)
    course(Tween(lamp, "brightness", 0.0, 1.0, 1.0, repeat=True, yoyo=True), lamp, [1001.25])
    assert lamp.brightness == pytest.approx(0.75)


def test_the_rest_of_the_step_is_handed_on() -> None:
    lamp = SimpleNamespace(brightness=0.0)
    fsm = Fsm("M", carry_time=True)
    first, second = fsm.add_state("A"), fsm.add_state("B")
    slow = TimeReference("slow", 0.5)
    first.add_action(Tween(lamp, "brightness", 0.0, 1.0, 0.5, repeat=2, yoyo=True, time=slow))
    rest = second.add_action(Tween(lamp, "brightness", 10.0, 20.0, 1.0))
    first.add_transition(FINISHED, second)
    fsm.start()
    fsm.update(4.25)
    assert (rest.elapsed, lamp.brightness) == (0.25, 12.5)


@pytest.mark.parametrize(
    ("options", "finishes", "waits_for"),
    [
        ({}, "in time", "75 % of 2.0 s"),
        ({"repeat": 2}, "in time", "37 % of 4.0 s"),
        ({"repeat": 2, "yoyo": True}, "in time", "18 % of 8.0 s"),
        ({"repeat": True}, "never", "which never finishes by itself"),
    ],
    ids=str,
)
def test_says_whether_it_finishes_and_how_far_it_is(
    options: dict[str, Any], finishes: str, waits_for: str
) -> None:
    lamp = SimpleNamespace(brightness=0.0)
    tween = Tween(lamp, "brightness", 0.0, 1.0, 2.0, **options)
    course(tween, lamp, [1.5])
    assert (tween.finishes, tween.waits_for) == (finishes, waits_for)


@pytest.mark.parametrize("yoyo", [False, True])
@pytest.mark.parametrize(("end", "duration"), [(0.0, 2.0), (8.0, 0.0), (8.0, 1e-300), (8.0, 1e300)])
def test_for_ever_never_finishes_whatever_it_has_to_do(
    end: float, duration: float, yoyo: bool
) -> None:
    lamp = SimpleNamespace(brightness=0.0)
    tween = Tween(lamp, "brightness", 0.0, end, duration, repeat=True, yoyo=yoyo)
    course(tween, lamp, [0.0, 1.0, 1e9])
    assert (tween.finishes, tween.finished) == ("never", False)


@pytest.mark.parametrize("repeat", [True, 3])
def test_goes_on_after_a_snapshot_and_in_a_copy(repeat: int) -> None:
    lamp, other = {"brightness": 0.0}, {"brightness": 0.0}
    options: dict[str, Any] = {"repeat": repeat, "yoyo": True}
    fsm = started(Tween(lamp, "brightness", 2.0, 4.0, 1.0, **options))
    fsm.update(2.75)
    copy = deepcopy(fsm)
    restored = started(Tween(other, "brightness", 2.0, 4.0, 1.0, **options))
    restore(restored, snapshot(fsm))
    for each in (fsm, copy, restored):
        each.update(0.75)
    [tween] = copy.states["A"].actions
    assert isinstance(tween, Tween)
    assert (lamp, tween.target, other) == ({"brightness": 3.0},) * 3


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (0.0, []),
        (0.0, (1.0,)),
        ([1.0], 0.0),
        (("a", "b"), (1, 2)),
        (0.0, "x"),
        pytest.param(10**400, 0.0, id="huge"),
    ],
)
def test_there_must_be_something_between_the_ends(start: Any, end: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^Tween: .* that has values between"):
        Tween({"x": 1.0}, "x", start, end, 1.0)


@pytest.mark.parametrize("repeat", [0, -1, 1.5, "2", None, -inf, nan, 10**400, np.array([1, 2])])
def test_a_number_of_times_is_a_whole_one_from_1_on(repeat: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="repeat must be a number of times >= 1, or"):
        Tween({"x": 1.0}, "x", None, 0.0, 1.0, repeat=repeat)


def test_goes_by_its_time_reference_and_sends_its_finish_event() -> None:
    lamp = SimpleNamespace(brightness=0.0)
    slow = TimeReference("slow", 0.5)
    fsm = started(Tween(lamp, "brightness", None, 4.0, 1.0, finish_event="LIT", time=slow))
    fsm.states["A"].add_transition("LIT", fsm.add_state("B"))
    fsm.update(1)
    half = lamp.brightness
    assert drive(fsm, [1])[1:3] == ["Tween finished", "event LIT: changed"]
    assert (half, lamp.brightness) == (2.0, 4.0)


@pytest.mark.parametrize(
    ("target", "end", "error", "message"),
    [
        (SimpleNamespace(x=1), 1.0, AttributeError, r"has no attribute 'brightness'\. Set it"),
        ({"x": 1}, 1.0, KeyError, r"has no key 'brightness'\. Add it"),
        (SimpleNamespace(brightness="dim"), "bright", TypeError, "got 'bright' and 'bright'"),
        (SimpleNamespace(brightness=None), 1.0, TypeError, "got None and 1.0. Register"),
        (SimpleNamespace(brightness=(1.0, 2.0)), (1.0,), ValueError, "same number of axes"),
        (MappingProxyType({"brightness": 1.0}), 0.0, TypeError, "item assignment"),
    ],
)
def test_what_cannot_be_done_is_an_error_on_enter(
    target: Any, end: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        started(Tween(target, "brightness", None, end, 1.0))
