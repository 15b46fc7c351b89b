"""Playhead: the moment of a recording that is shown, or that is being gone to."""

from __future__ import annotations

from attrs import define


@define
class Playhead:
    """A time between `start` and `end`: it stands still, or moves on at some speed."""

    start: float
    end: float
    time: float
    speed: float = 1.0
    is_playing: bool = False

    def go_to(self, time: float) -> None:
        """Be at that time, or at the nearest there is."""
        self.time = min(max(time, self.start), self.end)

    def play(self) -> None:
        """Move on from now, or from the beginning if it is at the end."""
        if self.time >= self.end:
            self.time = self.start
        self.is_playing = True

    def pause(self) -> None:
        """Stand still."""
        self.is_playing = False

    def let_pass(self, seconds: float) -> None:
        """Move on by seconds of real time; stand still at the end."""
        if self.is_playing:
            self.go_to(self.time + seconds * self.speed)
            self.is_playing = self.time < self.end
