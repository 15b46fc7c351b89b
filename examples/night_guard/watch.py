"""A guard on watch: where he is and looks, what he sees, and where he believes the thief to be."""

from __future__ import annotations

from attrs import define, field
from difficulty import Difficulty, Speeds
from noises import Noise
from thief import Thief
from ways import find_way
from world import World

from actions import Sees
from fsmkit import TimeReference
from fsmkit.pathfinding import Tile
from fsmkit.space import Position, Transform, distance

RADIUS = 0.28
REACH = 0.62
"""Tiles."""
THROUGH_WALLS = 0.5
"""The share of its loudness that a noise keeps."""


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
    sees_thief: Sees = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.body = Transform(self.round[0])
        self.lead = self.round[0]
        sight = self.difficulty.sight
        self.sees_thief = Sees(
            self.body, self.thief.body, sight.range,
            angle=sight.angle, close=sight.close, clear=self.world,
        )  # fmt: skip

    @property
    def speeds(self) -> Speeds:
        return self.difficulty.speeds

    def has_thief(self) -> bool:
        return self.thief_distance < REACH and self.sees_thief()

    @property
    def thief_distance(self) -> float:
        return distance(self.body.position, self.thief.body.position)

    def hears(self, noise: Noise) -> bool:
        """Return True if he is near enough to hear it, through a wall or not."""
        ears = self.body.position
        is_clear = self.world.is_clear(noise.place, ears)
        reach = noise.loudness if is_clear else noise.loudness * THROUGH_WALLS
        return distance(noise.place, ears) < reach * self.difficulty.hearing

    def way_to(self, place: Position) -> list[Position]:
        """Return the corners of the way there; the last is next to it, as others may come too."""
        goal = self.world.moved(place, self.side, RADIUS)
        return find_way(self.world, self.body.position, goal)
