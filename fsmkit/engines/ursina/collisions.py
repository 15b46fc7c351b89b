"""Collisions of Ursina's entities, as events."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any, overload

from attrs import define, field
from panda3d.core import CollisionHandlerQueue, CollisionTraverser, NodePath
from ursina import Entity, MeshCollider, scene

from fsmkit.engines.panda3d.collisions import collection, others_and_event
from fsmkit.engines.parts.delivering import Hearers, Touching
from fsmkit.engines.ursina.scripts import Script, add_script, is_destroyed


@overload
def send_collisions(
    machines: Hearers,
    entities: Any | Iterable[Any],
    event: str,
    /,
    *,
    others: Any | Container[Any] | None = None,
    ended: str | None = None,
) -> Callable[[], None]: ...


@overload
def send_collisions(
    machines: Hearers,
    entities: Any | Iterable[Any],
    others: Any | Container[Any],
    event: str,
    /,
    *,
    ended: str | None = None,
) -> Callable[[], None]: ...


def send_collisions(
    machines: Hearers,
    entities: Any | Iterable[Any],
    *which: Any,
    others: Any | Container[Any] | None = None,
    ended: str | None = None,
) -> Callable[[], None]:
    """Send `event` when one of `entities` begins to touch another one, `ended` when it ends.

    `entities` is an Entity, or a collection to which may be added and from which may be taken at
    any time, as `others`, which are all by default. Both need a collider; that of `entities` must
    not be a mesh.

    The data is the other entity. Of a collection it is the pair of both, unless `machines` is a
    function from an entity to its machine, None for one that has none.

    They are compared in every frame, those of one entity as long as it is enabled, and until it is
    destroyed. Events of one frame come in the order of `entities`, then in that of the scene. Call
    the result to stop. Raises TypeError for a mesh.
    """
    others, event = others_and_event(which, others)
    one = entities if isinstance(entities, Entity) else None
    touching = Touching(machines, event, ended, many=one is None, is_gone=is_destroyed)
    contacts = Contacts(
        (one,)
        if one is not None
        else collection(entities, "send_collisions: entities", "an Entity"),
        (others,) if isinstance(others, Entity) else others,
    )
    contacts.follow()

    def update() -> None:
        contacts.follow()
        touching.update(contacts.pairs())

    return add_script(Script(update=update), one, at_end=lambda: touching.update(()))


@define(eq=False)
class Contacts:
    """The colliders of `entities` in a traverser of their own, and what they touch."""

    entities: Iterable[Any]
    others: Container[Any] | None
    _colliders: dict[Any, tuple[Any, Any]] = field(factory=dict, init=False)
    """CollisionNode -> its NodePath and its entity."""
    _traverser: Any = field(factory=CollisionTraverser, init=False)
    _queue: Any = field(factory=CollisionHandlerQueue, init=False)

    def follow(self) -> None:
        """Add the colliders that are there now, and remove those that are not any more."""
        before = self._colliders
        there = {path.node(): (path, each) for each in self.entities for path in _collider_of(each)}
        self._colliders = {node: before.get(node, new) for node, new in there.items()}
        for node in before.keys() - there.keys():
            self._traverser.removeCollider(before[node][0])
        for node in there.keys() - before.keys():
            self._traverser.addCollider(there[node][0], self._queue)

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return which entities touch which others, in the order of both."""
        if not self._colliders:
            return []
        self._traverser.traverse(scene)
        met: dict[Any, set[Any]] = {}
        for entry in self._queue.getEntries():
            other = entry.getIntoNodePath().parent.getPythonTag("Entity")
            if other is not None and (self.others is None or other in self.others):
                met.setdefault(entry.getFromNodePath().node(), set()).add(id(other))
        return [
            (entity, other)
            for node, (_, entity) in self._colliders.items()
            if node in met
            for other in scene.entities
            if id(other) in met[node]
        ]


def _collider_of(entity: Any) -> list[Any]:
    """Return the NodePath of the collider of an entity, if it has one that can be touched now.

    It is our own, since Ursina empties its.
    """
    if is_destroyed(entity) or not entity.enabled or not entity.collider or not entity.collision:
        return []
    if isinstance(entity.collider, MeshCollider):
        raise TypeError(
            f"send_collisions: the collider of {entity!r} must be 'box', 'sphere' or 'capsule', "
            "got a mesh, which can only be touched by others."
        )
    return [] if entity.has_disabled_ancestor() else [NodePath(entity.collider.node_path)]
