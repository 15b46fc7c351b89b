"""pyglet: how a source of `pyglet.media` is played."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from attrs import define

from fsmkit.sound import Playing, play


@runtime_checkable
class Source(Protocol):
    """A source of `pyglet.media`, which itself can be imported only where there is a screen."""

    def play(self) -> Any:
        """Play it; return its player."""
        ...

    def get_queue_source(self) -> Any:
        """Return what a player is given."""
        ...


@define
class PlayingPlayer:
    """A source on a player of its own."""

    player: Any
    is_stopped: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the player has come to the end of its source."""
        source = self.player.source
        if self.is_stopped or source is None:
            return True
        # The player is told only by an event loop, which may not be running.
        is_timed = source.duration is not None and not self.player.loop
        return is_timed and self.player.time >= source.duration

    def stop(self) -> None:
        """Stop it, and have it forgotten by those that keep it alive."""
        if not self.is_stopped:
            self.is_stopped = True
            self.player.next_source()

    def pause(self) -> None:
        """Halt it."""
        if not self.is_over:
            self.player.pause()

    def resume(self) -> None:
        """Go on where it was paused."""
        if not self.is_over:
            self.player.play()


@play.register
def _(source: Source, volume: float = 1.0, loop: bool = False) -> Playing:
    player = source.play()
    player.volume, player.loop = volume, loop
    return PlayingPlayer(player)
