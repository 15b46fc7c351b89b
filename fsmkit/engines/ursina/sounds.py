"""Ursina: how an `Audio` is played, which has a sound of Panda3D."""

from __future__ import annotations

from ursina import Audio

from fsmkit.sound import Playing, play


@play.register
def _(audio: Audio, volume: float = 1.0, loop: bool = False) -> Playing:
    return play(audio.clip, volume, loop)  # None, so silent, if its file was not found
