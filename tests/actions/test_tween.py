"""Tween: any attribute, from one value to another."""

from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.easing import ease_out_back
from actions.tween import Tween
from fsmkit import Fsm, TimeReference
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
