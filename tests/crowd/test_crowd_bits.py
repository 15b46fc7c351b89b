"""Arithmetic gives the same bits compiled as in Python, over numbers large, small and odd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm

COUNT = 20_000


@define
class Numbers:
    x: float = 0.0
    y: float = 0.0
    n: int = 0
    sqrt: float = 0.0
    sin: float = 0.0
    cos: float = 0.0
    tan: float = 0.0
    atan: float = 0.0
    atan2: float = 0.0
    exp: float = 0.0
    log: float = 0.0
    mod: float = 0.0
    floor_div: float = 0.0
    asin: float = 0.0
    acos: float = 0.0
    least: float = 0.0
    greatest: float = 0.0
    rounded: int = 0
    floored: int = 0
    ceiled: int = 0
    whole: int = 0
    int_mod: int = 0
    int_div: int = 0
    true_div: float = 0.0
    chained: bool = False


def reckon(it: Any, world: Any) -> None:
    it.sqrt = math.sqrt(abs(it.x))
    it.sin = math.sin(it.x)
    it.cos = math.cos(it.x)
    it.tan = math.tan(it.x)
    it.atan = math.atan(it.x)
    it.atan2 = math.atan2(it.x, it.y)
    it.exp = math.exp(it.y)
    it.log = math.log(abs(it.x) + 1e-300)
    it.mod = it.x % it.y
    it.floor_div = it.x // it.y
    it.asin = math.asin(it.y / 10.0)
    it.acos = math.acos(it.y / 10.0)
    it.least = min(it.x, it.y, it.n)
    it.greatest = max(it.x, it.y, it.n)
    it.rounded = round(it.x)
    it.floored = math.floor(it.x)
    it.ceiled = math.ceil(it.x)
    it.whole = int(it.x)
    it.int_mod = it.n % 7 + it.n % -5
    it.int_div = it.n // 3 + it.n // -4
    it.true_div = it.n / 3 + (it.n + 1) / it.y
    it.chained = it.y < it.x <= it.n or not it.x > it.n


def build() -> CrowdFsm:
    machine = CrowdFsm("Numbers", Numbers)
    machine.add_state("Reckon").add_action(CrowdAction(on_update=reckon))
    return machine


@pytest.mark.parametrize("seed", [1, 2])
def test_every_result_has_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(COUNT) * 10.0 ** rng.integers(-12, 12, COUNT)
    x[:8] = 0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 5e-324
    y = rng.uniform(-9.9, 9.9, COUNT)
    crowds = [Crowd(build(), COUNT, start="Reckon", engine=each) for each in ("python", "compiled")]
    for crowd in crowds:
        crowd["x"], crowd["y"] = x, y
        crowd["n"] = rng.__class__(np.random.PCG64(seed)).integers(-1000, 1000, COUNT)
        crowd.update(0.1)
    interpreted, compiled = (crowd._store.arrays() for crowd in crowds)
    different = [
        name for name in interpreted if interpreted[name].tobytes() != compiled[name].tobytes()
    ]
    assert different == []


def fail_in_turn(it: Any, world: Any) -> None:
    if it.n == 0:
        it.x = 1.0 / it.y
    elif it.n == 1:
        it.x = math.sqrt(it.x)
    elif it.n == 2:
        it.x = math.exp(it.x)
    elif it.n == 3:
        it.whole = int(it.y / (it.x - it.x + 1e-320))
    elif it.n == 4:
        it.whole = it.n % it.whole
    elif it.n == 5:
        it.x = math.log(it.y)
    elif it.n == 6:
        it.x = math.asin(it.x)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_the_same_errors_are_raised_for_the_same_agents(engine: Any) -> None:
    machine = CrowdFsm("Numbers", Numbers)
    machine.add_state("Fail").add_action(CrowdAction(on_update=fail_in_turn))
    crowd = Crowd(machine, 8, start="Fail", engine=engine)
    crowd["n"] = range(8)
    crowd["x"] = [0.0, -1.0, 1e6, 1.0, 0.0, 0.0, 2.0, 0.0]
    crowd["y"] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    with pytest.raises(ExceptionGroup) as caught:
        crowd.update(0.1)
    told = [
        (type(each).__name__, each.__notes__[0].split(", ")[1]) for each in caught.value.exceptions
    ]
    assert told == [
        ("ZeroDivisionError", "agent 0"), ("ValueError", "agent 1"), ("OverflowError", "agent 2"),
        ("OverflowError", "agent 3"), ("ZeroDivisionError", "agent 4"), ("ValueError", "agent 5"),
        ("ValueError", "agent 6"),
    ]  # fmt: skip
