"""Colours as engines write them, with alpha and by name, on the things of engines."""

from typing import Any

import pytest

pytest.importorskip("pygame", reason="pygame-ce is not installed (the extra pygame)")

import pygame
from pygame.sprite import Sprite

from actions import SetColorByDuration, SetValue
from fsmkit import Fsm, FsmAction
from fsmkit.engines.parts.things import Tinted
from fsmkit.engines.pygame import SpriteTransform
from fsmkit.testing import drive


def ghost() -> SpriteTransform:
    sprite = Sprite()
    sprite.image = pygame.Surface((4, 4), pygame.SRCALPHA)
    sprite.image.fill("white")
    return SpriteTransform(sprite)


def started(action: FsmAction[Any]) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(action)
    fsm.start()
    return fsm


@pytest.mark.parametrize("make", [ghost, Tinted])
def test_a_color_of_the_engine_fades_with_its_alpha(make: Any) -> None:
    thing = make()
    fsm = started(SetColorByDuration(thing, None, pygame.Color(255, 0, 0, 55), 2.0))
    drive(fsm, [1])
    half = (thing.color, thing.alpha)
    drive(fsm, [1])
    assert half == ((255.0, 127.5, 127.5), 155.0)
    assert (thing.color, thing.alpha) == ((255.0, 0.0, 0.0), 55.0)


def test_one_of_arcade_fades_too() -> None:
    arcade = pytest.importorskip("arcade")
    thing = Tinted()
    drive(started(SetColorByDuration(thing, arcade.color.BLACK, arcade.color.RED, 2.0)), [1])
    assert (thing.color, thing.alpha) == ((128, 0, 0), 255)


def test_it_is_restored_with_its_alpha() -> None:
    thing = Tinted()
    thing.color, thing.alpha = (1.0, 2.0, 3.0), 100.0
    fsm = started(SetValue(thing, "color", pygame.Color("red"), restore_on_exit=True))
    assert (thing.color, thing.alpha) == ((255, 0, 0), 255)
    fsm.stop()
    assert (thing.color, thing.alpha) == ((1.0, 2.0, 3.0), 100.0)


@pytest.mark.parametrize("wrong", ["red", "#ff0000", "255", (1, "2", 3), 5, None, (1, 2)])
def test_what_is_not_a_color_is_refused_and_changes_nothing(wrong: Any) -> None:
    thing = ghost()
    with pytest.raises((TypeError, ValueError), match=r"A colour must be .*, got "):
        thing.color = wrong
    assert (thing.color, thing.alpha) == ((255.0, 255.0, 255.0), 255.0)


def test_a_name_gets_advice() -> None:
    with pytest.raises(ValueError, match=r"got 'red'\. Write its numbers, as \(255, 0, 0\)"):
        Tinted().color = "red"
