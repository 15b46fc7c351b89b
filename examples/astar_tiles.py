"""Pathfinding: maps, and rules that the map does not know.

    python examples/astar_tiles.py
    fsmkit run examples/astar_tiles.py --seconds 12

A frog and a soldier look for the way across a lake: the same graph, but only one of them swims.
A pupil in a classroom walks from the chair to the water fountain: around the corner of a wall,
past the trash can, and not through the corner. Then the frog goes her way.
"""

from dataclasses import dataclass, field

from actions import FollowPath, TimedWait
from fsmkit import FAILED, FINISHED, Fsm
from fsmkit.pathfinding import (
    AStar,
    AStarPath,
    Diagonals,
    Grid,
    NodeHandle,
    Tile,
    octile,
)
from fsmkit.space import Transform

LAKE = """
....~~~.
.....~~.
..~.~~~.
.~~~~~..
....~...
........
"""

CLASS_ROOM = """
c#
tf
"""
"""A chair, a wall, a trash can and a fountain."""


class OnLand:
    """The rules of those who do not swim."""

    def is_reachable(self, tile: Tile) -> bool:
        return terrain(tile) != "~"

    def can_move(self, _start: Tile, end: Tile) -> bool:
        return terrain(end) != "~"


def terrain(tile: Tile) -> str:
    x, y = tile
    return LAKE.split()[y][x]


def build_world() -> tuple[AStar[Tile], dict[Tile, NodeHandle[Tile]]]:
    """Return a node for every tile, connected with its eight neighbours."""
    world: AStar[Tile] = AStar()
    rows = LAKE.split()
    nodes = {
        (x, y): world.add((x, y))
        for y, row in enumerate(rows)
        for x in range(len(row))
    }
    for (x, y), node in nodes.items():
        for near in [
            (x + dx, y + dy)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if dx or dy
        ]:
            if near in nodes:
                node.add_path(nodes[near], octile((x, y), near))
    return world, nodes


def way(start: Tile, goal: Tile, rules: OnLand | None) -> AStarPath[Tile]:
    world, nodes = build_world()
    path: AStarPath[Tile] = AStarPath()
    world.resolve_path(path, nodes[start], nodes[goal], octile, rules)
    return path


def drawn(path: AStarPath[Tile]) -> str:
    """Return the lake with the path on it."""
    tiles = set(path)
    return "\n".join(
        "    "
        + "".join(
            "o" if (x, y) in tiles else letter for x, letter in enumerate(row)
        )
        for y, row in enumerate(LAKE.split())
    )


@dataclass
class Frog:
    body: Transform = field(default_factory=lambda: Transform((1.0, 1.0)))

    def way_across(self) -> AStarPath[Tile]:
        return way((1, 1), (7, 0), None)


def build() -> Fsm[Frog]:
    frog = Frog()
    fsm = Fsm("Frog", context=frog)
    rest, cross = fsm.add_state("Rest"), fsm.add_state("Cross")
    there = fsm.add_state("There", final=True)
    rest.add_action(TimedWait(1.0))
    cross.add_action(FollowPath(frog.body, frog.way_across, speed=1.0))
    rest.add_transition(FINISHED, cross)
    cross.add_transition(FINISHED, there)
    cross.add_transition(FAILED, rest)  # no way across
    return fsm


def main() -> None:
    for name, rules in (("frog", None), ("soldier", OnLand())):
        path = way((1, 1), (7, 0), rules)
        print(f"The {name} gets across in {path.cost:.2f}:\n{drawn(path)}")
    swim = way((1, 1), (5, 2), OnLand())
    print(f"To the middle of the lake she does not even look for a way: {swim}")

    for rule in (Diagonals.ALWAYS, Diagonals.BOTH_FREE):
        room = Grid(
            CLASS_ROOM, diagonals=rule, compiled=False
        )  # too small to load numba for
        route = room.find_path((0, 0), (1, 1))
        stops = " -> ".join(
            {(0, 0): "chair", (0, 1): "trash can"}.get(t, "fountain")
            for t in route
        )
        print(f"{rule.name}: {stops}")

    fsm = build()
    fsm.start()
    while not fsm.current_state or not fsm.current_state.final:
        fsm.update(0.5)
        x, y = fsm.context.body.position
        print(f"{fsm.time:4.1f} s  the frog is at ({x:.1f}, {y:.1f})")


if __name__ == "__main__":
    main()
