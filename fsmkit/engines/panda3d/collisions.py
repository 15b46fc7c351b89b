"""Collisions of Panda3D as events: what touches what, by the events of its handlers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final

from attrs import define, field
from direct.showbase.DirectObject import DirectObject
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import CollisionHandlerEvent, CollisionNode, CollisionTraverser, NodePath

from fsmkit.core.checks.arguments import shown
from fsmkit.engines.panda3d.nodes import WORLD, Removals, game
from fsmkit.engines.parts.delivery import Recipients, Touches
from fsmkit.engines.parts.things import got

_numbers: Final = count()


def send_collisions(
    machines: Recipients,
    colliders: Any | Iterable[Any],
    others_or_event: Any = None,
    event: str | None = None,
    /,
    *,
    others: Any | Iterable[Any] | None = None,
    ended: str | None = None,
    traverser: Any = None,
) -> Callable[[], None]:
    """Send `event` when one of `colliders` begins to touch another, `ended` when it ends.

    `colliders` is the NodePath of a CollisionNode, or of a node with some below it; or a collection
    of these, which may change at any time. With `others`, before the event or by name, only these
    count, nodes of the same kind; without, the collide masks alone decide.

    The data is the other one: the member of `others`, or the NodePath of the other CollisionNode.
    Of a collection the data is the pair of both, unless `machines` is a function from a node to its
    machine, None for one that has none.

    `traverser` is by default `base.cTrav`, made if there is none. A collider that is already in it
    keeps its handler, a CollisionHandlerPusher for example; others are added, and removed when
    their node is gone or leaves the collection. The events of one frame are sent in the next, in
    the order of both collections. Call the result to stop.

    Raises ValueError for a node without colliders, TypeError if a handler sends no events.
    """
    others, event = others_and_event(others_or_event, event, others)
    is_one = isinstance(colliders, NodePath)
    touches = Touches(machines, event, ended, many=not is_one, is_gone=is_removed)
    contacts = Contacts(
        _traverser_of_the_game() if traverser is None else traverser,
        nodes_of(colliders, "send_collisions: colliders"),
        None if others is None else nodes_of(others, "send_collisions: others"),
    )
    try:
        contacts.follow()
    except Exception:
        contacts.stop()
        raise

    def update(task: Any) -> Any:
        contacts.follow()
        touches.update(contacts.pairs())
        if is_one and not contacts.present:
            contacts.stop()  # not stop(): a task that refers to itself is never collected
            return task.done
        return task.cont

    task = taskMgr.add(update, "fsmkit-collisions", sort=1)  # after the events of the handlers

    def stop() -> None:
        taskMgr.remove(task)
        contacts.stop()

    return stop


def others_and_event(others_or_event: Any, event: Any, others: Any) -> tuple[Any, str]:
    """Return the others, or None, and the event; TypeError for any other arguments.

    >>> others_and_event("HIT", None, None), others_and_event(["wolf"], "HIT", None)
    ((None, 'HIT'), (['wolf'], 'HIT'))
    """
    pair = (others, others_or_event) if event is None else (others_or_event, event)
    is_twice = event is not None and others is not None
    if is_twice or not isinstance(pair[1], str):
        raise TypeError(
            "send_collisions: after the things give their event, or the others and the event, "
            f"got {shown((others_or_event, event))}."
        )
    return pair


def collection(things: Any, what: str, one: type, kind: str) -> Any:
    """Return one thing as a tuple, several as they are; TypeError for anything else.

    A generator can be iterated over only once, and would be empty by the next frame.
    """
    if isinstance(things, one):
        return (things,)
    several = any(hasattr(things, name) for name in ("__contains__", "__iter__", "__getitem__"))
    if not several or isinstance(things, Iterator | str):
        raise TypeError(
            f"{what} must be {kind} or a collection of them, such as a list, {got(things)}"
        )
    return things


def nodes_of(things: Any, what: str) -> Any:
    return collection(things, what, NodePath, "a NodePath")


def _traverser_of_the_game() -> Any:
    base = game(", or give traverser=")
    if not base.cTrav:
        base.cTrav = CollisionTraverser()
    return base.cTrav


@define
class Collider:
    path: Any
    owner: Any
    """The node of its thing."""
    is_added: bool
    """False if the traverser had it before."""


@define(eq=False)
class Contacts:
    """The colliders of `things` in a traverser, and the things they touch.

    Everything is kept by its PandaNode: a NodePath is empty once its node has been removed.
    """

    traverser: Any
    things: Iterable[Any]
    others: Iterable[Any] | None
    present: dict[Any, Any] = field(factory=dict, init=False)
    """Node -> its thing, unless it is gone."""
    _colliders: dict[Any, Collider] = field(factory=dict, init=False)
    _touched: dict[tuple[Any, Any], Any] = field(factory=dict, init=False)
    """The nodes of two colliders that touch -> the NodePath of the second."""
    _met: dict[Any, Any] = field(factory=dict, init=False)
    """Node -> the thing touched, the same object as long as the touch lasts."""
    _handler: Any = field(factory=CollisionHandlerEvent, init=False)
    _heard: list[Any] = field(factory=list, init=False)
    """The handlers that send us their events."""
    _listener: DirectObject = field(factory=DirectObject, init=False)
    _touch_event: str = field(factory=lambda: f"fsmkit-touch-{next(_numbers)}", init=False)
    _part_event: str = field(factory=lambda: f"fsmkit-part-{next(_numbers)}", init=False)
    _removals: Removals = field(factory=Removals, init=False)

    def __attrs_post_init__(self) -> None:
        self._listener.accept(self._touch_event, self._touch)
        self._listener.accept(self._part_event, self._part)

    def follow(self) -> None:
        there = [thing for thing in self.things if not self._removals.is_gone(thing)]
        self._removals.next_frame()
        before = self.present
        self.present = {(node := thing.node()): before.get(node, thing) for thing in there}
        self._remove_colliders_of(before.keys() - self.present.keys())
        for node, thing in self.present.items():
            if node not in before:
                self._add_colliders_of(thing)

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return the pairs that touch, in the order of both collections."""
        if not self._touched:
            return []
        members = None if self.others is None else _by_node(self.others)
        found: dict[tuple[Any, Any], tuple[Any, Any]] = {}
        for (collider, _), path in self._touched.items():
            owner = self._colliders[collider].owner
            met = path if members is None else _member(path, members)
            if met is not None and owner not in (met.node(), self._owner_of(path)):
                other = self._met.get(met.node(), met)
                found[owner, met.node()] = (self.present[owner], other)
        self._met = {node: other for (_, node), (_, other) in found.items()}
        ranks = {node: rank for rank, node in enumerate(self.present)}
        ranks_of_others = {node: rank for rank, node in enumerate(members or ())}

        def rank(nodes: tuple[Any, Any]) -> tuple[Any, ...]:
            one, other = nodes
            is_listed = members is not None
            return ranks[one], ranks_of_others[other] if is_listed else _place(self._met[other])

        return [found[nodes] for nodes in sorted(found, key=rank)]

    def stop(self) -> None:
        """Restore the traverser and its handlers."""
        self._listener.ignoreAll()
        self._remove_colliders_of({each.owner for each in self._colliders.values()})
        for handler in self._heard:
            self._ignore(handler)
        self._heard.clear()

    def _touch(self, entry: Any) -> None:
        collider, path = entry.getFromNodePath().node(), entry.getIntoNodePath()
        if collider in self._colliders:  # a handler may serve other colliders too
            self._touched.setdefault((collider, path.node()), path)

    def _part(self, entry: Any) -> None:
        nodes = (entry.getFromNodePath().node(), entry.getIntoNodePath().node())
        self._touched.pop(nodes, None)

    def _owner_of(self, path: Any) -> Any:
        collider = self._colliders.get(path.node())
        return collider and collider.owner

    def _add_colliders_of(self, thing: Any) -> None:
        is_collider = isinstance(thing.node(), CollisionNode)
        paths = [thing] if is_collider else thing.findAllMatches("**/+CollisionNode")
        if not paths:
            raise ValueError(
                f"send_collisions: {thing!r} must be a CollisionNode or have one below it. "
                "Add one: thing.attachNewNode(CollisionNode('touch')).node().addSolid(solid)."
            )
        for path in paths:
            self._add(NodePath(path), thing.node())

    def _add(self, path: Any, owner: Any) -> None:
        is_added = not self.traverser.hasCollider(path)
        handler = self._handler if is_added else self.traverser.getHandler(path)
        if not isinstance(handler, CollisionHandlerEvent):
            raise TypeError(
                f"The handler of {path!r} must send events, got a {type(handler).__name__}. Give "
                "it a CollisionHandlerEvent or CollisionHandlerPusher, or use another collider."
            )
        if is_added:
            self.traverser.addCollider(path, handler)
        if handler not in self._heard:
            self._heard.append(handler)
            handler.addInPattern(self._touch_event)
            if not is_added:  # it may have reported touches that began earlier
                handler.addAgainPattern(self._touch_event)
            handler.addOutPattern(self._part_event)
        self._colliders[path.node()] = Collider(path, owner, is_added)

    def _ignore(self, handler: Any) -> None:
        """Remove our events from those that a handler sends."""
        for kind in ("In", "Again", "Out"):
            patterns = tuple(getattr(handler, f"get{kind}Patterns")())
            getattr(handler, f"clear{kind}Patterns")()
            for pattern in patterns:
                if pattern not in (self._touch_event, self._part_event):
                    getattr(handler, f"add{kind}Pattern")(pattern)

    def _remove_colliders_of(self, owners: Collection[Any]) -> None:
        for node, collider in [*self._colliders.items()] if owners else ():
            if collider.owner in owners:
                del self._colliders[node]
                if collider.is_added:
                    self.traverser.removeCollider(collider.path)
        self._touched = {
            nodes: path for nodes, path in self._touched.items() if nodes[0] in self._colliders
        }
        if not any(each.is_added for each in self._colliders.values()):
            self._handler.clear()  # it gets no event when nothing is left to touch


def is_removed(path: Any) -> bool:
    return bool(path.isEmpty())


def _by_node(things: Iterable[Any]) -> dict[Any, Any]:
    return {thing.node(): thing for thing in things if not thing.isEmpty()}


def _member(path: Any, members: Mapping[Any, Any]) -> Any:
    above = (each.node() for each in path.getAncestors())  # itself too
    return next((members[node] for node in above if node in members), None)


def _place(path: Any) -> tuple[Any, ...]:
    """Return the names and the position of a node, to sort by."""
    return (str(path), *path.getPos(WORLD))
