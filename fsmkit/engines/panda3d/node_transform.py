"""NodeTransform: a NodePath as the actions see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from attrs import define, field
from panda3d.core import NodePath, TransparencyAttrib

from fsmkit.engines.parts.lifetime import ThingGoneError
from fsmkit.engines.parts.tinted import Color, Tinted
from fsmkit.space import Position

WORLD: Final = NodePath()
"""The space above the top of every scene graph, for Panda3D."""


def _check_axes(transform: NodeTransform, _attribute: object, axes: str) -> None:
    if axes not in transform.TURNS:
        raise ValueError(
            f"axes must be one of {', '.join(map(repr, transform.TURNS))}, got {axes!r}."
        )


@define(eq=False)
class NodeTransform(Tinted):
    """A NodePath as the actions see it: `position`, `rotation`, `scale`, `color`, `alpha`.

    Those are the world's; `local_position`, `local_rotation` and `local_scale` (`Space.SELF`) are
    relative to the parent node. Units and axes are Panda3D's: z is up.

    `axes` names the numbers of a position, and so decides which way the node turns:

    - `"xyz"`: three numbers; the rotation is the heading, from x towards y;
    - `"xy"`: on the ground, the height stays as it is; the rotation is the heading;
    - `"xz"`: upright, as below `aspect2d`; the rotation goes from x towards z.

    `rotation` is in degrees and is where the model faces; `forward` is where it faces unturned: 90
    for models as Panda3D has them, which face along +y. Below a turned parent the world's rotation
    is read without whole turns. `scale` is read as three numbers, and written as three or
    as one. `color` is a tint, 0 to 255, white by default: three numbers, or four once it has been
    set with four; `alpha` is the fourth. Raises ValueError for other `axes`, and for a position
    with another number of axes; ThingGoneError once the node has been removed.

    >>> node = NodePath("guard")
    >>> guard = NodeTransform(node, forward=90.0)
    >>> guard.position, guard.rotation, guard.color = (1.0, 2.0, 0.0), 135.0, (255, 0, 127.5)
    >>> node.getPos(), node.getH(), guard.tint
    (LPoint3f(1, 2, 0), 45.0, (1.0, 0.0, 0.5, 1.0))
    """

    TURNS: ClassVar[Mapping[str, tuple[int, float]]] = {
        "xyz": (0, 1.0),
        "xy": (0, 1.0),
        "xz": (2, -1.0),
    }
    """`axes` -> the index of heading, pitch or roll, and the sign of the rotation."""

    OPTION: ClassVar[str] = "node"
    """The option of `attach` by which a machine ends with what is moved here."""

    node: Any
    axes: str = field(default="xyz", kw_only=True, validator=_check_axes)
    forward: float = field(default=0.0, kw_only=True)

    @property
    def position(self) -> Position:
        """The position in the world."""
        return self._place(WORLD)

    @position.setter
    def position(self, position: Position) -> None:
        self._put(position, WORLD)

    @property
    def local_position(self) -> Position:
        """The position relative to the parent."""
        return self._place()

    @local_position.setter
    def local_position(self, position: Position) -> None:
        self._put(position)

    @property
    def rotation(self) -> float:
        """The direction it faces in the world, in degrees."""
        return self._angle(WORLD)

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        self._turn(rotation, WORLD)

    @property
    def local_rotation(self) -> float:
        """The direction it faces, relative to the parent."""
        return self._angle()

    @local_rotation.setter
    def local_rotation(self, rotation: float) -> None:
        self._turn(rotation)

    @property
    def scale(self) -> Position:
        """The scale in the world, along its three axes."""
        return tuple(self._there.getScale(WORLD))

    @scale.setter
    def scale(self, scale: Position) -> None:
        self._there.setScale(WORLD, scale)

    @property
    def local_scale(self) -> Position:
        """The scale relative to the parent."""
        return tuple(self._there.getScale())

    @local_scale.setter
    def local_scale(self, scale: Position) -> None:
        self._there.setScale(scale)

    @property
    def _there(self) -> Any:
        """The node, which has not been removed."""
        if self.node.isEmpty():
            option = self.OPTION
            raise ThingGoneError(
                f"The {option} of this {type(self).__name__} has been removed. "
                f"Give attach(..., {option}={option}), and the machine ends with it."
            )
        return self.node

    def _place(self, *space: Any) -> tuple[float, ...]:
        place = self._there.getPos(*space)
        return tuple(place["xyz".index(axis)] for axis in self.axes)

    def _put(self, position: Position, *space: Any) -> None:
        values = tuple(position)
        if len(values) != len(self.axes):
            raise ValueError(
                f"A position must be {len(self.axes)} numbers with axes={self.axes!r}, got "
                f"{values!r}. Give as many, or make the NodeTransform with other axes."
            )
        node = self._there
        place = node.getPos(*space)
        for axis, value in zip(self.axes, values, strict=True):
            place["xyz".index(axis)] = value
        node.setPos(*space, place)

    def _angle(self, *space: Any) -> float:
        index, sign = self.TURNS[self.axes]
        return float(self._there.getHpr(*space)[index]) * sign + self.forward

    def _turn(self, rotation: float, *space: Any) -> None:
        index, sign = self.TURNS[self.axes]
        node = self._there
        angles = node.getHpr(*space)
        angles[index] = (rotation - self.forward) * sign
        node.setHpr(*space, angles)

    def _shown(self) -> Color:
        now = tuple(share * 255.0 for share in self.tint)
        unchanged = all(abs(x - y) < 0.2 for x, y in zip(now, self.painted, strict=True))
        return self.painted if unchanged else now

    def _paint(self, color: Color) -> None:
        super()._paint(color)
        self.tint = tuple(number / 255.0 for number in color)

    @property
    def tint(self) -> tuple[float, ...]:
        """The colour in the engine's terms: red, green, blue and alpha from 0 to 1."""
        return tuple(self._there.getColorScale())

    @tint.setter
    def tint(self, tint: tuple[float, ...]) -> None:
        node = self._there
        node.setColorScale(tint)
        if tint[3] < 1.0 and not node.hasTransparency():
            node.setTransparency(TransparencyAttrib.MAlpha)  # or alpha has no effect
