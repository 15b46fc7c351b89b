"""The sounds of the night, computed when the game starts: there are no sound files.

A sound is a function of time: of the seconds since it began it makes a number from -1 to 1.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import cos, exp, pi, sin
from random import Random
from typing import Final, TypeAlias

Wave: TypeAlias = Callable[[float], float]

RATE: Final = 22_050
"""Samples per second, of one channel."""
LOUDEST: Final = 32_767
EDGE: Final = 0.004
"""Seconds in which a sound comes and goes, so that it does not click."""

TURN: Final = 2 * pi


def samples(wave: Wave, seconds: float, *, loops: bool = False) -> array[int]:
    """Return the samples of a wave: 16 bits each, never louder than 1.

    A sound that loops continues at its beginning, and has no edges.
    """
    count = round(seconds * RATE)
    loud = [wave(number / RATE) for number in range(count)]
    if not loops:
        for number in range(min(round(EDGE * RATE), count // 2)):
            loud[number] *= number / (EDGE * RATE)
            loud[-1 - number] *= number / (EDGE * RATE)
    return array("h", (round(LOUDEST * max(-1.0, min(1.0, each))) for each in loud))


def step_on_stone(time: float) -> float:
    return 0.5 * hiss(time, 3) * exp(-70 * time) + 0.5 * sin(TURN * 170 * time) * exp(-45 * time)


def step_on_wood(time: float) -> float:
    return 0.2 * hiss(time, 7) * exp(-60 * time) + 0.6 * sin(TURN * 105 * time) * exp(-40 * time)


def step_on_carpet(time: float) -> float:
    return 0.5 * hiss(time, 14) * exp(-50 * time)


def door(time: float) -> float:
    """Wood that slides, and stops."""
    slides = 0.5 * hiss(time, 9) * sin(pi * min(1.0, time / 0.28))
    since = time - 0.26
    stops = 0.7 * sin(TURN * 92 * since) * exp(-30 * since) if since > 0.0 else 0.0
    return slides + stops


def huh(time: float) -> float:
    """A voice that rises."""
    return 0.7 * voice(135 * time + 130 * time * time) * sin(pi * min(1.0, time / 0.36))


def hey(time: float) -> float:
    """A voice that falls, and louder."""
    return voice(290 * time - 130 * time * time) * min(1.0, 12 * time) * exp(-5 * time)


def siren(time: float) -> float:
    """Up and down again in 0.9 seconds: 630 swings, so that it ends as it began."""
    phase = TURN * (700 * time) - 200 * 0.9 * (cos(TURN * time / 0.9) - 1.0)
    return 0.3 * sin(phase) + 0.1 * sin(3 * phase)


def jewel(time: float) -> float:
    """Four small bells, one after another."""
    return 0.4 * sum(bell(time - 0.07 * k, f) for k, f in enumerate((1319, 1568, 1976, 2637)))


def caught(time: float) -> float:
    """A door of iron."""
    thud = 0.5 * sin(TURN * 62 * time) * exp(-9 * time)
    rings = sum(sin(TURN * f * time) for f in (211, 337, 523, 811, 1277)) * exp(-6 * time)
    return thud + 0.09 * rings + 0.25 * hiss(time, 2) * exp(-30 * time)


def escaped(time: float) -> float:
    """A chord, note by note."""
    notes = (523, 659, 784, 1047)
    return 0.28 * sum(bell(time - 0.14 * k, f, 2.6) for k, f in enumerate(notes))


def click(time: float) -> float:
    return 0.35 * sin(TURN * 880 * time) * exp(-60 * time)


def bell(time: float, pitch: float, decay: float = 7.0) -> float:
    if time < 0.0:
        return 0.0
    rings = sin(TURN * pitch * time) + 0.3 * sin(TURN * 2.76 * pitch * time) * exp(-9 * time)
    return rings * exp(-decay * time) * min(1.0, time / EDGE)


def voice(swings: float) -> float:
    """Return the sound of a voice after so many swings of its cords: an open mouth."""
    strengths = (0.30, 0.26, 0.30, 0.22, 0.10, 0.05)
    return sum(s * sin(TURN * (k + 1) * swings) for k, s in enumerate(strengths))


def hiss(time: float, softness: int) -> float:
    """Return noise; the softer, the duller."""
    place = time * RATE / softness
    number, share = int(place) % len(_NOISE), place % 1.0
    return _NOISE[number - 1] * (1.0 - share) + _NOISE[number] * share


_NOISE: Final = [1.0 - 2.0 * byte / 255 for byte in Random(5).randbytes(8_192)]

SOUNDS: Final[dict[str, Callable[[], array[int]]]] = {
    "step_on_stone": lambda: samples(step_on_stone, 0.10),
    "step_on_wood": lambda: samples(step_on_wood, 0.11),
    "step_on_carpet": lambda: samples(step_on_carpet, 0.10),
    "door": lambda: samples(door, 0.45),
    "huh": lambda: samples(huh, 0.36),
    "hey": lambda: samples(hey, 0.40),
    "siren": lambda: samples(siren, 0.9, loops=True),
    "jewel": lambda: samples(jewel, 0.8),
    "caught": lambda: samples(caught, 0.9),
    "escaped": lambda: samples(escaped, 1.4),
    "click": lambda: samples(click, 0.06),
}
"""What makes the samples of each sound."""
