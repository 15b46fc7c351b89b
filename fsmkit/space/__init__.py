"""Space: positions and rotations of things, and the values between two of them.

Positions are tuples or vectors of any library, rotations are degrees or quaternions; see
`fsmkit.space.vectors` and `fsmkit.space.rotations`. An engine with other types registers them:
`lerp.register(TheirVector, function)`, or `register_vector` for those that do not even iterate.
"""

from enum import Enum

from fsmkit.space.hysteresis import Hysteresis
from fsmkit.space.rotations import (
    Rotation,
    angle_between,
    angle_to,
    composed,
    facing,
    inverse,
    rotated,
    slerp,
    turn,
)
from fsmkit.space.transform import Transform
from fsmkit.space.vectors import (
    Position,
    Vector,
    components,
    difference,
    distance,
    is_registered,
    lerp,
    like,
    register_vector,
    same,
    shifted,
)
from fsmkit.space.vectors import calculates as calculates  # for actions

__all__ = [
    "Hysteresis",
    "Position",
    "Rotation",
    "Space",
    "Transform",
    "Vector",
    "angle_between",
    "angle_to",
    "components",
    "composed",
    "difference",
    "distance",
    "facing",
    "inverse",
    "is_registered",
    "lerp",
    "like",
    "register_vector",
    "rotated",
    "same",
    "shifted",
    "slerp",
    "turn",
]


class Space(Enum):
    """The coordinates that an action reads and writes.

    >>> from fsmkit.space import Transform
    >>> cart = Transform((5.0, 0.0))
    >>> driver = Transform((1.0, 0.0), parent=cart)
    >>> driver.local_position, driver.position
    ((-4.0, 0.0), (1.0, 0.0))
    """

    WORLD = "world"
    """The world's: `position`, `rotation`."""

    SELF = "self"
    """The parent's: `local_position`, `local_rotation`."""

    position: str
    """The name of the attribute with a position in this space; an action asks for it in each
    update, so it is not made there."""
    rotation: str
    scale: str

    def __init__(self, _value: str) -> None:
        self.position = self.attribute("position")
        self.rotation = self.attribute("rotation")
        self.scale = self.attribute("scale")

    def attribute(self, name: str) -> str:
        """Return the name of attribute `name` in this space.

        >>> Space.SELF.attribute("position")
        'local_position'
        """
        return f"local_{name}" if self._value_ == "self" else name

    def __repr__(self) -> str:
        return str(self)
