"""Things of an engine: one, or a collection of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsmkit.engines.parts.tinted import Tinted


def is_collection(things: Any) -> bool:
    """Return True for what holds things, rather than being one."""
    return isinstance(things, Iterable)


def checked_things(who: str, *things: Any) -> None:
    """Raise TypeError for what is taken for an engine's thing, or a collection, and is neither."""
    for each in things:
        if (part := part_of_transform(each)) is not None:
            raise TypeError(f"{who}: what is meant is the engine's own {part}, {what_came(each)}")
        if isinstance(each, Iterator) or each is None:
            raise TypeError(
                f"{who}: things must be one, or a collection that can be gone through again and "
                f"again, such as a list; {what_came(each)}"
            )


def what_came(thing: Any) -> str:
    """Return the end of a message: what was given, and of a transform what to give instead."""
    if (part := part_of_transform(thing)) is None:
        return f"got {thing!r}."
    return f"got a {type(thing).__name__}. Give what it was made of, its .{part}."


def part_of_transform(thing: Any) -> str | None:
    """Return the name by which a transform knows what it moves; None for all else."""
    if not isinstance(thing, Tinted):
        return None
    return next((name for name in ("sprite", "node") if hasattr(thing, name)), None)
