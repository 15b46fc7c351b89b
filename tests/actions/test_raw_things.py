"""Things of a game engine that no action can move as they are: the messages say what to do."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from every import every

import actions as library
from fsmkit import Fsm, FsmAction
from fsmkit.space import Transform

pygame = pytest.importorskip("pygame")
NodePath = pytest.importorskip("panda3d.core").NodePath

THING = Transform((0.0, 0.0))


def sprite() -> Any:
    sprite = pygame.sprite.Sprite()
    sprite.image = pygame.Surface((4, 4))
    sprite.rect = sprite.image.get_rect()
    return sprite


def run(action: FsmAction[Any]) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    fsm.start()
    fsm.update(0.1)


AS_TRANSFORM: dict[str, Callable[[Any], FsmAction[Any]]] = {
    "Move": lambda it: library.Move(it, None, (1.0, 1.0), 1.0),
    "MoveBy": lambda it: library.MoveBy(it, (1.0, 1.0), 1.0),
    "MoveTowards": lambda it: library.MoveTowards(it, THING, 90.0),
    "MoveConstantly": lambda it: library.MoveConstantly(it, (1.0, 1.0)),
    "FollowWaypoints": lambda it: library.FollowWaypoints(it, [(0.0, 0.0)], 90.0),
    "FollowPath": lambda it: library.FollowPath(it, [(0.0, 0.0)], 90.0),
    "FollowField": lambda it: library.FollowField(it, None, 90.0),
    "Jump": lambda it: library.Jump(it, 1.0, 1.0),
    "Flee": lambda it: library.Flee(it, THING, 90.0),
    "Rotate": lambda it: library.Rotate(it, None, 90.0, 1.0),
    "RotateConstantly": lambda it: library.RotateConstantly(it, 90.0),
    "RotateTowards": lambda it: library.RotateTowards(it, THING, speed=90.0),
    "LookAt": lambda it: library.LookAt(it, THING),
    "ScaleByDuration": lambda it: library.ScaleByDuration(it, None, 2.0, 1.0),
    "SetColorByDuration": lambda it: library.SetColorByDuration(it, None, (9, 9, 9), 1.0),
    "Tween": lambda it: library.Tween(it, "position", None, (1.0, 1.0), 1.0),
    "SetValue": lambda it: library.SetValue(it, "rotation", 90.0),
    "AddValue": lambda it: library.AddValue(it, "alpha", 90.0),
}

AS_TARGET: dict[str, Callable[[Any], Any]] = {
    "Move": lambda it: library.Move(THING, None, it, 1.0),
    "MoveBy": lambda it: library.MoveBy(THING, it, 1.0),
    "MoveTowards": lambda it: library.MoveTowards(THING, it, 90.0),
    "FollowWaypoints": lambda it: library.FollowWaypoints(THING, [it], 90.0),
    "FollowPath": lambda it: library.FollowPath(THING, [it], 90.0),
    "Flee": lambda it: library.Flee(THING, it, 90.0),
    "RotateTowards": lambda it: library.RotateTowards(THING, it, speed=90.0),
    "LookAt": lambda it: library.LookAt(THING, it),
    "Sees": lambda it: library.Sees(THING, it, 1.0),
    "Sees, eyes": lambda it: library.Sees(it, THING, 1.0),
    "InRange": lambda it: library.InRange(THING, it, 1.0),
    "InRange, one": lambda it: library.InRange(it, THING, 1.0),
}

BY_A_FUNCTION: dict[str, Callable[[Any], Any]] = {
    "Move": lambda it: library.Move(THING, None, lambda: it, 1.0),
    "MoveTowards": lambda it: library.MoveTowards(THING, lambda: it, 90.0),
    "FollowWaypoints": lambda it: library.FollowWaypoints(THING, [lambda: it], 90.0),
    "FollowPath": lambda it: library.FollowPath(THING, lambda: [it], 90.0),
    "RotateTowards": lambda it: library.RotateTowards(THING, lambda: it, speed=90.0),
    "LookAt": lambda it: library.LookAt(THING, lambda: it),
    "WaitUntil": lambda it: library.WaitUntil(library.Sees(THING, lambda: it, 1.0)),
}

OF_PYGAME = (
    r"got \[?<Sprite Sprite.*\. Make a SpriteTransform of it, as in fsmkit\.engines\.pygame, "
)
OF_PANDA = r"Make a NodeTransform of it, as in fsmkit\.engines\.panda3d, and give that\."


@every("make", AS_TRANSFORM.values())
def test_a_sprite_of_pygame_is_no_transform(make: Callable[[Any], FsmAction[Any]]) -> None:
    with pytest.raises((TypeError, AttributeError), match="Make a SpriteTransform of it, as in"):
        run(make(sprite()))


@every("make", AS_TARGET.values())
def test_a_sprite_of_pygame_is_no_target(make: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=OF_PYGAME) as raised:
        make(sprite())
    assert re.match(r"\w+: \w+(\[0\])? must be ", str(raised.value))


@pytest.mark.parametrize("make", BY_A_FUNCTION.values(), ids=BY_A_FUNCTION)
def test_nor_is_one_that_a_function_returns(make: Callable[[Any], FsmAction[Any]]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"got .*<Sprite.*Make a SpriteTransform"):
        run(make(sprite()))


@pytest.mark.parametrize("make", [AS_TRANSFORM["MoveTowards"], AS_TARGET["LookAt"]])
def test_a_sprite_that_has_no_picture_yet_is_known_too(make: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match="Make a SpriteTransform of it"):
        make(pygame.sprite.Sprite())


@pytest.mark.parametrize("make", [AS_TRANSFORM["Move"], AS_TARGET["MoveTowards"]])
def test_a_node_of_panda3d_needs_a_transform(make: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=OF_PANDA):
        make(NodePath("guard"))


@pytest.mark.parametrize("make", [AS_TRANSFORM["Move"], AS_TARGET["MoveTowards"]])
def test_a_rect_is_not_taken_for_four_numbers(make: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match="Give its center, or make a SpriteTransform"):
        make(pygame.Rect(0, 0, 4, 4))


def test_what_nobody_knows_gets_no_advice() -> None:
    with pytest.raises(TypeError) as raised:
        library.MoveTowards(THING, object(), 1.0)  # type: ignore[arg-type]  # it is no target
    assert str(raised.value).endswith(
        "A function, or something with a position, is allowed as well."
    )


def test_a_thing_with_a_rect_and_a_position_is_fine() -> None:
    class Hero:
        rect = pygame.Rect(0, 0, 4, 4)
        position = (3.0, 4.0)

    assert library.InRange(THING, Hero(), 5.0)()
