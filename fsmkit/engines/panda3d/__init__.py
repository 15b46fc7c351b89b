"""Panda3D: nodes as transforms, its frames, keys, mouse, collisions, sounds, overlay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from attrs import define, field

from fsmkit.engines.parts import missing

try:
    import direct  # noqa: F401  # first itself: without it, Panda3D is not installed
    from direct.showbase.DirectObject import DirectObject
    from direct.task.TaskManagerGlobal import taskMgr
    from panda3d.core import (
        AudioSound,
        BitMask32,
        CollisionHandlerQueue,
        CollisionNode,
        CollisionRay,
        CollisionTraverser,
        NodePath,
    )
except ImportError as error:
    raise missing("Panda3D", "panda3d", error, "panda3d", "direct") from error

from fsmkit.engines.held import Held
from fsmkit.engines.panda3d.collisions import nodes_of, send_collisions
from fsmkit.engines.panda3d.keys import COMBINATIONS, own_name, send_keys
from fsmkit.engines.panda3d.nodes import NodeTransform, Removals, attach, game, when_focus_is_lost
from fsmkit.engines.panda3d.overlay import Overlay
from fsmkit.engines.parts.delivery import Pointer, Recipients
from fsmkit.sound import Playing, play

__all__ = [
    "Held",
    "NodeTransform",
    "Overlay",
    "attach",
    "send_collisions",
    "send_keys",
    "send_mouse",
]


def send_mouse(
    machines: Recipients,
    nodes: Any | Iterable[Any],
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: str = "mouse1",
    camera: Any = None,
) -> Callable[[], None]:
    """Send events when the mouse is used on nodes; call the result to stop.

    `pressed` and `released` are sent for `button`, `entered` and `left` when the mouse comes and
    goes; the release is sent for the node that was pressed, wherever the mouse is then. `nodes` is
    a NodePath or a collection of them, which may change; the one nearest to the camera counts, by
    its visible geometry and its colliders, whatever else stands before it. Those below `render2d`,
    as on `aspect2d`, lie before all others, the last of the collection in front.

    The data is the node. `machines` may be a function from a node to its machine, None for a node
    without one. `camera` is by default that of the game, `base.cam`. Hidden and stashed nodes do
    not count; for a single node it stops when that is gone. Raises ValueError for a `button` that
    does not exist.
    """
    base, name = game(), own_name(button)
    is_one = isinstance(nodes, NodePath)
    things = nodes_of(nodes, "send_mouse: nodes")
    pointer = Pointer(machines, pressed, released, entered, left)
    picker = Picker(base, base.cam if camera is None else camera)
    removals, listener = Removals((nodes,) if is_one else ()), DirectObject()

    def point() -> None:
        pointer.point(picker.under_the_mouse(things))

    def press() -> None:
        point()  # the mouse may have moved since
        pointer.press()

    def end() -> None:
        listener.ignoreAll()
        picker.path.removeNode()

    def update(task: Any) -> Any:
        point()
        if is_one and removals.is_gone(nodes):
            end()  # not stop(): a task that refers to itself is never collected
            return task.done
        removals.next_frame()
        return task.cont

    for held in COMBINATIONS:
        listener.accept(held + name, press)
    listener.accept(f"{name}-up", pointer.release)
    when_focus_is_lost(listener, pointer.release)
    task = taskMgr.add(update, "fsmkit-mouse", sort=1)

    def stop() -> None:
        taskMgr.remove(task)
        end()

    return stop


@define(eq=False)
class Picker:
    """A ray from a camera through the mouse, and the things it hits."""

    base: Any
    camera: Any
    _ray: Any = field(factory=CollisionRay, init=False)
    path: Any = field(init=False)
    """The ray, below its camera."""
    _queue: Any = field(factory=CollisionHandlerQueue, init=False)
    _traverser: Any = field(factory=CollisionTraverser, init=False)

    def __attrs_post_init__(self) -> None:
        node = CollisionNode("fsmkit-mouse")
        node.addSolid(self._ray)
        node.setFromCollideMask(BitMask32.allOn())  # visible geometry, and colliders
        node.setIntoCollideMask(BitMask32.allOff())
        self.path = NodePath(node)
        self._traverser.addCollider(self.path, self._queue)

    def under_the_mouse(self, things: Iterable[Any]) -> list[Any]:
        """Return the things under the mouse, the topmost last."""
        watcher = self.base.mouseWatcherNode
        if not watcher or not watcher.hasMouse():
            return []
        flat = self.base.render2d
        there = [thing for thing in things if _is_shown(thing)]
        solid = [thing for thing in there if not flat.isAncestorOf(thing)]
        return [
            *self._hit(solid, self.camera, watcher),
            *self._hit([each for each in there if each not in solid], self.base.cam2d, watcher),
        ]

    def _hit(self, things: list[Any], camera: Any, watcher: Any) -> list[Any]:
        if not things:
            return []
        self.path.reparentTo(camera)
        self._ray.setFromLens(camera.node(), watcher.getMouseX(), watcher.getMouseY())
        hits = [(distance, it) for it in things if (distance := self._distance(it)) is not None]
        return [thing for _, thing in sorted(hits, key=lambda hit: -hit[0])]

    def _distance(self, thing: Any) -> float | None:
        self._traverser.traverse(thing)
        self._queue.sortEntries()
        if not self._queue.getNumEntries():
            return None
        first = self._queue.getEntry(0).getSurfacePoint(self.path)
        return float((first - self._ray.getOrigin()).length())


def _is_shown(thing: Any) -> bool:
    return not thing.isEmpty() and not any(
        each.isStashed() or (each.isHidden() and not each.node().isCollisionNode())
        for each in thing.getAncestors()  # itself too
    )


@define
class PlayingAudioSound:
    """An AudioSound, which plays once at a time: playing it again restarts it."""

    sound: AudioSound
    looped_before: bool
    paused_at: float | None = field(default=None, init=False)
    """The seconds at which it was paused."""

    @property
    def is_over(self) -> bool:
        return self.paused_at is None and self.sound.status() != AudioSound.PLAYING

    def stop(self) -> None:
        self.paused_at = None
        self.sound.stop()
        self.sound.setLoop(self.looped_before)

    def pause(self) -> None:
        if not self.is_over:
            self.paused_at = self.sound.getTime()
            self.sound.stop()

    def resume(self) -> None:
        if self.paused_at is not None:
            self.sound.setTime(self.paused_at)
            self.sound.play()
            self.paused_at = None


_changed_volumes: Final[dict[AudioSound, tuple[float, float]]] = {}
"""Sound -> its own volume, and the one that it was played at.

An AudioSound has one volume, and sends no event when it is over. So its own volume is restored when
the next sound is played, unless something else has set it in the meantime.
"""


def _restore_volumes(sound: AudioSound) -> None:
    """Restore the volumes of all sounds that are over, and of `sound`."""
    for known, (own, given) in [*_changed_volumes.items()]:
        if known == sound or known.status() != AudioSound.PLAYING:
            del _changed_volumes[known]
            if known.getVolume() == given:
                known.setVolume(own)


@play.register
def _(sound: AudioSound, volume: float = 1.0, loop: bool = False) -> Playing:
    _restore_volumes(sound)
    if volume != 1.0:
        own = sound.getVolume()
        sound.setVolume(own * volume)
        _changed_volumes[sound] = own, sound.getVolume()
    playing = PlayingAudioSound(sound, sound.getLoop())
    if loop:
        sound.setLoop(True)
    sound.play()
    return playing
