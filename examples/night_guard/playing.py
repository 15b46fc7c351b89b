"""The window: keys, mouse and gamepad go to the machines, and the show comes on the screen."""

from __future__ import annotations

from typing import Final

import events
import pygame
from difficulty import NORMAL, Difficulty
from drawing import Picture, size_of
from drawing.canvas import tile_of
from drawing.panel import draw_card, event_under
from inspection import Inspection
from loudspeaker import Loudspeaker
from museums import PALACE, Museum
from show import Show, build
from story import Story

from fsmkit import FsmGroup
from fsmkit.engines.pygame import Held, attach, send_keys
from fsmkit.space import Position, difference, distance

LONGEST_FRAME: Final = 0.05
"""Seconds; whoever moves the window is not caught meanwhile."""

AT_THE_POINTER: Final = 0.25
"""Tiles: a thief that follows the mouse stops this near to it."""

KEYS: Final = {
    "left": events.LEFT, "a": events.LEFT, "gamepad dpad left": events.LEFT,
    "right": events.RIGHT, "d": events.RIGHT, "gamepad dpad right": events.RIGHT,
    "up": events.UP, "w": events.UP, "gamepad dpad up": events.UP,
    "down": events.DOWN, "s": events.DOWN, "gamepad dpad down": events.DOWN,
    "return": events.ENTER, "space": events.ENTER, "gamepad a": events.ENTER,
    "escape": events.LEAVE, "gamepad back": events.LEAVE,
    "p": events.PAUSE, "gamepad start": events.PAUSE,
    "m": events.MUTE, "f1": events.F1, "f3": events.F3, "f5": events.F5,
}  # fmt: skip


class Window:
    def __init__(self, museum: Museum = PALACE, difficulty: Difficulty = NORMAL) -> None:
        pygame.display.init()
        pygame.font.init()
        inspection = Inspection(FsmGroup(), while_held=pygame.event.pump)
        self.speaker = Loudspeaker()
        self.show = Show(inspection, museum, difficulty, self.speaker)
        self.machines = build(self.show)
        self.screen = open_window(size_of(self.show.game.world))
        pygame.display.set_caption("Night Guard")
        self.picture = Picture(self.show.game, self.show.chronicle)
        self.across = _held({events.LEFT: -1, events.RIGHT: 1}, "gamepad left stick x")
        self.along = _held({events.UP: -1, events.DOWN: 1}, "gamepad left stick y")
        self.sneaks = Held(
            dict.fromkeys(("left shift", "right shift", "gamepad x", "gamepad left shoulder"), 1)
        )
        self.follows = Held({pygame.BUTTON_LEFT: "running", pygame.BUTTON_RIGHT: "sneaking"})
        held = [self.across, self.along, self.sneaks, self.follows]
        self.send_key = send_keys(self.machines, KEYS, held=held)
        self.tick = attach(self.machines, fps=60, max_dt=LONGEST_FRAME)
        self.stage = next(iter(self.machines))
        self.machines.start()

    def run_frame(self) -> bool:
        """Run one frame; False if the window is to be closed."""
        happened = pygame.event.get()
        for event in happened:
            self.send_key(event)
            self._hear(event)
        self.show.game.steer(self._direction(), sneaking=self._is_sneaking())
        self.tick()
        self.speaker.obey()
        self._draw()
        pygame.display.flip()
        return self.stage.path != ("Closed",) and all(e.type != pygame.QUIT for e in happened)

    def close(self) -> None:
        """Stop the machines, and with them the inspector; close the window."""
        for machine in (*self.machines, *self.show.game.machines):
            machine.stop()
        pygame.quit()

    def _draw(self) -> None:
        show = self.show
        if self.picture.game is not show.game:
            self.picture = Picture(show.game, show.chronicle)
        is_clear = show.veil == 0.0
        self.picture.draw(
            self.screen,
            overlay=show.shows_states and is_clear,
            hint=show.hint.text,
        )
        if not is_clear:
            draw_card(self.screen, show.card, self._choice(), show.veil)

    def _choice(self) -> tuple[str, str]:
        return self.show.museum.name, self.show.difficulty.name

    def _hear(self, event: pygame.event.Event) -> None:
        """Note a click on a card, and that the player looks at another window."""
        if event.type == pygame.WINDOWFOCUSLOST:
            self.stage.offer_event(events.AWAY)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            wish = event_under(event.pos, self.screen.get_size(), self.show.card)
            if wish is not None:
                self.stage.offer_event(wish)

    def _direction(self) -> Position:
        """Return where the thief is to go: by keys or stick, or to the pointer."""
        if self.follows.newest is None:
            return self.across.value, self.along.value
        place, pointer = self.show.game.thief.body.position, tile_of(pygame.mouse.get_pos())
        is_there = distance(place, pointer) < AT_THE_POINTER
        return (0.0, 0.0) if is_there else difference(place, pointer)

    def _is_sneaking(self) -> bool:
        return bool(self.sneaks.value) or self.follows.value == "sneaking"


def open_window(size: tuple[int, int]) -> pygame.Surface:
    """Return what is drawn on: a window, or the whole screen where that is smaller."""
    width, height = pygame.display.get_desktop_sizes()[0]
    fits = size[0] <= width and size[1] <= height
    return pygame.display.set_mode(
        size, pygame.SCALED | (pygame.RESIZABLE if fits else pygame.FULLSCREEN)
    )


def _held(values: dict[str, int], axis: str) -> Held:
    """Return the keys of events as one value, and the axis of a gamepad with them."""
    return Held({key: values[event] for key, event in KEYS.items() if event in values}, axis=axis)


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
    story.run(until=moment - 0.2)
    picture.draw(surface)
    story.run(until=moment)
    picture.draw(surface, overlay=True, waits=True)
    pygame.image.save(surface, file)
