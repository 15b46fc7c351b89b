"""LookAt: face a target at once."""

from types import SimpleNamespace

import pytest
from pyglm import glm

from actions.look_at import LookAt
from fsmkit import FINISHED, Fsm
from fsmkit.space import Space, Transform, facing
from fsmkit.testing import drive


def started(look: LookAt) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(look)
    fsm.start()
    return fsm


def test_faces_the_target_on_enter_and_in_every_update() -> None:
    thing, target = Transform(), Transform((0.0, 1.0))
    look = LookAt(thing, target)
    fsm = started(look)
    angles = [thing.rotation]
    for place in ((-1.0, 0.0), (0.0, -1.0)):
        target.position = place
        fsm.update(0.1)
        angles.append(thing.rotation)
    assert (angles, look.finished) == ([90.0, 180.0, -90.0], False)


def test_once_it_finishes_on_enter() -> None:
    thing = Transform()
    fsm = Fsm("M")
    fsm.add_state("A").add_action(LookAt(thing, lambda: (0.0, 1.0), every_update=False))
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    assert drive(fsm, [fsm.start])[1:3] == ["LookAt finished", "event FINISHED: changed"]
    assert thing.rotation == 90.0


def test_once_it_looks_again_in_every_visit() -> None:
    thing, target = Transform(), Transform((0.0, 1.0))
    fsm = started(LookAt(thing, target, every_update=False))
    target.position = (-1.0, 0.0)
    fsm.update(1)
    kept = thing.rotation
    fsm.start()
    assert (kept, thing.rotation) == (90.0, 180.0)


def test_at_the_very_place_of_the_target_it_keeps_its_rotation() -> None:
    for thing in (Transform((3.0, 4.0), 33.0), Transform((3.0, 4.0, 5.0), glm.quat(1, 2, 3, 4))):
        before = thing.rotation
        started(LookAt(thing, thing.position))
        assert thing.rotation == before


def test_faces_along_plus_z_with_a_quaternion() -> None:
    thing = Transform((1.0, 1.0, 1.0), glm.quat())
    started(LookAt(thing, (1.0, 1.0, -3.0)))
    assert thing.rotation == facing(glm.quat(), (0.0, 0.0, -1.0))


def test_self_space_is_the_parents() -> None:
    ship = Transform(rotation=90.0)
    gun = Transform(parent=ship)
    started(LookAt(gun, (0.0, 1.0), space=Space.SELF))
    assert (gun.local_rotation, gun.rotation) == (90.0, 180.0)


def test_a_thing_that_cannot_turn_is_refused() -> None:
    with pytest.raises(TypeError, match="transform must be something with a rotation, got"):
        LookAt(SimpleNamespace(position=(0.0, 0.0)), (0.0, 1.0))
