"""How good the guards are: how fast they walk, how far they see, how well they hear."""

from __future__ import annotations

from typing import Final

from attrs import frozen


@frozen
class Speeds:
    """Tiles per second."""

    walk: float
    hurry: float
    run: float


@frozen
class Sight:
    """Tiles and degrees."""

    range: float
    angle: float
    close: float
    """Nearer than that one is noticed from behind as well."""


@frozen
class Difficulty:
    name: str
    speeds: Speeds
    sight: Sight
    hearing: float
    """How far a guard hears, as a share of the distance at which everybody hears a noise."""
    thorough: bool = False
    """Whether he stops at the corners of his round to look around."""


EASY: Final = Difficulty("easy", Speeds(1.4, 2.1, 2.6), Sight(5.0, 60.0, 0.9), hearing=0.7)
NORMAL: Final = Difficulty("normal", Speeds(1.6, 2.5, 3.0), Sight(6.5, 74.0, 1.1), hearing=1.0)
HARD: Final = Difficulty(
    "hard", Speeds(1.8, 2.9, 3.6), Sight(8.0, 90.0, 1.3), hearing=1.3, thorough=True
)

DIFFICULTIES: Final = {each.name: each for each in (EASY, NORMAL, HARD)}
