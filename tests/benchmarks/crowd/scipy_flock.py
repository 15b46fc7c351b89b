"""The same flock in NumPy, with those near found by scipy's k-d tree."""

from __future__ import annotations

from itertools import chain

import numpy as np
from flock import (
    ALIGNMENT,
    COHESION,
    DT,
    SEPARATION,
    SIGHT,
    SPEED,
    TOO_CLOSE,
    beginning,
    width_for,
)
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Column = NDArray[np.float64]
Indices = NDArray[np.intp]


class PairsFlock:
    """Each pair is found once, by `query_pairs`, and what they see is summed by `bincount`."""

    def __init__(self, size: int) -> None:
        self.size, self.width = size, width_for(size)
        self.columns = beginning(size)
        self.found: dict[str, Column] = {}

    def tree(self) -> cKDTree:
        points = np.column_stack((self.columns["x"], self.columns["y"]))
        return cKDTree(points, boxsize=self.width)

    def look(self) -> None:
        """Find out what each sees of the others."""
        one, other = self.tree().query_pairs(SIGHT, output_type="ndarray").T
        way_x, way_y = self.way("x", one, other), self.way("y", one, other)
        near = self.count(one, other)
        some = np.maximum(near, 1)
        vx, vy = self.columns["vx"], self.columns["vy"]
        self.found = {
            "near": near,
            "flow_x": self.sum(one, other, vx[other], vx[one]) / some,
            "flow_y": self.sum(one, other, vy[other], vy[one]) / some,
            "to_x": self.sum(one, other, way_x, -way_x) / some,
            "to_y": self.sum(one, other, way_y, -way_y) / some,
        }
        close = way_x * way_x + way_y * way_y <= TOO_CLOSE * TOO_CLOSE
        one, other, way_x, way_y = one[close], other[close], way_x[close], way_y[close]
        some = np.maximum(self.count(one, other), 1)
        self.found["close_x"] = self.sum(one, other, way_x, -way_x) / some
        self.found["close_y"] = self.sum(one, other, way_y, -way_y) / some

    def way(self, name: str, one: Indices, other: Indices) -> Column:
        """Return the shorter way from one to the other along a coordinate."""
        column = self.columns[name]
        way = column[other] - column[one]
        return way - self.width * np.rint(way / self.width)

    def count(self, one: Indices, other: Indices) -> NDArray[np.intp]:
        return np.bincount(one, minlength=self.size) + np.bincount(other, minlength=self.size)

    def sum(self, one: Indices, other: Indices, for_one: Column, for_other: Column) -> Column:
        size = self.size
        return np.bincount(one, for_one, size) + np.bincount(other, for_other, size)

    def step(self) -> None:
        """Look, and fly on."""
        self.look()
        sees = self.found["near"] > 0
        for axis in "xy":
            along = ALIGNMENT * (self.found[f"flow_{axis}"] - self.columns[f"v{axis}"]) * sees
            towards = COHESION * self.found[f"to_{axis}"]
            apart = SEPARATION * self.found[f"close_{axis}"]
            self.columns[f"v{axis}"] += (along + towards - apart) * DT
        length = np.sqrt(self.columns["vx"] ** 2 + self.columns["vy"] ** 2) + 1e-9
        for axis in "xy":
            self.columns[f"v{axis}"] *= SPEED / length
            place = self.columns[axis] + self.columns[f"v{axis}"] * DT
            self.columns[axis] = place % self.width

    def seen(self) -> dict[str, Column]:
        """Return what was seen last."""
        return self.found


class BallsFlock(PairsFlock):
    """A list of those near is made for each, by `query_ball_point` in two threads."""

    def look(self) -> None:
        """Find out what each sees of the others."""
        tree = self.tree()
        lists = tree.query_ball_point(tree.data, SIGHT, workers=2, return_sorted=False)
        counts = np.fromiter(map(len, lists), np.intp, self.size)
        other = np.fromiter(chain.from_iterable(lists), np.intp, counts.sum())
        one = np.repeat(np.arange(self.size), counts)
        one, other = one[is_other := one != other], other[is_other]
        way_x, way_y = self.way("x", one, other), self.way("y", one, other)
        some = np.maximum(counts - 1, 1)
        flows = (self.columns[name][other] for name in ("vx", "vy"))
        self.found = {"near": counts - 1}
        for name, values in zip(
            ("flow_x", "flow_y", "to_x", "to_y"), (*flows, way_x, way_y), strict=True
        ):
            self.found[name] = np.bincount(one, values, self.size) / some
        close = way_x * way_x + way_y * way_y <= TOO_CLOSE * TOO_CLOSE
        some = np.maximum(np.bincount(one[close], minlength=self.size), 1)
        self.found["close_x"] = np.bincount(one[close], way_x[close], self.size) / some
        self.found["close_y"] = np.bincount(one[close], way_y[close], self.size) / some
