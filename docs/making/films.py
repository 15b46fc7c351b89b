"""Films for the pages: animated pictures that loop forever."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from PIL import Image


class Frame(NamedTuple):
    """A picture, and for how many milliseconds it is shown."""

    image: Image.Image
    milliseconds: int


def write_film(
    file: Path, frames: Iterable[Frame], *, quality: int = 60, lossless: bool = False
) -> None:
    """Write a film as WebP; after the first frame only what has changed is kept.

    Its first picture lies beside it: `film_still.webp` for those who want no motion.
    """
    shown = [*frames]
    first, *others = (frame.image for frame in shown)
    first.save(
        file, save_all=True, append_images=others, loop=0, method=4, quality=quality,
        duration=[frame.milliseconds for frame in shown], lossless=lossless,
        kmin=len(shown), kmax=len(shown) + 1,
    )  # fmt: skip
    first.save(file.with_stem(f"{file.stem}_still"), quality=70, method=6)
