"""raylib: how a Sound and a Music are played."""

from __future__ import annotations

from typing import Any

import pyray
from attrs import define, field
from pyray import ffi

from fsmkit.engines.raylib.values import STRUCTS
from fsmkit.sound import Playing, play

SOUND, MUSIC = ffi.typeof("Sound"), ffi.typeof("Music")


@define
class PlayingSound:
    """A Sound, of which raylib plays one at a time: whoever plays it again begins it anew."""

    sound: Any
    is_paused: bool = field(default=False, init=False)

    @property
    def is_over(self) -> bool:
        """Whether it is silent; a paused one is not over."""
        return not (self.is_paused or pyray.is_sound_playing(self.sound))

    def stop(self) -> None:
        """Stop it."""
        self.is_paused = False
        pyray.stop_sound(self.sound)

    def pause(self) -> None:
        """Halt it."""
        if not self.is_over:
            self.is_paused = True
            pyray.pause_sound(self.sound)

    def resume(self) -> None:
        """Go on where it was paused."""
        if self.is_paused:
            self.is_paused = False
            pyray.resume_sound(self.sound)


@define
class PlayingMusic:
    """A Music; as always with raylib, the game calls `update_music_stream` in every frame."""

    music: Any
    is_paused: bool = field(default=False, init=False)

    @property
    def is_over(self) -> bool:
        """Whether it is silent; a paused one is not over."""
        return not (self.is_paused or pyray.is_music_stream_playing(self.music))

    def stop(self) -> None:
        """Stop it."""
        self.is_paused = False
        pyray.stop_music_stream(self.music)

    def pause(self) -> None:
        """Halt it."""
        if not self.is_over:
            self.is_paused = True
            pyray.pause_music_stream(self.music)

    def resume(self) -> None:
        """Go on where it was paused."""
        if self.is_paused:
            self.is_paused = False
            pyray.resume_music_stream(self.music)


def play_struct(sound: Any, volume: float = 1.0, loop: bool = False) -> Playing:
    """Play a Sound or a Music of raylib; TypeError for another struct.

    A Sound has no loops: it ends, and an action that loops it plays it again.
    """
    kind = ffi.typeof(sound)
    if kind is SOUND:
        pyray.set_sound_volume(sound, volume)
        pyray.play_sound(sound)
        return PlayingSound(sound)
    if kind is MUSIC:
        sound.looping = loop
        pyray.set_music_volume(sound, volume)
        pyray.play_music_stream(sound)
        return PlayingMusic(sound)
    raise TypeError(f"Of raylib's structs a Sound and a Music can be played, got {sound!r}.")


for of_struct in STRUCTS:
    play.register(of_struct, play_struct)
