"""Panda3D: nodes as transforms, the task manager as clock, keys and collisions as events."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from itertools import count, product
from typing import Any, ClassVar, Final

from attrs import define, field

from fsmkit import Fsm, FsmGroup, TimeReference
from fsmkit.engines.delivering import offer
from fsmkit.engines.tinted import Color, Tinted
from fsmkit.space import Position

try:
    from direct.showbase.DirectObject import DirectObject
    from direct.task.TaskManagerGlobal import taskMgr
    from panda3d.core import (
        ClockObject,
        CollisionHandlerEvent,
        CollisionTraverser,
        NodePath,
        TransparencyAttrib,
    )
except ImportError as error:
    raise ImportError(
        "fsmkit.engines.panda3d needs Panda3D: pip install 'fsmkit[panda3d]'."
    ) from error

import fsmkit.engines.sounds.panda3d  # noqa: F401  # has its sounds known

WORLD: Final = NodePath()
"""The space above the top of every scene graph, for Panda3D."""

MODIFIERS: Final = tuple(
    "".join(held) for held in product(("", "shift-"), ("", "control-"), ("", "alt-"), ("", "meta-"))
)
"""The prefixes of the name of a key that is pressed while others are held."""

_numbers = count()


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
    with another number of axes.

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
        return tuple(self.node.getScale(WORLD))

    @scale.setter
    def scale(self, scale: Position) -> None:
        self.node.setScale(WORLD, scale)

    @property
    def local_scale(self) -> Position:
        """The scale relative to the parent."""
        return tuple(self.node.getScale())

    @local_scale.setter
    def local_scale(self, scale: Position) -> None:
        self.node.setScale(scale)

    def _place(self, *space: Any) -> tuple[float, ...]:
        place = self.node.getPos(*space)
        return tuple(place["xyz".index(axis)] for axis in self.axes)

    def _put(self, position: Position, *space: Any) -> None:
        values = tuple(position)
        if len(values) != len(self.axes):
            raise ValueError(
                f"A position must be {len(self.axes)} numbers with axes={self.axes!r}, got "
                f"{values!r}. Give as many, or make the NodeTransform with other axes."
            )
        place = self.node.getPos(*space)
        for axis, value in zip(self.axes, values, strict=True):
            place["xyz".index(axis)] = value
        self.node.setPos(*space, place)

    def _angle(self, *space: Any) -> float:
        index, sign = self.TURNS[self.axes]
        return float(self.node.getHpr(*space)[index]) * sign + self.forward

    def _turn(self, rotation: float, *space: Any) -> None:
        index, sign = self.TURNS[self.axes]
        angles = self.node.getHpr(*space)
        angles[index] = (rotation - self.forward) * sign
        self.node.setHpr(*space, angles)

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
        return tuple(self.node.getColorScale())

    @tint.setter
    def tint(self, tint: tuple[float, ...]) -> None:
        self.node.setColorScale(tint)
        if tint[3] < 1.0 and not self.node.hasTransparency():
            self.node.setTransparency(TransparencyAttrib.MAlpha)  # or alpha has no effect


def attach(
    machines: Fsm[Any] | FsmGroup, *, max_dt: float = 0.25, time: TimeReference | None = None
) -> Callable[[], None]:
    """Let the task manager update `machines` in every frame; call the result to stop that.

    They get the seconds of Panda3D's clock, at most `max_dt` per frame, scaled by `time`. The task
    runs before the collisions and the drawing of its frame.
    """

    def update(task: Any) -> Any:
        dt = min(ClockObject.getGlobalClock().getDt(), max_dt)
        machines.update(dt if time is None else time.scaled(dt))
        return task.cont

    task = taskMgr.add(update, "fsmkit-update")

    def detach() -> None:
        taskMgr.remove(task)

    return detach


def send_keys(
    machines: Fsm[Any] | FsmGroup,
    pressed: Mapping[str, str],
    *,
    released: Mapping[str, str] | None = None,
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys have Panda3D's names (`"space"`, `"arrow_left"`, `"mouse1"`); the name is the event's data.
    Modifiers do not matter, unless a combination with them (`"shift-w"`) is given too.
    """
    listener = DirectObject()
    for key, event in pressed.items():
        for name in {held + key for held in MODIFIERS} - (pressed.keys() - {key}):
            listener.accept(name, offer, [machines, event, key])
    for key, event in (released or {}).items():
        listener.accept(f"{key}-up", offer, [machines, event, key])
    stop: Callable[[], None] = listener.ignoreAll
    return stop


def send_collisions(
    machines: Fsm[Any] | FsmGroup,
    collider: Any,
    event: str,
    *,
    ended: str | None = None,
    traverser: Any = None,
) -> Callable[[], None]:
    """Send `event` when `collider` begins to touch another one, `ended` when it no longer does.

    `collider` is the NodePath of a CollisionNode; the data is that of the other one. The collide
    masks decide what it may touch. `traverser` is by default `base.cTrav`, made if there is none. A
    collider that is already in it keeps its handler, a CollisionHandlerPusher for example. Call the
    result to stop; it also removes a collider that was added here, so put several machines in a
    group. Raises TypeError if the handler sends no events.
    """
    if traverser is None:
        traverser = _traverser_of_the_game()
    added = not traverser.hasCollider(collider)
    if added:
        traverser.addCollider(collider, CollisionHandlerEvent())
    handler = traverser.getHandler(collider)
    if not isinstance(handler, CollisionHandlerEvent):
        raise TypeError(
            f"The handler of {collider!r} must send events, got a {type(handler).__name__}. "
            "Give it a CollisionHandlerEvent or CollisionHandlerPusher, or use another collider."
        )

    def touched(name: str, entry: Any) -> None:
        if entry.getFromNodePath() == collider:  # a handler may serve several
            offer(machines, name, entry.getIntoNodePath())

    listener = DirectObject()
    number = next(_numbers)
    handler.addInPattern(f"fsmkit-touch-{number}")
    listener.accept(f"fsmkit-touch-{number}", lambda entry: touched(event, entry))
    if ended is not None:
        handler.addOutPattern(f"fsmkit-part-{number}")
        listener.accept(f"fsmkit-part-{number}", lambda entry: touched(ended, entry))

    def stop() -> None:
        listener.ignoreAll()
        if added:
            traverser.removeCollider(collider)

    return stop


def _traverser_of_the_game() -> Any:
    base: Any = getattr(builtins, "base", None)
    if base is None:
        raise RuntimeError("There is no ShowBase yet. Create it first, or give traverser=.")
    if not base.cTrav:
        base.cTrav = CollisionTraverser()
    return base.cTrav
