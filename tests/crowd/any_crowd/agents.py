"""The agents and the world of random machines, and what their functions know from outside."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np
from attrs import define, field

from fsmkit import FINISHED
from fsmkit.crowd import Table, exponential, normal, random, spawn, uniform


class Mode(IntEnum):
    LOW = 0
    MIDDLE = 2
    HIGH = 5


@define
class Agent:
    x: float = 0.5
    y: float = -1.0
    n: int = 1
    m: int = 0
    b: bool = False
    mode: Mode = Mode.LOW
    left: float = 0.0
    births: int = 3
    i: int = 0


@define
class World:
    level: float = 0.75
    k: int = 2
    on: bool = True
    row: Table[float] = (0.5, -1.5, 2.5)  # type: ignore[assignment]
    grid: Table[int] = field(factory=lambda: Table(np.array([[1, 2, 3], [4, 5, 6]], np.int8)))
    mask: Table[bool] = (True, False, True, True)  # type: ignore[assignment]


SPEEDS = (0.5, -1.25, 2.0)
CELLS = ((1, 2, 3), (4, 5, 6))
EVENTS = ("GO", "STOP", "DIE", FINISHED)
OUTSIDE = {
    "SPEEDS": SPEEDS, "CELLS": CELLS, "Mode": Mode, "math": math, "random": random,
    "uniform": uniform, "normal": normal, "exponential": exponential, "spawn": spawn,
}  # fmt: skip
