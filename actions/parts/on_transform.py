"""The bases of actions that act on a transform, in the world or relative to its parent."""

from __future__ import annotations

from typing import Any, ClassVar

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.validators import has, is_space, is_time_reference
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Space


def _has_uses(action: OnTransform, field: Attribute[Any], value: object) -> None:
    has(*action.uses)(action, field, value)


@define_action
class OnTransform(FsmAction):
    """An action on `transform`, of which it uses the attributes named by `uses`."""

    uses: ClassVar[tuple[str, ...]] = ("position",)

    transform: Any = field(validator=_has_uses)
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)


@define_action
class OnTransformInTime(OnTransform):
    """An action that changes a transform in every update, by the seconds of `time`."""

    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
