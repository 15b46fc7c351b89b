"""Scripts of entities: what Ursina calls in every frame and for every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define
from direct.showbase.DirectObject import DirectObject
from direct.task.TaskManagerGlobal import taskMgr
from ursina import Entity, destroy

from fsmkit.engines.panda3d.collisions import collection
from fsmkit.engines.panda3d.game import when_focus_is_lost


@define(eq=False)
class Script:
    """A script that Ursina calls in every frame and for every key, while its entity is enabled.

    `lose_focus` is called when the window loses the keyboard, whether it is enabled or not.
    """

    update: Callable[[], None] | None = None
    input: Callable[[str], None] | None = None
    lose_focus: Callable[[], object] | None = None
    enabled: bool = True
    entity: Any = None


def is_destroyed(entity: Any) -> bool:
    """Return True once an entity has been destroyed."""
    return bool(entity.isEmpty())


def entities_of(things: Any, what: str) -> Any:
    """Return entities as a collection of them; TypeError for anything else."""
    return collection(things, what, Entity, "an Entity")


def add_script(
    script: Script,
    entity: Any = None,
    *,
    ends_with: Any = None,
    at_end: Callable[[], object] = bool,
) -> Callable[[], None]:
    """Add the script to `entity`, or to one of its own; the result removes it again.

    It is also removed when that entity, or the one that it `ends_with`, has been destroyed, and
    `at_end` is called then. That is looked for in every frame, since Ursina tells scripts nothing.
    """
    own: Any = Entity(name="fsmkit", eternal=True) if entity is None else None
    owner: Any = own if entity is None else entity
    mortal = ends_with if entity is None else entity
    owner.add_script(script)
    task: Any = None
    focus = DirectObject()
    if script.lose_focus is not None:
        when_focus_is_lost(focus, script.lose_focus)

    def remove() -> None:
        nonlocal task
        script.enabled = False
        focus.ignoreAll()
        owner.scripts = [other for other in owner.scripts if other is not script]
        if own is not None and not is_destroyed(own):
            own.eternal = False
            destroy(own)
        if task is not None:
            taskMgr.remove(task)
            task = None  # or it, which Python's collector cannot see into, would hold us for ever

    def look(task: Any) -> Any:
        if not is_destroyed(mortal):
            return task.cont
        remove()
        at_end()
        return task.done

    if mortal is not None:
        task = taskMgr.add(look, "fsmkit-destroyed")
    return remove
