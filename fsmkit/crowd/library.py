"""Actions for crowds, like those of the library for single machines.

They write to fields of the agents, which are given by name. Their parameters are numbers, names of
such fields, or of fields of the world (`"world.player_x"`). Actions that end send an event,
`FINISHED` by default, at once: they do not wait for the other actions of the state.

Two of them have a branch for each event or waypoint; the text of their functions is generated.
"""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from inspect import Parameter, signature
from itertools import accumulate
from math import inf, isfinite
from types import FunctionType
from typing import Any

from attrs import Attribute, define, field

from fsmkit import FINISHED
from fsmkit.core.checks import arguments
from fsmkit.crowd.action import Behaviour, Value
from fsmkit.crowd.agent_functions import Number
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.randomness import random
from fsmkit.timing import TIME_TOLERANCE

__all__ = [
    "FollowWaypoints",
    "Move",
    "MoveConstantly",
    "MoveTowards",
    "SendEventWhen",
    "SendRandomEvent",
    "TimedWait",
]


# The validators of fields, called before an action is complete


def is_rate(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise CrowdError unless it is a finite number >= 0, or the name of a field."""
    if not isinstance(value, str):
        unit = " of seconds" if field.alias == "duration" else " of units per second"
        what = f"The {field.alias} of {type(action).__name__}"
        arguments.number(
            value, what, least=0, unit=unit, otherwise=" or the name of a field", error=CrowdError
        )


def is_field(action: object, field: Attribute[Any], value: object) -> None:
    """Raise CrowdError unless it is the name of a field of the agents: only those are written."""
    if not _is_field_name(value):
        raise _invalid(action, field, "the name of a field of the agents", value)


def is_place(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise CrowdError unless it is the names of two such fields."""
    if not _is_pair(value) or not all(map(_is_field_name, value)):
        raise _invalid(action, field, "the names of two fields of the agents: ('x', 'y')", value)


def is_target(action: object, field: Attribute[Any], value: Any) -> None:
    if not _is_pair(value) or not all(isinstance(v, str) or _is_finite(v) for v in value):
        raise _invalid(action, field, "two finite numbers or names of fields", value)


def is_event(action: object, field: Attribute[Any], value: object) -> None:
    if not isinstance(value, str) or not value:
        raise _invalid(action, field, "the name of an event", value)


def is_event_or_none(action: object, field: Attribute[Any], value: object) -> None:
    if value is not None:
        is_event(action, field, value)


def is_predicate(action: object, field: Attribute[Any], value: Any) -> None:
    if not isinstance(value, FunctionType):
        raise _invalid(action, field, "a plain function (agent, world)", value)
    own = signature(value, follow_wrapped=False)
    given = own.parameters.values()
    plain = all(
        each.kind is Parameter.POSITIONAL_OR_KEYWORD and each.default is Parameter.empty
        for each in given
    )
    if not plain or len(given) != 2:
        raise CrowdError(
            f"{type(action).__name__}: {field.alias} must take two parameters, (agent, world), "
            f"without defaults, got {value.__name__}{own}."
        )


def checked_weights(action: object, weights: Any) -> dict[str, float]:
    who = type(action).__name__
    if not isinstance(weights, Mapping):
        raise CrowdError(f"{who}: weights must map events to numbers, got {weights!r}.")
    for event, weight in weights.items():
        if not isinstance(event, str) or not event:
            raise CrowdError(f"{who}: an event must be a non-empty str, got {event!r}.")
        arguments.number(weight, f"{who}: the weight of {event!r}", least=0, error=CrowdError)
    total = sum(weights.values())
    if not total:
        raise CrowdError(
            f"{who}: at least one weight must be > 0, got {dict(weights)!r}, which leaves nothing "
            "to choose from."
        )
    if total == inf:
        raise CrowdError(
            f"{who}: the weights must have a finite sum, got {dict(weights)!r}, whose sum is inf. "
            "Use smaller weights."
        )
    return {event: w for event, weight in weights.items() if (w := float(weight)) > 0.0}


def checked_waypoints(action: object, waypoints: Any) -> list[tuple[float, float]]:
    who = type(action).__name__
    try:
        given = list(waypoints)
    except TypeError:
        raise CrowdError(f"{who}: waypoints must be pairs of numbers, got {waypoints!r}.") from None
    if not given:
        raise CrowdError(f"{who}: waypoints must have at least one place, got none.")
    for each in given:
        if not _is_pair(each) or not all(map(_is_finite, each)):
            raise CrowdError(f"{who}: a waypoint must be two finite numbers, got {each!r}.")
    return [(float(x), float(y)) for x, y in given]


def fractional(**values: Value) -> dict[str, Value]:
    """Return parameters, each int as a float, so that 2 compiles to the same loops as 2.5."""
    return {name: float(v) if type(v) is int else v for name, v in values.items()}


def _is_field_name(value: object) -> bool:
    return isinstance(value, str) and not value.startswith("world.")


def _is_pair(value: Any) -> bool:
    return not isinstance(value, str) and hasattr(value, "__len__") and len(value) == 2


def _is_finite(value: object) -> bool:
    number = None if isinstance(value, bool) else arguments.to_float(value)
    return number is not None and isfinite(number)


def _invalid(action: object, field: Attribute[Any], wanted: str, value: object) -> CrowdError:
    return CrowdError(f"{type(action).__name__}: {field.alias} must be {wanted}, got {value!r}.")


# The actions


def begin_wait(_agent: Any, _world: Any, own: Any) -> Any:
    own.elapsed = 0.0
    if own.duration <= 0.0:
        return own.finish_event
    return None


def wait(_agent: Any, world: Any, own: Any) -> Any:
    own.elapsed += world.dt
    if own.elapsed >= own.duration - TIME_TOLERANCE:
        return own.finish_event
    return None


@define(eq=False, repr=False, slots=False)
class TimedWait(Behaviour):
    """Wait `duration` seconds, then send `finish_event`.

    Raises CrowdError for an invalid duration.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm
    >>> @define
    ... class Guest:
    ...     patience: float = 2.0
    >>> machine = CrowdFsm("Guest", Guest)
    >>> waits, leaves = machine.add_state("Waits"), machine.add_state("Leaves")
    >>> _ = waits.add_action(TimedWait("patience"))
    >>> _ = waits.add_transition(FINISHED, leaves)
    >>> crowd = Crowd(machine, 3, start="Waits", engine="python")
    >>> crowd["patience"][:] = 1.0, 2.0, 3.0
    >>> crowd.update(2.0)
    >>> crowd.count()
    {'Waits': 1, 'Leaves': 2}
    """

    duration: Value = field(validator=is_rate)
    finish_event: str | None = field(default=FINISHED, validator=is_event_or_none)

    def __attrs_post_init__(self) -> None:
        self.set_functions(
            begin_wait,
            wait,
            parameters=fractional(duration=self.duration),
            memory={"elapsed": 0.0},
            events={"finish_event": self.finish_event or FINISHED},
        )


@define(eq=False, repr=False, slots=False)
class SendEventWhen(Behaviour):
    """Send `event` in the first update in which `predicate(agent, world)` is true.

    Raises CrowdError for an invalid predicate.

    >>> def is_near(npc, world):
    ...     return abs(npc.x - world.player) < 5.0
    >>> SendEventWhen(is_near, "SAW_PLAYER").sends
    ('SAW_PLAYER',)
    """

    predicate: Callable[[Any, Any], Any] = field(validator=is_predicate)
    event: str = field(validator=is_event)

    def __attrs_post_init__(self) -> None:
        predicate = self.predicate

        def check(agent: Any, world: Any, own: Any) -> Any:
            if predicate(agent, world):
                return own.event
            return None

        self.set_functions(on_update=check, events={"event": self.event})


@define(eq=False, repr=False, slots=False)
class SendRandomEvent(Behaviour):
    """Send one of the events of `weights` on enter, with probabilities proportional to the weights.

    Its parameters, for `Crowd.sweep`, are shares: `below_0` is the share of the first event (with a
    weight above 0), `below_1` that of the first two, and so on; the last event gets the rest.
    Raises CrowdError unless the weights are finite, none negative and at least one above 0.

    >>> SendRandomEvent({"LEFT": 1.0, "RIGHT": 3.0}).sends
    ('LEFT', 'RIGHT')
    """

    weights: Mapping[str, float]

    def __attrs_post_init__(self) -> None:
        weights = checked_weights(self, self.weights)
        shares = accumulate(weight / sum(weights.values()) for weight in weights.values())
        self.set_functions(
            choose(list(weights)),
            parameters={f"below_{n}": share for n, share in enumerate(list(shares)[:-1])},
        )

    def check_parameter(self, name: str, value: Number, what: str) -> None:  # noqa: ARG002
        """Raise CrowdError unless `value` is a share: all parameters are shares."""
        if not 0.0 <= value <= 1.0:
            raise CrowdError(f"{what} must be shares, from 0 to 1, got {value!r}.")


def choose(events: Sequence[str]) -> Callable[..., Any]:
    """Return the function that draws one of the events: the first if below `own.below_0`, ..."""
    *others, last = events
    lines = ["def choose(agent, world, own):", "    drawn = random(agent)"]
    for index, event in enumerate(others):
        lines += [f"    if drawn < own.below_{index}:", f"        return {event!r}"]
    return written_function("choose", [*lines, f"    return {last!r}"])


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

    `start=None` starts from its current value. It ends exactly at `end`, whatever dt is. Raises
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
    duration: Value = field(validator=is_rate)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=is_event_or_none)

    def __attrs_post_init__(self) -> None:
        given = fractional(value=self.value, end=self.end, duration=self.duration)
        if self.start is not None:
            given |= fractional(start=self.start)
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
            parameters=fractional(value=self.value, speed=self.speed),
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
    speed: Value = field(validator=is_rate)
    finish_event: str | None = field(default=FINISHED, kw_only=True, validator=is_event_or_none)

    def __attrs_post_init__(self) -> None:
        x, y = self.place
        target_x, target_y = self.target
        self.set_functions(
            begin_towards,
            move_towards,
            parameters=fractional(x=x, y=y, target_x=target_x, target_y=target_y, speed=self.speed),
            events={"finish_event": self.finish_event or FINISHED},
        )


def set_out(_agent: Any, _world: Any, own: Any) -> None:
    own.next = 0


@define(eq=False, repr=False, slots=False)
class FollowWaypoints(Behaviour):
    """Go from waypoint to waypoint at `speed` per second, then send `finish_event`.

    With `loop` it starts over at the first one, forever. `place` names two fields of the agents;
    waypoints are pairs of numbers. An update ends at each waypoint; the next one continues.
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
    speed: Value = field(validator=is_rate)
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
            parameters=fractional(x=x, y=y, speed=self.speed, **corners),
            memory={"next": 0},
            events={"finish_event": self.finish_event or FINISHED},
        )


def follow(waypoints: int, *, loop: bool) -> Callable[..., Any]:
    """Return the function that moves an agent between waypoints: `own.x_0`, `own.y_0`, ..."""
    lines = ["def follow(agent, world, own):"]
    for index in range(waypoints):
        lines += [
            f"    {'elif' if index else 'if'} own.next == {index}:",
            f"        target_x, target_y = own.x_{index}, own.y_{index}",
        ]
    lines[-2] = "    else:" if waypoints > 1 else "    if True:"
    after_last = ["            own.next = 0"] if loop else ["            return own.finish_event"]
    return written_function(
        "follow",
        [
            *lines,
            "    way_x = target_x - own.x",
            "    way_y = target_y - own.y",
            "    distance = math.sqrt(way_x * way_x + way_y * way_y)",
            "    stride = own.speed * world.dt",
            "    if distance <= stride:",
            "        own.x = target_x",
            "        own.y = target_y",
            "        own.next += 1",
            f"        if own.next == {waypoints}:",
            *after_last,
            "    elif distance > 0.0:",
            "        own.x += way_x / distance * stride",
            "        own.y += way_y / distance * stride",
        ],
    )


def written_function(name: str, lines: Sequence[str]) -> Callable[..., Any]:
    """Return the function with this text, whose source can be read as if it were in a file."""
    text = "\n".join(lines) + "\n"
    file = f"<fsmkit.crowd.library {name} {sha256(text.encode()).hexdigest()[:8]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"math": math, "random": random, "__name__": __name__}
    exec(compile(text, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function
