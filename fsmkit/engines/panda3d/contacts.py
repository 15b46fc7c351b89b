"""Contacts: what touches what in Panda3D, by the events of its handlers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import count
from typing import Any, Final

from attrs import define, field
from direct.showbase.DirectObject import DirectObject
from panda3d.core import CollisionHandlerEvent, CollisionNode, NodePath

from fsmkit.engines.panda3d.node_transform import WORLD
from fsmkit.engines.panda3d.removals import Removals

_numbers: Final = count()


@define
class Collider:
    """A collider in a traverser."""

    path: Any
    owner: Any
    """The node of the thing that it belongs to."""
    is_added: bool
    """False if it was in the traverser before."""


@define(eq=False)
class Contacts:
    """The colliders of `things` in a traverser, and what they touch.

    Everything is kept by its PandaNode: a NodePath is empty once its node has been removed.
    """

    traverser: Any
    things: Iterable[Any]
    others: Iterable[Any] | None
    present: dict[Any, Any] = field(factory=dict, init=False)
    """Node -> the thing itself, for all that are there."""
    _colliders: dict[Any, Collider] = field(factory=dict, init=False)
    _touched: dict[tuple[Any, Any], Any] = field(factory=dict, init=False)
    """The nodes of two colliders that touch -> the NodePath of the second."""
    _met: dict[Any, Any] = field(factory=dict, init=False)
    """Node -> what is touched, the same object as long as that lasts."""
    _handler: Any = field(factory=CollisionHandlerEvent, init=False)
    _heard: list[Any] = field(factory=list, init=False)
    """The handlers whose events are listened to."""
    _listener: DirectObject = field(factory=DirectObject, init=False)
    _patterns: Patterns = field(factory=lambda: Patterns(next(_numbers)), init=False)
    _removals: Removals = field(factory=Removals, init=False)

    def __attrs_post_init__(self) -> None:
        self._listener.accept(self._patterns.touch, self._touch)
        self._listener.accept(self._patterns.part, self._part)

    def follow(self) -> None:
        """Add the colliders of new things, and remove those of things that are gone."""
        there = [thing for thing in self.things if not self._removals.is_gone(thing)]
        self._removals.next_frame()
        before = self.present
        self.present = {(node := thing.node()): before.get(node, thing) for thing in there}
        self._remove_colliders_of(before.keys() - self.present.keys())
        for node, thing in self.present.items():
            if node not in before:
                self._add_colliders_of(thing)

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return what touches what, in the order of both collections."""
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
        return [found[nodes] for nodes in self._in_order(found, members)]

    def stop(self) -> None:
        """Leave the traverser and its handlers as they were."""
        self._listener.ignoreAll()
        self._remove_colliders_of({each.owner for each in self._colliders.values()})
        for handler in self._heard:
            self._patterns.remove_from(handler)
        self._heard.clear()

    def _in_order(self, nodes: Iterable[Any], members: Mapping[Any, Any] | None) -> list[Any]:
        """Return pairs of nodes by the order of the things, then of the others or their places."""
        ranks, ranks_of_others = _ranks(self.present), _ranks(members or ())

        def rank(pair: tuple[Any, Any]) -> tuple[Any, ...]:
            one, other = pair
            if members is None:
                return (ranks[one], *_place(self._met[other]))
            return (ranks[one], ranks_of_others[other])

        return sorted(nodes, key=rank)

    def _touch(self, entry: Any) -> None:
        collider, path = entry.getFromNodePath().node(), entry.getIntoNodePath()
        if collider in self._colliders:  # a handler may serve others too
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
            self._patterns.add_to(handler, is_new=is_added)
        self._colliders[path.node()] = Collider(path, owner, is_added)

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
            self._handler.clear()  # it is not told when nothing is left to touch


@define
class Patterns:
    """The names of the events by which the handlers tell one listener of touches."""

    number: int

    @property
    def touch(self) -> str:
        """The event of a touch that begins or goes on."""
        return f"fsmkit-touch-{self.number}"

    @property
    def part(self) -> str:
        """The event of a touch that has ended."""
        return f"fsmkit-part-{self.number}"

    def add_to(self, handler: Any, is_new: bool) -> None:
        """Have a handler send these events; one that is not new knows of touches already."""
        handler.addInPattern(self.touch)
        if not is_new:
            handler.addAgainPattern(self.touch)
        handler.addOutPattern(self.part)

    def remove_from(self, handler: Any) -> None:
        """Have a handler send only its other events."""
        for kind in ("In", "Again", "Out"):
            patterns = tuple(getattr(handler, f"get{kind}Patterns")())
            getattr(handler, f"clear{kind}Patterns")()
            for pattern in patterns:
                if pattern not in (self.touch, self.part):
                    getattr(handler, f"add{kind}Pattern")(pattern)


def is_removed(path: Any) -> bool:
    """Return True if the node of a NodePath has been removed."""
    return bool(path.isEmpty())


def _by_node(things: Iterable[Any]) -> dict[Any, Any]:
    return {thing.node(): thing for thing in things if not thing.isEmpty()}


def _member(path: Any, members: Mapping[Any, Any]) -> Any:
    """Return the thing that a collider belongs to, None if it is none of these."""
    above = (each.node() for each in path.getAncestors())  # itself too
    return next((members[node] for node in above if node in members), None)


def _ranks(nodes: Iterable[Any]) -> dict[Any, int]:
    return {node: rank for rank, node in enumerate(nodes)}


def _place(path: Any) -> tuple[Any, ...]:
    """Return where a node is, by names and numbers, to sort by."""
    return (str(path), *path.getPos(WORLD))
