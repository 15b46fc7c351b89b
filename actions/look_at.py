"""LookAt: make a thing face a target, which may move."""

from __future__ import annotations

from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.on_transform import OnTransform
from actions.parts.parameters import is_parameter, value_of
from actions.parts.validators import is_event_name, is_flag, is_target
from actions.rotate_towards import bearings


@define_action
class LookAt(OnTransform):
    """Turn `transform` to face `target`, at once, on enter and in every update.

    With `every_update=False` it turns on enter and finishes. `target` is a position, a function
    that returns one, or anything with a `position`. At the target's own position it keeps its
    rotation.

    `transform` is anything with a `position` and a `rotation`, an angle in degrees or a quaternion.
    For `Space.SELF` the `local_` ones are used, also of the target.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> eye, fly = Transform((0.0, 0.0)), Transform((0.0, 2.0))
    >>> fsm = Fsm("Eye")
    >>> _ = fsm.add_state("Watch").add_action(LookAt(eye, fly))
    >>> fsm.start()
    >>> eye.rotation
    90.0
    >>> fly.position = (-3.0, 0.0)
    >>> fsm.update(0.1)
    >>> eye.rotation
    180.0
    """

    uses = ("position", "rotation")

    target: Any = field(validator=[is_parameter, is_target])
    every_update: bool = field(default=True, kw_only=True, validator=is_flag)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)

    @property
    def finishes(self) -> Finishes | None:
        return "never" if self.every_update else "at once"

    def on_enter(self) -> None:
        self.on_update()
        if not self.every_update:
            self.finish()

    def on_update(self) -> None:
        _, wanted = bearings(self.transform, value_of(self.target, self), self.space)
        setattr(self.transform, self.space.rotation, wanted)
