"""Transform: the position, rotation and scale of a thing."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from operator import mul, truediv
from typing import Any

from fsmkit.space.rotations import Rotation, composed, inverse, rotated
from fsmkit.space.vectors import Position, Vector, components, difference, like, same, shifted


class Transform:
    """Position, rotation and scale of a thing, with an optional parent, as in Unity.

    `position`, `rotation` and `scale` are those of the world, the `local_` ones are relative to the
    parent; without a parent they are the same. The constructor takes world coordinates.

    A position is a tuple or vector with two or three axes. A rotation is an angle in degrees,
    counterclockwise, or a quaternion of PyGLM. A scale is a number, or one per axis. The
    constructor raises TypeError for anything else.

    >>> cart = Transform((10.0, 0.0), rotation=90.0)
    >>> rider = Transform(parent=cart)
    >>> rider.local_position = (2.0, 0.0)
    >>> rider.position
    (10.0, 2.0)
    """

    __slots__ = ("__weakref__", "_parent", "local_position", "local_rotation", "local_scale")

    local_position: Position
    local_rotation: Rotation
    local_scale: Position

    def __init__(
        self,
        position: Position = (0.0, 0.0),
        rotation: Rotation = 0.0,
        scale: Position = 1.0,
        parent: Transform | None = None,
    ) -> None:
        _check(position, rotation, scale, parent)
        self._parent = parent
        self.position = position
        self.rotation = rotation
        self.scale = scale

    @property
    def parent(self) -> Transform | None:
        """The transform it moves along with. Changing it does not move this one in the world.

        Raises ValueError if the new parent is the transform itself or one of its children.
        """
        return self._parent

    @parent.setter
    def parent(self, parent: Transform | None) -> None:
        above = parent
        while above is not None:
            if above is self:
                raise ValueError(
                    f"The parent of {self!r} must not be itself or one of its children, got "
                    f"{parent!r}."
                )
            above = above._parent
        # Computed in a separate Transform, so that an invalid parent changes nothing.
        moved = Transform(self.position, self.rotation, self.scale, parent)
        self._parent = parent
        self.local_position = moved.local_position
        self.local_rotation = moved.local_rotation
        self.local_scale = moved.local_scale

    @property
    def position(self) -> Position:
        """The position in the world."""
        parent = self._parent
        if parent is None:
            return self.local_position
        return shifted(
            rotated(parent.rotation, _times(self.local_position, parent.scale)), parent.position
        )

    @position.setter
    def position(self, position: Position) -> None:
        parent = self._parent
        if parent is not None:
            away = like(position, difference(parent.position, position))
            position = _divided(rotated(inverse(parent.rotation), away), parent.scale)
        self.local_position = position

    @property
    def rotation(self) -> Rotation:
        """The rotation in the world."""
        if self._parent is None:
            return self.local_rotation
        return composed(self._parent.rotation, self.local_rotation)

    @rotation.setter
    def rotation(self, rotation: Rotation) -> None:
        if self._parent is not None:
            rotation = composed(inverse(self._parent.rotation), rotation)
        self.local_rotation = rotation

    @property
    def scale(self) -> Position:
        """The scale in the world (axis by axis, without the shear of a turned parent)."""
        return (
            self.local_scale
            if self._parent is None
            else _times(self.local_scale, self._parent.scale)
        )

    @scale.setter
    def scale(self, scale: Position) -> None:
        self.local_scale = scale if self._parent is None else _divided(scale, self._parent.scale)

    def __repr__(self) -> str:
        parts = [f"position={self.position!r}"]
        if self.rotation != 0.0:
            parts.append(f"rotation={self.rotation!r}")
        if not same(self.scale, 1.0):
            parts.append(f"scale={self.scale!r}")
        return f"Transform({', '.join(parts)})"


def _check(position: object, rotation: object, scale: object, parent: object) -> None:
    """Raise TypeError unless they are a position, a rotation, a scale and a transform."""
    if not (_is_per_axis(position) or isinstance(position, Vector)):
        wanted = "a tuple or vector of numbers"
        raise TypeError(f"Transform: position must be {wanted}, got {position!r}.")
    if rotation is None or isinstance(rotation, str | bytes | bool | dict | set):
        wanted = "an angle in degrees or a quaternion"
        raise TypeError(f"Transform: rotation must be {wanted}, got {rotation!r}.")
    if not (isinstance(scale, Real) or _is_per_axis(scale) or isinstance(scale, Vector)):
        raise TypeError(f"Transform: scale must be a number, or one per axis, got {scale!r}.")
    if parent is not None and not isinstance(parent, Transform):
        raise TypeError(f"Transform: parent must be a Transform or None, got {parent!r}.")


def _is_per_axis(value: Any) -> bool:
    try:
        return bool(components(value))
    except TypeError:
        return False


def _times(value: Position, factor: Position) -> Position:
    return _axis_by_axis(mul, value, factor)


def _divided(value: Position, factor: Position) -> Position:
    try:
        return _axis_by_axis(truediv, value, factor)
    except ZeroDivisionError:
        raise ValueError(
            f"The scale of the parent must not be 0, got {factor!r}: no child of it can have "
            f"{value!r} in the world. Set the local_ values, or change the parent's scale."
        ) from None


def _axis_by_axis(
    operation: Callable[[float, float], float], value: Position, factor: Position
) -> Position:
    """Return the result per axis; a single number applies to every axis."""
    values, factors = _axes(value), _axes(factor)
    if len(factors) == 1:
        factors *= len(values)
    elif len(values) == 1:
        values *= len(factors)
        value = factor
    result = tuple(operation(x, f) for x, f in zip(values, factors, strict=True))
    return result[0] if isinstance(value, Real) else like(value, result)


def _axes(value: Position) -> tuple[float, ...]:
    return (float(value),) if isinstance(value, Real) else components(value)
