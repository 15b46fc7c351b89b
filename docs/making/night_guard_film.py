"""Make the film of Night Guard that README shows: python docs/making/night_guard_film.py.

It is the scripted story, at its best moments, with the machine of the guard who is nearest to the
thief in a corner. Needs pygame-ce and Pillow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pygame
from PIL import Image

ROOT = Path(__file__).parents[2]
FILM = ROOT / "docs" / "_static" / "night_guard.webp"

sys.path[:0] = [str(ROOT / "examples" / "night_guard"), str(ROOT / "docs")]

from drawing import Picture, size_of  # noqa: E402  # it lies in a folder of its own
from drawing.canvas import PANEL_HEIGHT, write  # noqa: E402
from drawing.panel import GOLD, PANEL  # noqa: E402
from making.films import Frame, write_film  # noqa: E402
from story import Story  # noqa: E402

FRAMES_PER_SECOND: Final = 10
WIDTH: Final = 660
QUALITY: Final = 45
LAST_FRAME: Final = 1.5
"""Seconds for which the last one stays."""


class Scene(NamedTuple):
    begin: float
    end: float
    """Seconds of the story."""
    caption: str


SCENES: Final = [
    Scene(3.4, 6.6, "Steps on marble: Ada hears something, and sees a shadow"),
    Scene(18.9, 21.9, "A jewel is taken: the alarm calls all three"),
    Scene(46.0, 50.4, "Seen: she runs after him, until she has lost him"),
    Scene(99.0, 101.0, "The last of the jewels"),
    Scene(102.4, 106.9, "The gate is open. Run!"),
]


def frames(scenes: Iterable[Scene], width: int = WIDTH) -> Iterator[Image.Image]:
    """Yield the pictures of some scenes, so wide in pixels."""
    pygame.font.init()
    story = Story()
    surface = pygame.Surface(size_of(story.game.world))
    picture = Picture(story.game, story.chronicle)
    height = round(surface.get_height() * width / surface.get_width())
    for scene in scenes:
        for number in range(round((scene.end - scene.begin) * FRAMES_PER_SECOND)):
            story.run(until=scene.begin + number / FRAMES_PER_SECOND)
            picture.draw(surface, overlay=True, waits=True)
            write_caption(surface, scene.caption)
            small = pygame.transform.smoothscale(surface, (width, height))
            yield Image.frombytes("RGB", small.get_size(), pygame.image.tobytes(small, "RGB"))


def write_caption(surface: pygame.Surface, caption: str) -> None:
    """Write the caption in the place of the panel."""
    width, height = surface.get_size()
    band = pygame.Rect(0, height - PANEL_HEIGHT + 2, width, PANEL_HEIGHT)
    pygame.draw.rect(surface, PANEL, band)
    write(surface, caption, 44, GOLD, center=(width / 2, height - PANEL_HEIGHT / 2))


def make(file: Path, scenes: Iterable[Scene] = SCENES, width: int = WIDTH) -> None:
    """Write the film into a file; it loops forever. Its first picture lies beside it."""
    *others, last = frames(scenes, width)
    film = [Frame(image, 1000 // FRAMES_PER_SECOND) for image in others]
    write_film(file, [*film, Frame(last, round(1000 * LAST_FRAME))], quality=QUALITY)


if __name__ == "__main__":
    make(FILM)
