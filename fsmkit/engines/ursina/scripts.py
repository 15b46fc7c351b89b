"""Scripts of entities: what Ursina calls in every frame and for every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define
from direct.task.TaskManagerGlobal import taskMgr
from ursina import Entity, destroy


@define(eq=False)
class Script:
    """A script that Ursina calls in every frame and for every key, while its entity is enabled."""

    update: Callable[[], None] | None = None
    input: Callable[[str], None] | None = None
    enabled: bool = True
    entity: Any = None


def is_destroyed(entity: Any) -> bool:
    """Return True once an entity has been destroyed."""
    return bool(entity.isEmpty())


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

    def remove() -> None:
        script.enabled = False
        owner.scripts = [other for other in owner.scripts if other is not script]
        if own is not None and not is_destroyed(own):
            own.eternal = False
            destroy(own)
        if task is not None:
            taskMgr.remove(task)

    def look(task: Any) -> Any:
        if not is_destroyed(mortal):
            return task.cont
        remove()
        at_end()
        return task.done

    task = None if mortal is None else taskMgr.add(look, "fsmkit-destroyed")
    return remove
