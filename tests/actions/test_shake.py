"""Shake: ever less, and back exactly to where it began."""

from copy import deepcopy
from itertools import pairwise
from math import hypot, inf, nan
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions import MoveConstantly, Shake
from fsmkit import BACK, FINISHED, Fsm, FsmAction, TimeReference
from fsmkit.recording import restore, snapshot
from fsmkit.space import Space, Transform, distance
from fsmkit.testing import drive

HOME = (0.1, 1e3 / 3)


def started(*actions: FsmAction) -> Fsm:
    """A (with the actions) -> Rest on REST, suspended on PAUSE."""
    fsm = Fsm("M")
    a, paused, rest = map(fsm.add_state, ("A", "Paused", "Rest"))
    for action in actions:
        a.add_action(action)
    a.add_transition("PAUSE", paused, suspend=True)
    a.add_transition("REST", rest)
    paused.add_transition("GO ON", BACK)
    fsm.start()
    return fsm


@given(st.integers(0, 100), st.lists(st.floats(0.0, 0.5), max_size=20), st.floats(0.0, 50.0))
def test_it_stays_within_its_amplitude_and_ends_exactly_where_it_began(
    seed: int, dts: list[float], amplitude: float
) -> None:
    camera = Transform(HOME)
    shake = Shake(camera, amplitude, 2.0, Random(seed))
    fsm = started(shake)
    for dt in dts:
        assert distance(camera.position, HOME) <= amplitude + 1e-9
        fsm.update(dt)
    drive(fsm, [2.0])
    assert (camera.position, shake.finished) == (HOME, True)


def test_it_really_shakes_and_ever_less() -> None:
    camera = Transform((0.0, 0.0))
    fsm = started(Shake(camera, 8.0, 1.0, Random(1)))
    far = []
    for _ in range(60):
        fsm.update(1 / 60)
        far.append(hypot(*camera.position))
    quarters = [max(far[i : i + 15]) for i in range(0, 60, 15)]
    assert all(before > after for before, after in pairwise(quarters))
    assert quarters[0] > 2.0


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 0.3), max_size=10))
def test_the_course_is_the_same_at_every_frame_rate(dts: list[float]) -> None:
    places = []
    for frames in (dts, [sum(dts)]):
        camera = Transform((0.0, 0.0))
        drive(started(Shake(camera, 8.0, 5.0, Random(1))), frames)
        places.append(camera.position)
    assert places[0] == pytest.approx(places[1], abs=1e-6)


def test_the_dice_decide_and_without_them_all_are_alike() -> None:
    def after(rng: Random | None) -> Any:
        camera = Transform((0.0, 0.0))
        drive(started(Shake(camera, 8.0, 1.0, rng)), [0.1])
        return camera.position

    assert after(Random(1)) == after(Random(1)) != after(Random(2))
    assert after(None) == after(None)


def test_without_easing_it_calms_down_evenly() -> None:
    camera = Transform(HOME)
    fsm = started(Shake(camera, 8.0, 1.0, frequency=0.0, easing=None))
    offsets = []
    for _ in range(4):
        offsets.append(camera.position[1] - HOME[1])
        fsm.update(0.25)
    assert offsets == pytest.approx([offsets[0] * left for left in (1.0, 0.75, 0.5, 0.25)])
    assert offsets[0] != 0.0


def test_the_axes_have_amplitudes_of_their_own() -> None:
    camera = Transform((1.0, 2.0, 3.0))
    fsm = started(Shake(camera, lambda: (0.0, 4.0, 0.0), lambda: 1.0, frequency=lambda: 5.0))
    heights = set()
    for _ in range(8):
        fsm.update(0.1)
        heights.add(camera.position[1])
        assert (camera.position[0], camera.position[2]) == (1.0, 3.0)
    assert len(heights) == 8
    assert all(abs(height - 2.0) <= 4.0 for height in heights)


@pytest.mark.parametrize("leave", [lambda fsm: fsm.stop(), lambda fsm: fsm.send_event("REST")])
def test_when_the_state_is_exited_it_is_back_as_well(leave: Any) -> None:
    camera = Transform(HOME)
    fsm = started(Shake(camera, 8.0, 1.0))
    fsm.update(0.1)
    moved = camera.position != HOME
    leave(fsm)
    assert (moved, camera.position) == (True, HOME)


def test_while_suspended_it_is_at_its_place_and_then_goes_on() -> None:
    camera = Transform(HOME)
    shake = Shake(camera, 8.0, 1.0)
    fsm = started(shake)
    fsm.update(0.1)
    fsm.send_event("PAUSE")
    paused = camera.position
    fsm.update(5.0)
    fsm.send_event("GO ON")
    fsm.update(0.1)
    assert (paused, camera.position != HOME, shake.progress) == (HOME, True, pytest.approx(0.2))
    fsm.update(1.0)
    assert camera.position == HOME


def test_what_others_do_meanwhile_is_kept() -> None:
    for order in (1, -1):
        camera = Transform((0.0, 0.0))
        shake = Shake(camera, 8.0, 1.0, Random(1))
        fsm = started(*[shake, MoveConstantly(camera, (10.0, -4.0))][::order])
        drive(fsm, [1 / 16] * 16)
        assert (camera.position, shake.finished) == (pytest.approx((10.0, -4.0)), True)


def test_two_shakes_of_one_thing_end_where_they_began() -> None:
    camera = Transform((5.0, 5.0))
    fsm = started(Shake(camera, 8.0, 1.0, Random(1)), Shake(camera, 4.0, 0.5, Random(2)))
    drive(fsm, [1 / 16] * 17)
    assert camera.position == pytest.approx((5.0, 5.0))


def test_moved_away_for_good_it_stays_there() -> None:
    camera = Transform((0.0, 0.0))
    fsm = started(Shake(camera, 8.0, 0.5))
    fsm.update(0.6)
    camera.position = (7.0, 7.0)
    fsm.update(0.1)
    fsm.stop()
    assert camera.position == (7.0, 7.0)


class Rounded:
    """A thing whose engine keeps whole numbers only."""

    _position = (3, 4)

    @property
    def position(self) -> tuple[int, ...]:
        return self._position

    @position.setter
    def position(self, position: Any) -> None:
        self._position = tuple(round(number) for number in position)


def test_where_an_engine_keeps_fewer_digits_it_ends_where_it_began_too() -> None:
    thing = Rounded()
    drive(started(Shake(thing, 8.0, 1.0, Random(1))), [1 / 60] * 60)
    assert thing.position == (3, 4)


def test_a_vector_that_changes_in_place_is_not_mistaken_for_its_place() -> None:
    place = glm.vec2(1.0, 2.0)
    thing = SimpleNamespace(position=place)
    fsm = started(Shake(thing, 8.0, 1.0, Random(1)))
    fsm.update(0.1)
    thing.position += glm.vec2(10.0, 0.0)
    drive(fsm, [1.0])
    assert glm.distance(thing.position, glm.vec2(11.0, 2.0)) < 1e-5


def test_space_self_is_local_so_that_the_parent_may_be_moved() -> None:
    rig = Transform((0.0, 0.0))
    camera = Transform((1.0, 1.0), parent=rig)
    fsm = started(Shake(camera, 8.0, 1.0, space=Space.SELF))
    for step in range(1, 11):
        rig.position = (10.0 * step, 0.0)
        fsm.update(0.1)
    assert (camera.local_position, camera.position) == ((1.0, 1.0), (101.0, 1.0))


def test_it_is_a_timed_action() -> None:
    camera, slow = Transform((0.0, 0.0)), TimeReference("slow", 0.5)
    shake = Shake(camera, 8.0, 1.0, time=slow, finish_event="REST")
    fsm = started(shake)
    fsm.update(1.0)
    half = (fsm.path, shake.waits_for, shake.finishes)
    fsm.update(1.0)
    assert (half, fsm.path) == ((("A",), "50 % of 1.0 s", "in time"), ("Rest",))
    at_once = Shake(camera, 8.0, 0.0)
    started(at_once)
    assert (at_once.finished, camera.position) == (True, (0.0, 0.0))


def test_the_rest_of_the_step_is_handed_on() -> None:
    fsm = Fsm("M", carry_time=True)
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Shake(Transform((0.0, 0.0)), 8.0, 1.0))
    a.add_transition(FINISHED, b)
    fsm.start()
    fsm.update(1.25)
    assert (fsm.path, fsm.time_in_state) == (("B",), 0.25)


def test_a_copy_and_a_restored_visit_end_where_it_began() -> None:
    def shaking(camera: Transform, rng: Random) -> Fsm:
        return started(Shake(camera, 8.0, 1.0, rng))

    camera, other = Transform(HOME), Transform(HOME)
    fsm = shaking(camera, Random(1))
    fsm.update(0.2)
    twin, restored = deepcopy(fsm), shaking(other, Random(2))
    restore(restored, snapshot(fsm))
    other.position = camera.position
    places = []
    for dt in (0.1, 1.0):
        for each in (fsm, twin, restored):
            each.update(dt)
        [action] = twin.states["A"].actions
        assert isinstance(action, Shake)
        assert action.transform.position == other.position == camera.position
        places.append(camera.position)
    assert (places[0] != HOME, places[1]) == (True, HOME)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"amplitude": -1.0}, "Shake: amplitude must be a finite number"),
        ({"amplitude": nan}, "Shake: amplitude must be a finite number"),
        ({"amplitude": 10**400}, "Shake: amplitude must be a finite number"),
        ({"amplitude": (inf, 1.0)}, "Shake: amplitude must be"),
        ({"amplitude": (0.0, -1.0)}, r"must be finite numbers >= 0, got \(0.0, -1.0\)"),
        ({"frequency": -1.0}, "Shake: frequency must be a finite number"),
        ({"duration": -1.0}, "The duration of Shake"),
    ],
)
def test_a_number_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    [(name, number)] = options.items()
    for value in (number, lambda: number):
        with pytest.raises(ValueError, match=message):
            started(
                Shake(Transform((0.0, 0.0)), **{"amplitude": 1.0, "duration": 1.0, name: value})
            )


def test_another_number_of_axes_is_refused_on_enter() -> None:
    with pytest.raises(ValueError, match="one for each axis"):
        started(Shake(Transform((0.0, 0.0)), (1.0, 2.0, 3.0), 1.0))
