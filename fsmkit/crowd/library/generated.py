"""Functions whose text is generated: they have a branch for each waypoint or event."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from fsmkit.crowd.randomness import random


def follow(waypoints: Sequence[tuple[float, float]], *, loop: bool) -> Callable[..., Any]:
    """Return the function that moves an agent from waypoint to waypoint."""
    lines = ["def follow(agent, world, own):"]
    for index, (x, y) in enumerate(waypoints):
        lines += [
            f"    {'elif' if index else 'if'} own.next == {index}:",
            f"        target_x, target_y = {x!r}, {y!r}",
        ]
    lines[-2] = "    else:" if len(waypoints) > 1 else "    if True:"
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
            f"        if own.next == {len(waypoints)}:",
            *after_last,
            "    elif distance > 0.0:",
            "        own.x += way_x / distance * stride",
            "        own.y += way_y / distance * stride",
        ],
    )


def choose(weights: Mapping[str, float]) -> Callable[..., Any]:
    """Return the function that returns one of the events, by their weights."""
    total = sum(weights.values())
    *others, last = (event for event, weight in weights.items() if weight > 0.0)
    lines, below = ["def choose(agent, world):", "    drawn = random(agent)"], 0.0
    for event in others:
        below += weights[event] / total
        lines += [f"    if drawn < {below!r}:", f"        return {event!r}"]
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
