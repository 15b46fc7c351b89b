"""A map of hexagons: a courier rides to the castle by the ford, and home by the bridge.

    python examples/hexagons.py
    python examples/hexagons.py --svg map.svg
    fsmkit run examples/hexagons.py --seconds 20

A position is a pair of axial coordinates; a step costs as much as the ground that it leads to.
While the courier delivers, the river floods the ford: its node is removed, so she has to go another
way.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import cos, pi, sin, sqrt
from pathlib import Path

from actions import DelegateAction, FollowPath, TimedWait
from fsmkit import FAILED, FINISHED, Fsm
from fsmkit.pathfinding import AStar, AStarPath
from fsmkit.space import Transform

Hexagon = tuple[int, int]
Point = tuple[float, float]

COUNTRY = """
. . . f f ~ . . ^ ^ . . .
 . . f f ~ . . ^ # ^ . . .
. . . . ~ . . f ^ # ^ . .
 . . f . = . . f ^ ^ . . .
. . f f ~ . . . f . . . .
 . f f . ~ . . f f . . . .
. . f . . ~ . . f . . . .
 . . . . ~ . . . . . . . .
. . . . B . . . . . . . .
"""
"""Meadow, forest, hills, mountains, river, a ford and a bridge. Every other row is half a hexagon
to the right."""

COSTS = {".": 1.0, "f": 2.5, "^": 3.0, "=": 2.0, "B": 1.0}
COLOURS = {
    ".": "#a9cf7a", "f": "#5d9652", "^": "#cdb380", "#": "#8d8681", "~": "#78b0e0",
    "=": "#b5d5ee", "B": "#b88a5b",
}  # fmt: skip
AROUND = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
MILL, FORD, CASTLE = (-1, 3), (3, 3), (10, 2)
SPEED = 4.0

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 92 55" font-family="sans-serif" '
    'font-size="2.6" text-anchor="middle" stroke-linejoin="round" stroke-linecap="round">'
)


def grounds() -> Iterator[tuple[Hexagon, str]]:
    for row, line in enumerate(COUNTRY.strip("\n").splitlines()):
        for place, ground in enumerate(line.split()):
            yield (place - row // 2, row), ground


def distance(one: Hexagon, other: Hexagon) -> float:
    """Return the number of steps from one to the other: the estimate of A*."""
    dq, dr = one[0] - other[0], one[1] - other[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def center(place: Hexagon) -> Point:
    """Return where it lies on the map, if a side of a hexagon is 1 long."""
    return sqrt(3) * (place[0] + place[1] / 2), 1.5 * place[1]


class Country:
    """The graph of all hexagons that a rider can enter."""

    def __init__(self) -> None:
        self.graph: AStar[Hexagon] = AStar()
        costs = {
            place: COSTS[ground]
            for place, ground in grounds()
            if ground in COSTS
        }
        self.nodes = {place: self.graph.add(place) for place in costs}
        for (q, r), node in self.nodes.items():
            for near in ((q + dq, r + dr) for dq, dr in AROUND):
                if near in costs:
                    node.add_path(self.nodes[near], costs[near])

    def way(self, start: Hexagon, goal: Hexagon) -> AStarPath[Hexagon]:
        path: AStarPath[Hexagon] = AStarPath()
        self.graph.resolve_path(
            path, self.nodes[start], self.nodes[goal], distance
        )
        return path

    def flood(self) -> None:
        if FORD in self.nodes:
            self.graph.remove(self.nodes.pop(FORD))


@dataclass
class Courier:
    country: Country = field(default_factory=Country)
    body: Transform = field(default_factory=lambda: Transform(center(MILL)))

    def ride(self, start: Hexagon, goal: Hexagon) -> FollowPath:
        return FollowPath(
            self.body, lambda: map(center, self.country.way(start, goal)), SPEED
        )


def build() -> Fsm[Courier]:
    courier = Courier()
    fsm = Fsm("Courier", context=courier)
    out, deliver = fsm.add_state("Ride out"), fsm.add_state("Deliver")
    back, home = fsm.add_state("Ride back"), fsm.add_state("Home", final=True)
    out.add_action(courier.ride(MILL, CASTLE))
    deliver.add_action(DelegateAction(on_enter=courier.country.flood))
    deliver.add_action(TimedWait(2.0))
    back.add_action(courier.ride(CASTLE, MILL))
    out.add_transition(FINISHED, deliver)
    deliver.add_transition(FINISHED, back)
    back.add_transition(FINISHED, home)
    stranded = fsm.add_state("Stranded", final=True, failed=True)
    fsm.add_global_transition(FAILED, stranded)  # no way there
    return fsm


# The map


def drawn(path: Iterable[Hexagon]) -> str:
    """Return the map as a text, with the way on it."""
    way = set(path)
    rows: dict[int, list[str]] = {}
    for place, ground in grounds():
        rows.setdefault(place[1], []).append("o" if place in way else ground)
    return "\n".join(
        "    " + " " * (row % 2) + " ".join(line) for row, line in rows.items()
    )


def picture(out: Iterable[Hexagon], back: Iterable[Hexagon]) -> str:
    """Return the map as SVG: the way out as a line, the way back dashed."""
    parts = [
        SVG,
        *(
            hexagon(center(place), COLOURS[ground])
            for place, ground in grounds()
        ),
        line(out, "#ffffff", 1.6),
        line(back, "#ffffff", 1.6),
        line(out, "#7a1f3d", 0.9),
        line(back, "#1d3a6b", 0.9, "1.6 1.8"),
        *label(MILL, "mill"),
        *label(FORD, "ford"),
        *label(CASTLE, "castle"),
        "</svg>\n",
    ]
    return "\n".join(parts)


def scaled(point: Point) -> Point:
    return round(point[0] * 3.75 + 1, 2), round(point[1] * 3.75 + 1, 2)


def hexagon(middle: Point, colour: str) -> str:
    x, y = middle
    corners = (
        scaled((x + sin(turn * pi / 3), y + cos(turn * pi / 3)))
        for turn in range(6)
    )
    points = " ".join(f"{x},{y}" for x, y in corners)
    return f'<polygon points="{points}" fill="{colour}" stroke="#ffffff" stroke-width="0.4"/>'


def line(
    way: Iterable[Hexagon], colour: str, width: float, dashes: str = "none"
) -> str:
    points = " ".join(
        f"{x},{y}" for x, y in (scaled(center(place)) for place in way)
    )
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-dasharray="{dashes}"/>'
    )


def label(place: Hexagon, name: str) -> Iterator[str]:
    x, y = scaled(center(place))
    yield f'<circle cx="{x}" cy="{y}" r="1.1" fill="#ffffff" stroke="#333333" stroke-width="0.5"/>'
    yield (
        f'<text x="{x}" y="{y - 1.9:.2f}" fill="#222222" stroke="#ffffff" stroke-width="0.6" '
        f'paint-order="stroke">{name}</text>'
    )


def main() -> None:
    country = Country()
    out = country.way(MILL, CASTLE)
    country.flood()
    back = country.way(CASTLE, MILL)
    if sys.argv[1:2] == ["--svg"]:
        Path(sys.argv[2]).write_text(picture(out, back), "utf-8", newline="\n")
        return
    for name, path in (("out", out), ("back", back)):
        steps = sum(distance(*step) for step in pairwise(path))
        print(
            f"The way {name}, {steps} steps, costs {path.cost}:\n{drawn(path)}"
        )
    fsm = build()
    fsm.start()
    while fsm.current_state and not fsm.current_state.final:
        x, y = fsm.context.body.position
        print(
            f"{fsm.time:4.1f} s  {fsm.current_state.name:9}  at ({x:4.1f}, {y:4.1f})"
        )
        fsm.update(1.0)
    print(f"{fsm.time:4.1f} s  home")


if __name__ == "__main__":
    main()
