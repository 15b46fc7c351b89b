"""A clock of pyglet whose time advances when the test says so."""

import pytest

Clock = pytest.importorskip("pyglet.clock", reason="pyglet is not installed").Clock

FRAME = 1 / 64  # seconds that add up without a rest


class HandTurned(Clock):
    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda: self.now)
        self.tick()

    def frames(self, count: int, seconds: float = FRAME) -> None:
        for _ in range(count):
            self.now += seconds
            self.tick()
