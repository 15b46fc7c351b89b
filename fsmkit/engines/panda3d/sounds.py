"""Panda3D: how an `AudioSound` is played."""

from __future__ import annotations

from typing import Final

from attrs import define, field
from panda3d.core import AudioSound

from fsmkit.sound import Playing, play


@define
class PlayingSound:
    """An AudioSound, which rings once at a time: played again, it begins anew."""

    sound: AudioSound
    looped_before: bool
    paused_at: float | None = field(default=None, init=False)
    """The seconds at which it was paused, if it was."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended, was stopped, or cannot be heard."""
        return self.paused_at is None and self.sound.status() != AudioSound.PLAYING

    def stop(self) -> None:
        """Stop it; then it loops if it did before."""
        self.paused_at = None
        self.sound.stop()
        self.sound.setLoop(self.looped_before)

    def pause(self) -> None:
        """Halt it."""
        if not self.is_over:
            self.paused_at = self.sound.getTime()
            self.sound.stop()

    def resume(self) -> None:
        """Go on where it was paused."""
        if self.paused_at is not None:
            self.sound.setTime(self.paused_at)
            self.sound.play()
            self.paused_at = None


class OwnVolumes:
    """The volumes of sounds that are played at another one, until they are given back.

    An AudioSound has one volume, and nobody is told when it is over. So it gets its own one back
    when next a sound is played, unless something else has set it meanwhile.
    """

    def __init__(self) -> None:
        self._changed: dict[AudioSound, tuple[float, float]] = {}
        """Sound -> its own volume, and the one that it was given."""

    def give_back(self, sound: AudioSound) -> None:
        """Give back their own volumes to all that are over, and to `sound`."""
        for known, (own, given) in [*self._changed.items()]:
            if known == sound or known.status() != AudioSound.PLAYING:
                del self._changed[known]
                if known.getVolume() == given:
                    known.setVolume(own)

    def change(self, sound: AudioSound, share: float) -> None:
        """Give `sound` a share of its own volume."""
        own = sound.getVolume()
        sound.setVolume(own * share)
        self._changed[sound] = own, sound.getVolume()


OWN_VOLUMES: Final = OwnVolumes()


@play.register
def _(sound: AudioSound, volume: float = 1.0, loop: bool = False) -> Playing:
    OWN_VOLUMES.give_back(sound)
    if volume != 1.0:
        OWN_VOLUMES.change(sound, volume)
    playing = PlayingSound(sound, sound.getLoop())
    if loop:
        sound.setLoop(True)
    sound.play()
    return playing
