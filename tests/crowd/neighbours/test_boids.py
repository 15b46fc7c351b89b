"""Boids: flocks form out of disorder, and their picture in the documentation.

`python tests/crowd/neighbours/test_boids.py` redraws it.
"""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from fsmkit.crowd import Crowd

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "_static" / "crowd" / "boids.svg"


def flown(seconds: int, size: int = 2_000, engine: Any = "compiled") -> tuple[Crowd, list[float]]:
    """The example after some seconds, and how far they agreed after each."""
    boids = run_path(str(ROOT / "examples" / "boids.py"))
    crowd = Crowd(boids["build"](), size, seed=7, engine=engine)
    boids["prepare"](crowd)
    orders = [boids["order"](crowd)]
    for _ in range(seconds):
        crowd.update(1 / boids["FPS"], steps=boids["FPS"])
        orders.append(boids["order"](crowd))
    return crowd, orders


@pytest.fixture(scope="module")
def ten_seconds() -> tuple[Crowd, list[float]]:
    return flown(10)


@pytest.mark.slow  # as the examples of crowds are
def test_boids_come_to_fly_in_one_direction(ten_seconds: tuple[Crowd, list[float]]) -> None:
    crowd, orders = ten_seconds
    assert orders[0] < 0.05
    assert orders[10] > 0.5
    assert crowd.count()["Flocking"] > 1_900


@pytest.mark.slow
def test_the_picture_is_up_to_date(ten_seconds: tuple[Crowd, list[float]]) -> None:
    draw = run_path(str(ROOT / "examples" / "boids.py"))["picture"]
    assert draw(ten_seconds[0]) == PICTURE.read_text("utf-8")


@pytest.mark.slow
def test_the_python_engine_flies_the_same_way() -> None:
    interpreted, compiled = flown(1, 60, "python")[0], flown(1, 60)[0]
    for name in ("x", "y", "vx", "vy", "near", "to_x", "close_y"):
        assert interpreted[name].tolist() == compiled[name].tolist()


if __name__ == "__main__":
    example = run_path(str(ROOT / "examples" / "boids.py"))
    PICTURE.write_text(example["picture"](flown(10)[0]), "utf-8")
