"""A guard on watch: where he is and looks, what he sees, and where he believes the thief to be."""

from __future__ import annotations

from attrs import define, field
from difficulty import Difficulty
from thief import Thief
from ways import find_way
from world import World

from fsmkit import TimeReference
from fsmkit.pathfinding import Tile
from fsmkit.space import Position, Transform, distance

RADIUS = 0.28
REACH = 0.62
"""Tiles."""


@define(eq=False)
class Guard:
    name: str
    round: list[Tile]
    """The corners of his round."""
    side: Position
    """His offset from a place that others go to as well."""
    thief: Thief
    world: World
    difficulty: Difficulty
    body: Transform = field(init=False)
    legs: TimeReference = field(factory=lambda: TimeReference("legs"), init=False)
    """The time of all that has him walk; it is paused before a door."""
    lead: Position = field(init=False)
    """The place where the thief was last seen or heard."""

    def __attrs_post_init__(self) -> None:
        self.body = Transform(self.round[0])
        self.lead = self.round[0]

    @property
    def sees_thief(self) -> bool:
        return self.world.sees(self.body, self.thief.body.position, self.difficulty.sight)

    @property
    def has_thief(self) -> bool:
        return self.sees_thief and self.thief_distance < REACH

    @property
    def thief_distance(self) -> float:
        return distance(self.body.position, self.thief.body.position)

    def way_to(self, place: Position) -> list[Position]:
        """Return the corners of the way there; the last is beside it, as others may come too."""
        goal = self.world.moved(place, self.side, RADIUS)
        return find_way(self.world, self.body.position, goal)
