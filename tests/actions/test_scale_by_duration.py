"""ScaleByDuration: from one size to another."""

from typing import Any

import pytest
from pyglm import glm

from actions.scale_by_duration import ScaleByDuration
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive


def started(scale: ScaleByDuration) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(scale)
    fsm.start()
    return fsm


def test_goes_evenly_from_start_to_end() -> None:
    thing = Transform()
    scale = ScaleByDuration(thing, 0.0, 2.0, 2.0)
    fsm = started(scale)
    sizes = [thing.scale]
    for _ in range(2):
        fsm.update(1)
        sizes.append(thing.scale)
    assert (sizes, scale.finished) == ([0.0, 1.0, 2.0], True)


@pytest.mark.parametrize(("duration", "dts"), [(0.0, []), (1e-9, [1e-12]), (0.3, [0.1, 1e12])])
def test_ends_exactly_at_the_end(duration: float, dts: list[float]) -> None:
    thing = Transform(scale=0.1)
    scale = ScaleByDuration(thing, None, 1e3 / 3, duration)
    drive(started(scale), dts)
    assert (thing.scale, scale.finished) == (1e3 / 3, True)


@pytest.mark.parametrize(
    ("now", "end", "half"),
    [
        ((1.0, 2.0), (3.0, 4.0), (2.0, 3.0)),
        (1.0, (3.0, 5.0), (2.0, 3.0)),
        ((1.0, 2.0), 3.0, (2.0, 2.5)),
        (glm.vec3(1, 2, 3), 3, glm.vec3(2, 2.5, 3)),
    ],
)
def test_a_number_is_a_size_on_every_axis(now: Any, end: Any, half: Any) -> None:
    thing = Transform(scale=now)
    drive(started(ScaleByDuration(thing, None, end, 2.0)), [1])
    assert thing.scale == half


def test_every_visit_starts_from_the_present_size() -> None:
    thing = Transform(scale=1.0)
    fsm = started(ScaleByDuration(thing, None, lambda: 9.0, 1.0))
    drive(fsm, [0.5, fsm.start, 0.5])
    assert thing.scale == 7.0


def test_between_equal_ends_it_finishes_on_enter() -> None:
    scale = ScaleByDuration(Transform(scale=2.0), None, 2.0, 9.0)
    started(scale)
    assert scale.finished


def test_self_space_is_relative_to_the_parent() -> None:
    thing = Transform(scale=4.0, parent=Transform(scale=2.0))
    drive(started(ScaleByDuration(thing, None, 4.0, 2.0, space=Space.SELF)), [1])
    assert (thing.local_scale, thing.scale) == (3.0, 6.0)


def test_it_uses_its_time_reference_and_sends_its_finish_event() -> None:
    thing = Transform()
    slow = TimeReference("slow", 0.5)
    fsm = started(ScaleByDuration(thing, None, 3.0, 1.0, finish_event="BIG", time=slow))
    fsm.states["A"].add_transition("BIG", fsm.add_state("B"))
    fsm.update(1)
    half = thing.scale
    assert drive(fsm, [1])[1:3] == ["ScaleByDuration finished", "event BIG: changed"]
    assert (half, thing.scale) == (2.0, 3.0)
