"""The window: the keys go to the machines of the show, and the show comes on the screen."""

from __future__ import annotations

from typing import Final

import pygame
from difficulty import NORMAL, Difficulty
from drawing import Picture, size_of
from drawing.panel import draw_card
from events import ENTER, F1, F2, STEER
from inspection import Inspection
from museums import PALACE, Museum
from show import Show, build
from story import Story

from fsmkit import FsmGroup
from fsmkit.engines.pygame import attach, send_keys

LONGEST_FRAME: Final = 0.05
"""Seconds; whoever moves the window is not caught meanwhile."""

WAYS: Final = {
    pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1),
    pygame.K_a: (-1, 0), pygame.K_d: (1, 0), pygame.K_w: (0, -1), pygame.K_s: (0, 1),
}  # fmt: skip
SHIFTS: Final = {pygame.K_LSHIFT, pygame.K_RSHIFT}
KEYS: Final = {
    **dict.fromkeys(WAYS, STEER),
    pygame.K_RETURN: ENTER,
    pygame.K_F1: F1,
    pygame.K_F2: F2,
}


class Window:
    def __init__(self, museum: Museum = PALACE, difficulty: Difficulty = NORMAL) -> None:
        pygame.display.init()
        pygame.font.init()
        inspection = Inspection(FsmGroup(), while_held=pygame.event.pump)
        self.show = Show(inspection, museum, difficulty)
        self.machines = build(self.show)
        self.screen = pygame.display.set_mode(
            size_of(self.show.game.world), pygame.SCALED | pygame.RESIZABLE
        )
        pygame.display.set_caption("Night Guard")
        self.picture = Picture(self.show.game, self.show.chronicle)
        self.held: set[int] = set()
        """The keys that are held down."""
        self.send_key = send_keys(self.machines, KEYS)
        self.tick = attach(self.machines, fps=60, max_dt=LONGEST_FRAME)
        for machine in self.machines:
            machine.start()

    def run_frame(self) -> bool:
        """Run one frame; False if the window is to be closed."""
        events = pygame.event.get()
        for event in events:
            self.send_key(event)
            self._note_held(event)
        self._steer()
        self.tick()
        self._draw()
        pygame.display.flip()
        return pygame.K_ESCAPE not in self.held and all(e.type != pygame.QUIT for e in events)

    def close(self) -> None:
        """Stop the machines, and with them the inspector; close the window."""
        for machine in self.machines:
            machine.stop()
        pygame.quit()

    def _note_held(self, event: pygame.event.Event) -> None:
        if event.type == pygame.KEYDOWN:
            self.held.add(event.key)
        elif event.type == pygame.KEYUP:
            self.held.discard(event.key)
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.held.clear()

    def _steer(self) -> None:
        ways = [WAYS[key] for key in self.held & WAYS.keys()]
        direction = (sum(x for x, _ in ways), sum(y for _, y in ways))
        self.show.game.steer(direction, sneaking=bool(self.held & SHIFTS))

    def _draw(self) -> None:
        show = self.show
        if self.picture.game is not show.game:
            self.picture = Picture(show.game, show.chronicle)
        self.picture.draw(self.screen, states=show.shows_states, hint=show.inspection.hint)
        if show.veil > 0.0:
            draw_card(self.screen, *show.card, show.veil)


def play(museum: Museum = PALACE, difficulty: Difficulty = NORMAL) -> None:
    """Open a window and play until it is closed."""
    window = Window(museum, difficulty)
    try:
        while window.run_frame():
            pass
    finally:
        window.close()


def take_picture(
    file: str, museum: Museum = PALACE, difficulty: Difficulty = NORMAL, moment: float | None = None
) -> None:
    """Draw the scripted story into a file: at a moment, in seconds, or the best one."""
    pygame.font.init()
    moment = museum.best_moment if moment is None else moment
    story = Story(museum=museum, difficulty=difficulty)
    surface = pygame.Surface(size_of(story.game.world))
    picture = Picture(story.game, story.chronicle)
    story.go_on(until=moment - 0.2)
    picture.draw(surface)
    story.go_on(until=moment)
    picture.draw(surface, states=True)
    pygame.image.save(surface, file)
