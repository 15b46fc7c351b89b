"""pygame-ce: how a `pygame.mixer.Sound` is played."""

from __future__ import annotations

from attrs import define
from pygame import mixer

from fsmkit.sound import SILENCE, Playing, play


@define
class PlayingChannel:
    """A sound on the channel that it was given."""

    sound: mixer.Sound
    channel: mixer.Channel

    @property
    def is_over(self) -> bool:
        """Whether the channel is silent, or plays another sound by now."""
        # Without the mixer, a channel that is asked for its sound crashes the process.
        is_open = mixer.get_init() is not None
        return not (is_open and self.channel.get_busy() and self.channel.get_sound() is self.sound)

    def stop(self) -> None:
        """Stop it."""
        if not self.is_over:
            self.channel.stop()

    def pause(self) -> None:
        """Halt it."""
        if not self.is_over:
            self.channel.pause()

    def resume(self) -> None:
        """Go on where it was paused."""
        if not self.is_over:
            self.channel.unpause()


@play.register
def _(sound: mixer.Sound, volume: float = 1.0, loop: bool = False) -> Playing:
    channel = sound.play(loops=-1 if loop else 0)
    if channel is None:  # all of them are busy
        return SILENCE
    channel.set_volume(volume)
    return PlayingChannel(sound, channel)
