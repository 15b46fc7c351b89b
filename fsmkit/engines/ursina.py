"""Ursina: entities as transforms, its frames as clock, keys and collisions as events."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Container, Mapping
from typing import Any, ClassVar

from attrs import define

try:
    from ursina import Color, Entity, destroy
except ImportError as error:
    raise ImportError(
        "fsmkit.engines.ursina needs Ursina: pip install 'fsmkit[ursina]'."
    ) from error

import fsmkit.engines.sounds.ursina  # noqa: F401  # has its sounds known
from fsmkit import Fsm, FsmGroup, TimeReference
from fsmkit.engines.delivering import Touching, offer
from fsmkit.engines.panda3d import NodeTransform


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

    @property
    def tint(self) -> tuple[float, ...]:
        """The colour in the engine's terms: red, green, blue and alpha from 0 to 1."""
        return tuple(self.node.color)

    @tint.setter
    def tint(self, tint: tuple[float, ...]) -> None:
        self.node.color = Color(*tint)


@define(eq=False)
class Script:
    """A script that Ursina calls in every frame and for every key, while its entity is enabled."""

    update: Callable[[], None] | None = None
    input: Callable[[str], None] | None = None
    enabled: bool = True
    entity: Any = None


def attach(
    machines: Fsm[Any] | FsmGroup,
    *,
    entity: Any = None,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
) -> Callable[[], None]:
    """Let Ursina update `machines` in every frame; call the result to stop that.

    They get the seconds of Ursina's `time.dt`, which `application.time_scale` scales, at most
    `max_dt` per frame, scaled by `time`. With an `entity` they run as its script: as long as it
    exists and is enabled. Without one they outlive `scene.clear()`. Neither runs while the
    application is paused, unless the entity has `ignore_paused`.
    """

    def update() -> None:
        dt = min(vars(clock)["dt"], max_dt)  # Ursina puts it there
        machines.update(dt if time is None else time.scaled(dt))

    return _add(Script(update=update), entity)


def send_keys(
    machines: Fsm[Any] | FsmGroup,
    pressed: Mapping[str, str],
    *,
    released: Mapping[str, str] | None = None,
    entity: Any = None,
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys have Ursina's names (`"space"`, `"left arrow"`, `"left mouse down"`, in `released` without
    `" up"`); the name is the event's data. `entity` is as for `attach`.
    """
    events = {key: (event, key) for key, event in pressed.items()}
    for key, event in (released or {}).items():
        events[f"{key.replace('mouse down', 'mouse')} up"] = (event, key)

    def send(key: str) -> None:
        if key in events:
            offer(machines, *events[key])

    return _add(Script(input=send), entity)


def send_collisions(
    machines: Fsm[Any] | FsmGroup,
    entity: Any,
    event: str,
    *,
    ended: str | None = None,
    others: Container[Any] | None = None,
) -> Callable[[], None]:
    """Send `event` when `entity` begins to touch another one, `ended` when it no longer does.

    The data is the other entity. Both need a collider; that of `entity` must not be a mesh. With
    `others` only those count; a list may be changed later. `entity.intersects()` is called in every
    frame in which the entity is updated. Call the result to stop.
    """
    touching = Touching(machines, event, ended)

    def update() -> None:
        hits = entity.intersects().entities if entity else []  # empty once destroyed
        touching.update((entity, other) for other in hits if others is None or other in others)

    return _add(Script(update=update), entity)


def _add(script: Script, entity: Any) -> Callable[[], None]:
    """Add the script to `entity`, or to one of its own; the result removes it again."""
    owner = Entity(name="fsmkit", eternal=True) if entity is None else entity
    owner.add_script(script)

    def remove() -> None:
        script.enabled = False
        owner.scripts = [other for other in owner.scripts if other is not script]
        if entity is None and owner:  # false once destroyed
            owner.eternal = False
            destroy(owner)

    return remove
