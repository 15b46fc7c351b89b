"""The mouse of Panda3D on nodes, as events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, field
from direct.showbase.DirectObject import DirectObject
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import (
    BitMask32,
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionTraverser,
    NodePath,
)

from fsmkit.engines.panda3d.collisions import collection
from fsmkit.engines.panda3d.game import game
from fsmkit.engines.panda3d.keys import COMBINATIONS, own_name
from fsmkit.engines.panda3d.removals import Removals
from fsmkit.engines.parts.delivering import Hearers
from fsmkit.engines.parts.pointing import Pointing


def send_mouse(
    machines: Hearers,
    nodes: Any | Iterable[Any],
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: str = "mouse1",
    camera: Any = None,
) -> Callable[[], None]:
    """Send the events when the mouse is upon a node; call the result to stop.

    `pressed` and `released` are sent for `button`, `entered` and `left` when the mouse comes and
    goes; what was pressed on is told of the release wherever the mouse is then. `nodes` is a
    NodePath or a collection of them, which may change; the one nearest to the camera counts, by
    what it shows and by its colliders, whatever else stands before it. Those below `render2d`, as
    on `aspect2d`, lie before all others, the last of the collection in front.

    The data is the node. `machines` may be a function from a node to its machine, None for one that
    has none. `camera` is by default that of the game, `base.cam`. What is hidden or stashed is not
    there; that of a single node ends when it is gone. Raises ValueError for a `button` that does
    not exist.
    """
    base, name = game(), own_name(button)
    is_one = isinstance(nodes, NodePath)
    things = (nodes,) if is_one else collection(nodes, "send_mouse: nodes")
    pointing = Pointing(machines, pressed, released, entered, left)
    picker = Picker(base, base.cam if camera is None else camera)
    removals, listener = Removals((nodes,) if is_one else ()), DirectObject()

    def point() -> None:
        pointing.point(picker.under_the_mouse(things))

    def press() -> None:
        point()  # the mouse may have moved since
        pointing.press()

    def update(task: Any) -> Any:
        point()
        if is_one and removals.is_gone(nodes):
            stop()
            return task.done
        removals.next_frame()
        return task.cont

    for held in COMBINATIONS:
        listener.accept(held + name, press)
    listener.accept(f"{name}-up", pointing.release)
    task = taskMgr.add(update, "fsmkit-mouse", sort=1)

    def stop() -> None:
        listener.ignoreAll()
        taskMgr.remove(task)
        picker.remove()

    return stop


@define(eq=False)
class Picker:
    """A ray from a camera through the mouse, and what it meets."""

    base: Any
    camera: Any
    _ray: Any = field(factory=CollisionRay, init=False)
    _path: Any = field(init=False)
    _queue: Any = field(factory=CollisionHandlerQueue, init=False)
    _traverser: Any = field(factory=CollisionTraverser, init=False)

    def __attrs_post_init__(self) -> None:
        node = CollisionNode("fsmkit-mouse")
        node.addSolid(self._ray)
        node.setFromCollideMask(BitMask32.allOn())  # what is shown, and colliders
        node.setIntoCollideMask(BitMask32.allOff())
        self._path = NodePath(node)
        self._traverser.addCollider(self._path, self._queue)

    def under_the_mouse(self, things: Iterable[Any]) -> list[Any]:
        """Return the things under the mouse, the uppermost last."""
        watcher = self.base.mouseWatcherNode
        if not watcher or not watcher.hasMouse():
            return []
        flat = self.base.render2d
        there = [thing for thing in things if _is_shown(thing)]
        solid = [thing for thing in there if not flat.isAncestorOf(thing)]
        return [
            *self._met(solid, self.camera, watcher),
            *self._met([each for each in there if each not in solid], self.base.cam2d, watcher),
        ]

    def remove(self) -> None:
        """Take the ray from its camera."""
        self._path.removeNode()

    def _met(self, things: list[Any], camera: Any, watcher: Any) -> list[Any]:
        """Return those of the things that the ray meets, the nearest last."""
        if not things:
            return []
        self._path.reparentTo(camera)
        self._ray.setFromLens(camera.node(), watcher.getMouseX(), watcher.getMouseY())
        distances = [self._distance(thing) for thing in things]
        met = [(distance, thing) for distance, thing in zip(distances, things, strict=True)]
        nearest_last = sorted(
            ((distance, thing) for distance, thing in met if distance is not None),
            key=lambda each: -each[0],
        )
        return [thing for _, thing in nearest_last]

    def _distance(self, thing: Any) -> float | None:
        """Return how far along the ray a thing begins, None if it is not met."""
        self._traverser.traverse(thing)
        self._queue.sortEntries()
        if not self._queue.getNumEntries():
            return None
        first = self._queue.getEntry(0).getSurfacePoint(self._path)
        return float((first - self._ray.getOrigin()).length())


def _is_shown(thing: Any) -> bool:
    """Return True for what is neither hidden nor stashed; colliders are hidden by nature."""
    return not thing.isEmpty() and not any(
        each.isStashed() or (each.isHidden() and not each.node().isCollisionNode())
        for each in thing.getAncestors()  # itself too
    )
