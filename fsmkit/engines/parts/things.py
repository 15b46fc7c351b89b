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
        if isinstance(each, Tinted):
            raise TypeError(
                f"{who}: what is meant is the engine's own sprite, got a {type(each).__name__}. "
                "Give what it was made of, its .sprite."
            )
        if isinstance(each, Iterator) or each is None:
            raise TypeError(
                f"{who}: things must be one, or a collection that can be gone through again and "
                f"again, such as a list; got {each!r}."
            )
