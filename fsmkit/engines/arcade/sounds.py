"""Arcade: how an `arcade.Sound` is played."""

from __future__ import annotations

from fsmkit.engines.arcade.package import arcade
from fsmkit.engines.pyglet.sounds import PlayingPlayer
from fsmkit.sound import Playing, play


@play.register
def _(sound: arcade.Sound, volume: float = 1.0, loop: bool = False) -> Playing:
    return PlayingPlayer(sound.play(volume=volume, loop=loop))
