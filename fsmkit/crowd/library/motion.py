"""Actions of crowds that move things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attrs import define, field

from fsmkit import FINISHED
from fsmkit.crowd.action import Behaviour, Value
from fsmkit.crowd.library.arguments import (
    a_duration,
    a_field,
    a_place,
    a_speed,
    a_target,
    an_event_or_none,
    waypoints_of,
)
from fsmkit.crowd.library.written import written_function
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
    """Bring a field from `start` to `end` in `duration` seconds, then send `finish_event`.

    `start=None` means from where it is now. It ends exactly at `end`, whatever dt was. Raises
    CrowdError for a number that is no duration.
    """

    value: str = field(validator=a_field)
    start: Value | None
    end: Value
    duration: Value = field(validator=a_duration)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=an_event_or_none)

    def __attrs_post_init__(self) -> None:
        given = {"value": self.value, "end": self.end, "duration": self.duration}
        if self.start is not None:
            given["start"] = self.start
        self.behave(
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
    """Change a field by `speed` per second, as long as the state lasts."""

    value: str = field(validator=a_field)
    speed: Value

    def __attrs_post_init__(self) -> None:
        self.behave(
            on_update=move_constantly, parameters={"value": self.value, "speed": self.speed}
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
    """Go to a place at `speed` per second, also if that moves; then send `finish_event`.

    `place` names two fields of the agents, x and y; `target` is two numbers or names of fields.
    Raises CrowdError for what is no place, no target or no speed.
    """

    place: tuple[str, str] = field(validator=a_place)
    target: tuple[Value, Value] = field(validator=a_target)
    speed: Value = field(validator=a_speed)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=an_event_or_none)

    def __attrs_post_init__(self) -> None:
        x, y = self.place
        target_x, target_y = self.target
        self.behave(
            begin_towards,
            move_towards,
            parameters={
                "x": x, "y": y, "target_x": target_x, "target_y": target_y, "speed": self.speed,
            },
            events={"finish_event": self.finish_event or FINISHED},
        )  # fmt: skip


def set_out(_agent: Any, _world: Any, own: Any) -> None:
    own.next = 0


@define(eq=False, repr=False, slots=False)
class FollowWaypoints(Behaviour):
    """Go from waypoint to waypoint at `speed` per second, then send `finish_event`.

    With `loop` it goes on with the first one for ever. `place` names two fields of the agents; the
    waypoints are places of two numbers. On each it ends an update, and starts afresh in the next.
    Raises CrowdError if there are none, and for what is no place, no waypoint or no speed.
    """

    place: tuple[str, str] = field(validator=a_place)
    waypoints: Sequence[tuple[float, float]]
    speed: Value = field(validator=a_speed)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=an_event_or_none)
    loop: bool = field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        x, y = self.place
        self.behave(
            set_out,
            written_function("follow", self._text(waypoints_of(self, self.waypoints))),
            parameters={"x": x, "y": y, "speed": self.speed},
            memory={"next": 0},
            events={"finish_event": self.finish_event or FINISHED},
        )

    def _text(self, waypoints: Sequence[tuple[float, float]]) -> list[str]:
        """The text of the function: which place is next depends on a number."""
        lines = ["def follow(agent, world, own):"]
        for index, (x, y) in enumerate(waypoints):
            lines += [
                f"    {'elif' if index else 'if'} own.next == {index}:",
                f"        target_x, target_y = {x!r}, {y!r}",
            ]
        lines[-2] = "    else:" if len(waypoints) > 1 else "    if True:"
        after_last = (
            ["            own.next = 0"] if self.loop else ["            return own.finish_event"]
        )
        return [
            *lines,
            "    way_x = target_x - own.x",
            "    way_y = target_y - own.y",
            "    distance = math.sqrt(way_x * way_x + way_y * way_y)",
            "    stride = own.speed * world.dt",
            "    if distance <= stride:",
            "        own.x = target_x",
            "        own.y = target_y",
            "        own.next += 1",
            f"        if own.next == {len(waypoints)}:",
            *after_last,
            "    elif distance > 0.0:",
            "        own.x += way_x / distance * stride",
            "        own.y += way_y / distance * stride",
        ]
