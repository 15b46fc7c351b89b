"""The mouse of Ursina on entities, as events."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from ursina import Entity, mouse

from fsmkit.engines.panda3d.collisions import collection
from fsmkit.engines.parts.delivering import Hearers
from fsmkit.engines.parts.pointing import Pointing
from fsmkit.engines.ursina.keys import own_name
from fsmkit.engines.ursina.scripts import Script, add_script


def send_mouse(
    machines: Hearers,
    entities: Any | Container[Any],
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: str = "left mouse down",
) -> Callable[[], None]:
    """Send the events when the mouse is upon an entity; call the result to stop.

    `pressed` and `released` are sent for `button`, `entered` and `left` when the mouse comes and
    goes; what was pressed on is told of the release wherever the mouse is then. `entities` is an
    Entity or a collection of them, which may change. They need a collider: Ursina's own
    `mouse.hovered_entity` decides, the user interface before the scene, the nearest before all.

    The data is the entity. `machines` may be a function from an entity to its machine, None for one
    that has none. That of a single entity ends when it is destroyed. Raises ValueError for a
    `button` that does not exist.
    """
    name = own_name(button)
    one = entities if isinstance(entities, Entity) else None
    things = (
        (one,) if one is not None else collection(entities, "send_mouse: entities", "an Entity")
    )
    pointing = Pointing(machines, pressed, released, entered, left)

    def point() -> None:
        entity = mouse.hovered_entity
        is_upon = entity and entity.hovered and entity.enabled  # false once destroyed
        pointing.point([entity] if is_upon and entity in things else [])

    def hear(key: str) -> None:
        if key == name:
            point()
            pointing.press()
        elif key == name.replace(" down", " up"):
            pointing.release()

    return add_script(Script(update=point, input=hear), ends_with=one)
