"""Updates of machines by the frames of Ursina."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

from ursina import Entity

from fsmkit import Fsm, TimeReference
from fsmkit.engines.parts.delivering import Machines
from fsmkit.engines.parts.frames import Frames, lifetime_of
from fsmkit.engines.ursina.scripts import Script, add_script, is_destroyed
from fsmkit.timing import FixedStep


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
    `max_dt` per frame, scaled by `time`; with a `step` in steps of so many seconds each.

    With an `entity` they run as its script: while it is enabled, and until it is destroyed; then
    they are stopped. Without one they outlive `scene.clear()`. Neither runs while the application
    is paused, unless the entity has `ignore_paused`. For a group, `entity` may be a function from a
    machine to its entity: each is stopped, and leaves the group, when its own is destroyed.

    Raises TypeError for another `entity`, ValueError for a `step` that is not > 0.
    """
    own = entity if isinstance(entity, Entity) else None
    if not (entity is own or callable(entity)):
        raise TypeError(
            "attach: entity must be an Entity, or a function from a machine to one, "
            f"got {entity!r}."
        )
    lifetime = lifetime_of(machines, entity, is_destroyed)
    frames = Frames(machines, max_dt, time, step, lifetime)

    def update() -> None:
        if not frames.update(vars(clock)["dt"]):  # Ursina puts it there
            detach()

    # An entity that has been destroyed updates no scripts: its machines are stopped at the end.
    detach = add_script(Script(update=update), own, at_end=lambda: frames.update(0.0))
    return detach
