"""Functions whose text is generated: they have a branch for each waypoint or event."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from fsmkit.crowd.randomness import random


def follow(waypoints: int, *, loop: bool) -> Callable[..., Any]:
    """Return the function that moves an agent from waypoint to waypoint: `own.x_0`, `own.y_0`."""
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


def choose(events: Sequence[str]) -> Callable[..., Any]:
    """Return the function that returns one of the events: the first if below `own.below_0`."""
    *others, last = events
    lines = ["def choose(agent, world, own):", "    drawn = random(agent)"]
    for index, event in enumerate(others):
        lines += [f"    if drawn < own.below_{index}:", f"        return {event!r}"]
    return written_function("choose", [*lines, f"    return {last!r}"])


def written_function(name: str, lines: Sequence[str]) -> Callable[..., Any]:
    """Return the function with this text, whose source can be read like one in a file."""
    text = "\n".join(lines) + "\n"
    file = f"<fsmkit.crowd.library {name} {sha256(text.encode()).hexdigest()[:8]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"math": math, "random": random, "__name__": __name__}
    exec(compile(text, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function
