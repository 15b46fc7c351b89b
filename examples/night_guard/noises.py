"""Noises: what is to be heard, and for how long it is remembered."""

from __future__ import annotations

from attrs import frozen

from fsmkit.space import Position

ECHO = 0.8
"""Seconds for which a noise is remembered."""


@frozen
class Noise:
    place: Position
    loudness: float
    """The distance in tiles at which it is heard."""
    time: float
