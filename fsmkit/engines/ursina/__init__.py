"""Ursina: entities as transforms, its frames as clock, keys, mouse, collisions, sounds, overlay.

Ursina is Panda3D with axes, names and scripts of its own. So entities are Panda3D's nodes, sounds
its sounds and keys its keys under other names; what differs stands here.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, ClassVar

from attrs import define

from fsmkit.engines.parts import missing

try:
    from ursina import Audio, Color, Entity, MeshCollider, scene
except ImportError as error:
    raise missing("Ursina", "ursina", error) from error

from panda3d.core import CollisionHandlerQueue, CollisionTraverser, NodePath

from fsmkit import Fsm, TimeReference
from fsmkit.engines.held import Held
from fsmkit.engines.panda3d import NodeTransform
from fsmkit.engines.panda3d.collisions import is_removed, others_and_event
from fsmkit.engines.parts.delivery import Machines, Recipients, Touches
from fsmkit.engines.parts.updates import Frames, Lifetime
from fsmkit.engines.ursina.keys import add_script, entities_of, send_keys, send_mouse
from fsmkit.engines.ursina.overlay import Overlay
from fsmkit.sound import Playing, play
from fsmkit.timing import FixedStep

__all__ = [
    "EntityTransform",
    "Held",
    "Overlay",
    "attach",
    "send_collisions",
    "send_keys",
    "send_mouse",
]


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


def attach(
    machines: Machines,
    *,
    entity: Any | Callable[[Fsm[Any]], Any] = None,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    step: float | FixedStep | None = None,
) -> Callable[[], None]:
    """Let Ursina update `machines` in every frame; call the result to stop that.

    They get the seconds of Ursina's `time.dt`, which `application.time_scale` scales, at most
    `max_dt` per frame, scaled by `time`; with a `step` in steps of that many seconds each.

    With an `entity` they run as its script: while it is enabled, and until it is destroyed; then
    they are stopped. Without one they outlive `scene.clear()`. Neither runs while the application
    is paused, unless the entity has `ignore_paused`. For a group, `entity` may be a function from a
    machine to its entity: each is stopped, and leaves the group, when its own is destroyed.

    Raises TypeError for any other `entity`, ValueError for a `step` that is not > 0.
    """
    own = entity if isinstance(entity, Entity) else None
    lifetime = Lifetime(machines, entity, is_removed, Entity, "entity must be an Entity")
    frames = Frames(machines, max_dt, time, step, lifetime)

    def update() -> None:
        if not frames.update(vars(clock)["dt"]):  # Ursina puts it there
            detach()

    # An entity that has been destroyed updates no scripts: its machines are stopped at the end.
    detach = add_script(own, update=update, at_end=lambda: frames.update(0.0))
    return detach


def send_collisions(
    machines: Recipients,
    entities: Any | Iterable[Any],
    others_or_event: Any = None,
    event: str | None = None,
    /,
    *,
    others: Any | Container[Any] | None = None,
    ended: str | None = None,
) -> Callable[[], None]:
    """Send `event` when one of `entities` begins to touch another one, `ended` when it ends.

    `entities` is an Entity, or a collection that may change at any time, as `others`, by default
    all entities. The others stand before the event, or are given by name, or left out. Both need a
    collider; that of `entities` must not be a mesh.

    The data is the other entity. Of a collection it is the pair of both, unless `machines` is a
    function from an entity to its machine, None for an entity without one.

    They are compared in every frame; for a single entity as long as it is enabled, and until it is
    destroyed. Events of one frame come in the order of `entities`, then in that of the scene. Call
    the result to stop. Raises TypeError for a mesh.
    """
    others, event = others_and_event(others_or_event, event, others)
    one = entities if isinstance(entities, Entity) else None
    touches = Touches(machines, event, ended, many=one is None, is_gone=is_removed)
    ones = entities_of(entities, "send_collisions: entities")
    twos = None if others is None else entities_of(others, "send_collisions: others")
    _colliders_of(ones)  # raises TypeError for a mesh at once

    def update() -> None:
        touches.update(_touching(ones, twos))

    return add_script(one, update=update, at_end=lambda: touches.update(()))


@play.register
def _(audio: Audio, volume: float = 1.0, loop: bool = False) -> Playing:
    return play(audio.clip, volume, loop)  # None, so silent, if its file was not found


def _touching(entities: Iterable[Any], others: Container[Any] | None) -> list[tuple[Any, Any]]:
    """Return which entities touch which others, in the order of both."""
    colliders = _colliders_of(entities)
    if not colliders:
        return []
    traverser, queue = CollisionTraverser(), CollisionHandlerQueue()
    for path, _ in colliders.values():
        traverser.addCollider(path, queue)
    traverser.traverse(scene)
    met: dict[Any, set[int]] = {}
    for entry in queue.getEntries():
        other = entry.getIntoNodePath().parent.getPythonTag("Entity")
        if other is not None and (others is None or other in others):
            met.setdefault(entry.getFromNodePath().node(), set()).add(id(other))
    return [
        (entity, other)
        for node, (_, entity) in colliders.items()
        if node in met
        for other in scene.entities
        if id(other) in met[node]
    ]


def _colliders_of(entities: Iterable[Any]) -> dict[Any, tuple[Any, Any]]:
    """Return the CollisionNodes that can touch others now, each with its NodePath and its entity.

    The NodePath is our own, since Ursina empties its own.
    """
    colliders = {}
    for entity in entities:
        if not is_removed(entity) and entity.enabled and entity.collider and entity.collision:
            if isinstance(entity.collider, MeshCollider):
                raise TypeError(
                    f"send_collisions: the collider of {entity!r} must be 'box', 'sphere' or "
                    "'capsule', got a mesh, which can only be touched by others."
                )
            if not entity.has_disabled_ancestor():
                path = NodePath(entity.collider.node_path)
                colliders[path.node()] = (path, entity)
    return colliders
