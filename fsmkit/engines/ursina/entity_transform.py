"""EntityTransform: an Entity as the actions see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import define
from ursina import Color

from fsmkit.engines.panda3d import NodeTransform


@define(eq=False)
class EntityTransform(NodeTransform):
    """An Entity as the actions see it: `position`, `rotation`, `scale`, `color`, `alpha`.

    Those are the world's (Ursina's `world_position`), while `local_position`, `local_rotation` and
    `local_scale` (`Space.SELF`) are relative to the parent. Units and axes are Ursina's: x to the
    right, y up, z forward.

    `axes` names the numbers of a position, and so decides which way the entity turns:

    - `"xyz"`: three numbers; the rotation goes from x towards y, opposite to Ursina's `rotation_z`;
    - `"xy"`: the same with two numbers, the depth stays as it is; for 2-D;
    - `"xz"`: on the ground, the height stays as it is; the rotation goes from x towards z, against
      Ursina's `rotation_y`.

    `forward` is where the model faces unturned, in degrees as `rotation`: 90 for one that faces
    along +z on the ground, as Ursina's entities do, or for a picture that faces up. Everything else
    is as for `NodeTransform`.
    """

    TURNS: ClassVar[Mapping[str, tuple[int, float]]] = {
        "xyz": (2, -1.0),
        "xy": (2, -1.0),
        "xz": (0, 1.0),
    }
    OPTION: ClassVar[str] = "entity"

    @property
    def tint(self) -> tuple[float, ...]:
        """The colour in the engine's terms: red, green, blue and alpha from 0 to 1."""
        return tuple(self._there.color)

    @tint.setter
    def tint(self, tint: tuple[float, ...]) -> None:
        self._there.color = Color(*tint)
