"""Collisions of Panda3D, as events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import CollisionTraverser, NodePath

from fsmkit.engines.panda3d.contacts import Contacts, is_removed
from fsmkit.engines.panda3d.game import game
from fsmkit.engines.parts.delivering import Hearers, Touching


@overload
def send_collisions(
    machines: Hearers,
    colliders: Any | Iterable[Any],
    event: str,
    /,
    *,
    others: Any | Iterable[Any] | None = None,
    ended: str | None = None,
    traverser: Any = None,
) -> Callable[[], None]: ...


@overload
def send_collisions(
    machines: Hearers,
    colliders: Any | Iterable[Any],
    others: Any | Iterable[Any],
    event: str,
    /,
    *,
    ended: str | None = None,
    traverser: Any = None,
) -> Callable[[], None]: ...


def send_collisions(
    machines: Hearers,
    colliders: Any | Iterable[Any],
    *which: Any,
    others: Any | Iterable[Any] | None = None,
    ended: str | None = None,
    traverser: Any = None,
) -> Callable[[], None]:
    """Send `event` when one of `colliders` begins to touch another, `ended` when it ends.

    `colliders` is the NodePath of a CollisionNode, or of anything with some below it; or a
    collection of these, to which may be added and from which may be taken at any time. With
    `others` only these count, nodes of the same kind; without, the collide masks alone decide.

    The data is the other one: the member of `others`, or the NodePath of the other CollisionNode.
    Of a collection the data is the pair of both, unless `machines` is a function from a node to its
    machine, None for one that has none.

    `traverser` is by default `base.cTrav`, made if there is none. A collider that is already in it
    keeps its handler, a CollisionHandlerPusher for example; others are added, and removed when
    their node is gone or leaves the collection. The events of one frame are sent in the next, in
    the order of both collections. Call the result to stop.

    Raises ValueError for a node without colliders, TypeError if a handler sends no events.
    """
    others, event = others_and_event(which, others)
    is_one = isinstance(colliders, NodePath)
    touching = Touching(machines, event, ended, many=not is_one, is_gone=is_removed)
    contacts = Contacts(
        _traverser_of_the_game() if traverser is None else traverser,
        (colliders,) if is_one else collection(colliders, "send_collisions: colliders"),
        (others,)
        if isinstance(others, NodePath)
        else collection(others, "send_collisions: others"),
    )
    try:
        contacts.follow()
    except Exception:
        contacts.stop()
        raise

    def update(task: Any) -> Any:
        contacts.follow()
        touching.update(contacts.pairs())
        if is_one and not contacts.present:
            stop()
            return task.done
        return task.cont

    task = taskMgr.add(update, "fsmkit-collisions", sort=1)  # after the events of the handlers

    def stop() -> None:
        taskMgr.remove(task)
        contacts.stop()

    return stop


def others_and_event(which: tuple[Any, ...], others: Any = None) -> tuple[Any, str]:
    """Return what was given for `event`, or for `others, event`; TypeError for anything else.

    >>> others_and_event(("HIT",)), others_and_event((["wolf"], "HIT"))
    ((None, 'HIT'), (['wolf'], 'HIT'))
    """
    if len(which) == 2 and others is None:
        others, which = which[0], which[1:]
    if len(which) != 1 or not isinstance(which[0], str):
        raise TypeError(
            "send_collisions: after the things give their event, or the others and the event, "
            f"got {which!r}."
        )
    return others, which[0]


def collection(things: Any, what: str, kind: str = "a NodePath") -> Any:
    """Return `things` if they are a collection, or None; TypeError for anything else."""
    if things is not None:
        try:
            iter(things)
        except TypeError:
            message = f"{what} must be {kind} or a collection of them, got {things!r}."
            raise TypeError(message) from None
    return things


def _traverser_of_the_game() -> Any:
    base = game(", or give traverser=")
    if not base.cTrav:
        base.cTrav = CollisionTraverser()
    return base.cTrav
