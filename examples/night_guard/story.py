"""The scripted night: the same thief, the same steps, the same story every time."""

from __future__ import annotations

from collections.abc import Callable

from chronicle import Chronicle
from difficulty import NORMAL, Difficulty
from game import Game
from museums import PALACE, Museum
from plan import plan_machine

STEP = 1 / 60
"""Seconds of one update."""


class Story:
    def __init__(
        self,
        read: Callable[[str], object] = lambda _line: None,
        museum: Museum = PALACE,
        difficulty: Difficulty = NORMAL,
    ) -> None:
        self.game = Game(museum, difficulty)
        self.chronicle = Chronicle(self.game, read)
        self.game.machines.add(plan_machine(self.game, self.chronicle))
        self.game.start()

    def run(self, until: float = 180.0) -> None:
        """Let it happen, up to that second at most."""
        while self.game.time < until and not self.game.is_over:
            self.game.update(STEP)
