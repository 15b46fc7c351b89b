"""The loudspeaker: plays the sounds of the night with pygame; without a device it is silent."""

from __future__ import annotations

from typing import Final

import pygame
from attrs import define, field
from sounds import RATE, SOUNDS
from soundtrack import Sounds, Speaker

CHANNELS: Final = 16


def _loaded_sounds() -> Sounds:
    try:
        pygame.mixer.init(RATE, size=-16, channels=1, allowedchanges=0)
    except pygame.error:  # there is no device
        return Sounds()
    pygame.mixer.set_num_channels(CHANNELS)
    made = {name: pygame.mixer.Sound(buffer=make()) for name, make in SOUNDS.items()}
    return Sounds(**made)


@define(eq=False)
class Loudspeaker(Speaker):
    sounds: Sounds = field(factory=_loaded_sounds, init=False)
    _was_halted: bool = field(default=False, init=False)

    def obey(self) -> None:
        """Be muted or halted, or not, as is wished now."""
        for sound in self.sounds.all:
            sound.set_volume(0.0 if self.is_muted else 1.0)
        if self.is_halted is not self._was_halted and self.sounds.all:
            (pygame.mixer.pause if self.is_halted else pygame.mixer.unpause)()
        self._was_halted = self.is_halted
