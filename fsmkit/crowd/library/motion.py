"""Crowd actions that move things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attrs import define, field

from fsmkit import FINISHED
from fsmkit.crowd.action import Behaviour, Value
from fsmkit.crowd.library.generated import follow
from fsmkit.crowd.library.validators import (
    checked_waypoints,
    fractional,
    is_duration,
    is_event_or_none,
    is_field,
    is_place,
    is_speed,
    is_target,
)
from fsmkit.timing import TIME_TOLERANCE


def begin_move(_agent: Any, _world: Any, own: Any) -> Any:
    own.elapsed = 0.0
    own.beginning = own.start
    if own.duration <= 0.0:
        own.value = own.end
        return own.finish_event
    own.value = own.beginning
    return None


def begin_move_from_here(_agent: Any, _world: Any, own: Any) -> Any:
    own.elapsed = 0.0
    own.beginning = own.value
    if own.duration <= 0.0:
        own.value = own.end
        return own.finish_event
    return None


def move(_agent: Any, world: Any, own: Any) -> Any:
    own.elapsed += world.dt
    if own.elapsed >= own.duration - TIME_TOLERANCE:
        own.value = own.end
        return own.finish_event
    own.value = own.beginning + (own.end - own.beginning) * (own.elapsed / own.duration)
    return None


@define(eq=False, repr=False, slots=False)
class Move(Behaviour):
    """Change a field from `start` to `end` in `duration` seconds, then send `finish_event`.

    `start=None` means from its present value. It ends exactly at `end`, whatever dt was. Raises
    CrowdError for an invalid duration.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm
    >>> from fsmkit.crowd.library import Move
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> machine = CrowdFsm("Npc", Npc)
    >>> walk = machine.add_state("Walk")
    >>> _ = walk.add_action(Move("x", start=None, end=8.0, duration=2.0))
    >>> _ = walk.add_transition(FINISHED, machine.add_state("Rest"))
    >>> crowd = Crowd(machine, 2, start="Walk", engine="python")
    >>> crowd.update(0.5)
    >>> crowd["x"].tolist()
    [2.0, 2.0]
    """

    value: str = field(validator=is_field)
    start: Value | None
    end: Value
    duration: Value = field(validator=is_duration)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=is_event_or_none)

    def __attrs_post_init__(self) -> None:
        given = {
            "value": self.value,
            "end": fractional(self.end),
            "duration": fractional(self.duration),
        }
        if self.start is not None:
            given["start"] = fractional(self.start)
        self.set_functions(
            begin_move if self.start is not None else begin_move_from_here,
            move,
            parameters=given,
            memory={"elapsed": 0.0, "beginning": 0.0},
            events={"finish_event": self.finish_event or FINISHED},
        )


def move_constantly(_agent: Any, world: Any, own: Any) -> None:
    own.value += own.speed * world.dt


@define(eq=False, repr=False, slots=False)
class MoveConstantly(Behaviour):
    """Change a field by `speed` per second, as long as the state lasts.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm
    >>> from fsmkit.crowd.library import MoveConstantly
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Walk").add_action(MoveConstantly("x", 3.0))
    >>> crowd = Crowd(machine, 2, start="Walk", engine="python")
    >>> crowd.update(0.5)
    >>> crowd["x"].tolist()
    [1.5, 1.5]
    """

    value: str = field(validator=is_field)
    speed: Value

    def __attrs_post_init__(self) -> None:
        self.set_functions(
            on_update=move_constantly,
            parameters={"value": self.value, "speed": fractional(self.speed)},
        )


def begin_towards(_agent: Any, _world: Any, own: Any) -> Any:
    if own.x == own.target_x and own.y == own.target_y:
        return own.finish_event
    return None


def move_towards(_agent: Any, world: Any, own: Any) -> Any:
    way_x = own.target_x - own.x
    way_y = own.target_y - own.y
    distance = math.sqrt(way_x * way_x + way_y * way_y)
    stride = own.speed * world.dt
    if distance <= stride:
        own.x = own.target_x
        own.y = own.target_y
        return own.finish_event
    if distance > 0.0:
        own.x += way_x / distance * stride
        own.y += way_y / distance * stride
    return None


@define(eq=False, repr=False, slots=False)
class MoveTowards(Behaviour):
    """Go to a target, which may move, at `speed` per second, then send `finish_event`.

    `place` names two fields of the agents, x and y; `target` is two numbers or names of fields.
    Raises CrowdError for an invalid place, target or speed.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm
    >>> from fsmkit.crowd.library import MoveTowards
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    ...     y: float = 0.0
    >>> machine = CrowdFsm("Npc", Npc)
    >>> walk = machine.add_state("Walk")
    >>> _ = walk.add_action(MoveTowards(("x", "y"), (0.0, 9.0), 4.0))
    >>> _ = walk.add_transition(FINISHED, machine.add_state("Rest"))
    >>> crowd = Crowd(machine, 2, start="Walk", engine="python")
    >>> crowd.update(0.5)
    >>> crowd["y"].tolist()
    [2.0, 2.0]
    """

    place: tuple[str, str] = field(validator=is_place)
    target: tuple[Value, Value] = field(validator=is_target)
    speed: Value = field(validator=is_speed)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=is_event_or_none)

    def __attrs_post_init__(self) -> None:
        x, y = self.place
        target_x, target_y = self.target
        self.set_functions(
            begin_towards,
            move_towards,
            parameters={
                "x": x,
                "y": y,
                "target_x": fractional(target_x),
                "target_y": fractional(target_y),
                "speed": fractional(self.speed),
            },
            events={"finish_event": self.finish_event or FINISHED},
        )


def set_out(_agent: Any, _world: Any, own: Any) -> None:
    own.next = 0


@define(eq=False, repr=False, slots=False)
class FollowWaypoints(Behaviour):
    """Go from waypoint to waypoint at `speed` per second, then send `finish_event`.

    With `loop` it starts over with the first one for ever. `place` names two fields of the agents;
    waypoints are pairs of numbers. It ends an update on each, and goes on with the next update.
    Raises CrowdError if there are none, and for an invalid place, waypoint or speed.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm
    >>> from fsmkit.crowd.library import FollowWaypoints
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    ...     y: float = 0.0
    >>> machine = CrowdFsm("Npc", Npc)
    >>> round_walk = FollowWaypoints(("x", "y"), [(4.0, 0.0), (4.0, 4.0)], 2.0, loop=True)
    >>> _ = machine.add_state("Walk").add_action(round_walk)
    >>> crowd = Crowd(machine, 2, start="Walk", engine="python")
    >>> crowd.update(1.0)
    >>> crowd["x"].tolist()
    [2.0, 2.0]
    """

    place: tuple[str, str] = field(validator=is_place)
    waypoints: Sequence[tuple[float, float]]
    speed: Value = field(validator=is_speed)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=is_event_or_none)
    loop: bool = field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        x, y = self.place
        waypoints = checked_waypoints(self, self.waypoints)
        corners = {
            f"{axis}_{number}": each
            for number, waypoint in enumerate(waypoints)
            for axis, each in zip("xy", waypoint, strict=True)
        }
        self.set_functions(
            set_out,
            follow(len(waypoints), loop=self.loop),
            parameters={"x": x, "y": y, "speed": fractional(self.speed), **corners},
            memory={"next": 0},
            events={"finish_event": self.finish_event or FINISHED},
        )
