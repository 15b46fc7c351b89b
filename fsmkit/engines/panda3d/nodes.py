"""Nodes of Panda3D as the actions see them, whether they are gone, and the frames of their game."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

from attrs import define, field
from direct.showbase.DirectObject import DirectObject
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import ClockObject, NodePath, TransparencyAttrib

from fsmkit import Fsm, TimeReference
from fsmkit.core.checks import arguments
from fsmkit.engines.parts.delivery import Machines
from fsmkit.engines.parts.things import Tint, Tinted
from fsmkit.engines.parts.updates import Frames, Lifetime, ThingGoneError
from fsmkit.space import Position
from fsmkit.timing import FixedStep

WORLD: Final = NodePath()
"""The space above the top of every scene graph, for Panda3D."""


def _seen_from(doc: str, read: Callable[..., Any], write: Callable[..., None], *space: Any) -> Any:
    """Return a property as seen from a space, by default from the parent node."""
    return property(lambda it: read(it, *space), lambda it, new: write(it, new, *space), doc=doc)


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
    """The option of `attach` by which a machine ends with its node."""

    node: Any
    axes: str = field(
        default="xyz",
        kw_only=True,
        validator=lambda transform, _, axes: arguments.choice(axes, "axes", transform.TURNS),
    )
    forward: float = field(default=0.0, kw_only=True)

    @property
    def _there(self) -> Any:
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

    def _size(self, *space: Any) -> tuple[float, ...]:
        return tuple(self._there.getScale(*space))

    def _resize(self, scale: Position, *space: Any) -> None:
        self._there.setScale(*space, scale)

    position = _seen_from("The position in the world.", _place, _put, WORLD)
    local_position = _seen_from("The position relative to the parent.", _place, _put)
    rotation = _seen_from("The direction it faces in the world, in degrees.", _angle, _turn, WORLD)
    local_rotation = _seen_from("The direction it faces, relative to the parent.", _angle, _turn)
    scale = _seen_from("The scale in the world, along its three axes.", _size, _resize, WORLD)
    local_scale = _seen_from("The scale relative to the parent.", _size, _resize)

    def _shown(self) -> Tint:
        now = tuple(share * 255.0 for share in self.tint)
        unchanged = all(abs(x - y) < 0.2 for x, y in zip(now, self.painted, strict=True))
        return self.painted if unchanged else now

    def _paint(self, color: Tint) -> None:
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


@define(eq=False)
class Removals:
    """Tells whether nodes have been removed, or cut off from the scene that they were in.

    If a parent is removed or detached, Panda3D leaves everything below it as it was; only the top
    of the nodes is another. So the nodes above each node are remembered for two frames: it is gone
    when the top is one of these. One that was moved below another scene is not gone, nor is a
    stashed or hidden one.
    """

    nodes: Iterable[Any] = ()
    """Nodes to know from the beginning."""
    _before: dict[int, frozenset[Any]] = field(factory=dict, init=False)
    _now: dict[int, frozenset[Any]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        for node in self.nodes:
            self.is_gone(node)

    def is_gone(self, node: Any) -> bool:
        if node.isEmpty():
            return True
        key = node.getKey()
        *inside, top = [each.node() for each in node.getAncestors()]
        known = self._now.get(key, self._before.get(key, frozenset()))
        is_cut_off = top in known
        self._now[key] = known if is_cut_off else frozenset(inside)
        return is_cut_off

    def next_frame(self) -> None:
        """Forget the nodes that were not asked about since the last call."""
        self._before, self._now = self._now, {}


def attach(
    machines: Machines,
    *,
    node: Any | Callable[[Fsm[Any]], Any] = None,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    step: float | FixedStep | None = None,
) -> Callable[[], None]:
    """Let the task manager update `machines` in every frame; call the result to stop that.

    They get the seconds of Panda3D's clock, at most `max_dt` per frame, scaled by `time`; with a
    `step` in steps of that many seconds each. The task runs before the collisions and the drawing
    of its frame.

    With a `node` the machines are stopped, and the task ends, once that is gone: removed
    (`removeNode()`), detached, or below a parent that is. A stashed or hidden one is not gone. For
    a group, `node` may be a function from a machine to its node: each then ends, and leaves the
    group, with its own. Raises TypeError for any other `node`, ValueError for a `step` that is not
    > 0.
    """
    removals = Removals()
    lifetime = Lifetime(machines, node, removals.is_gone, NodePath, "node must be a NodePath")
    frames = Frames(machines, max_dt, time, step, lifetime)

    def update(task: Any) -> Any:
        goes_on = frames.update(ClockObject.getGlobalClock().getDt())
        removals.next_frame()
        return task.cont if goes_on else task.done

    task = taskMgr.add(update, "fsmkit-update")
    return lambda: taskMgr.remove(task)


def game(or_else: str = "") -> Any:
    """Return the ShowBase; RuntimeError without one, `or_else` saying what else may be done."""
    base = getattr(builtins, "base", None)
    if base is None:
        raise RuntimeError(f"There is no ShowBase yet. Create it first{or_else}.")
    return base


def when_focus_is_lost(listener: DirectObject, call: Callable[[], object]) -> None:
    def notice(window: Any) -> None:
        if window == game().win and not window.getProperties().getForeground():
            call()

    listener.accept("window-event", notice)
