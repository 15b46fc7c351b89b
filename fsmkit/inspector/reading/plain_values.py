"""Memory: the plain values in what a machine controls, to be put back when time is turned back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from sys import getsizeof
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.reading.values import LARGEST, PLAIN, name_of, public_fields

DEPTH: Final = 2
"""The context of a machine, and what that holds."""


@frozen(eq=False)
class Memory:
    """The numbers, texts and tuples of them in the public fields of a thing.

    Of a container with more than a hundred entries nothing is kept.
    """

    owner: Any
    values: Mapping[Any, object]
    inner: Mapping[Any, Memory]

    def put_back(self) -> None:
        """Give every field the value that it had, unless it cannot be set."""
        now = public_fields(self.owner)
        for key, value in self.values.items():
            if key in now and now[key] is not value:
                self._put(key, value)
        for memory in self.inner.values():
            memory.put_back()

    def _put(self, key: Any, value: object) -> None:
        try:
            if isinstance(self.owner, Mapping):
                self.owner[key] = value  # type: ignore[index]  # not all of them will have it
            else:
                setattr(self.owner, key, value)
        except Exception:  # the thing will not have it, for a reason of its own
            return

    def too_large(self, name: str) -> Iterator[str]:
        """The names of the containers of which nothing is kept, if this one is called `name`."""
        if _is_large(self.owner):
            yield name
        for key, memory in self.inner.items():
            yield from memory.too_large(f"{name}.{name_of(key)}")

    def size_beside(self, last: Memory | None) -> int:
        """The bytes, about, that it takes if `last` is there already."""
        known, inner = (last.values, last.inner) if last is not None else ({}, {})
        own = 0 if self.values is known else getsizeof(self.values)
        new = [value for key, value in self.values.items() if value is not known.get(key)]
        return (
            own
            + sum(map(getsizeof, new))
            + sum(memory.size_beside(inner.get(key)) for key, memory in self.inner.items())
        )


def remember(thing: object, last: Memory | None = None, depth: int = DEPTH) -> Memory:
    """The plain values in `thing` as they are now, and in what it holds, so many levels deep.

    What is as it was in `last` is shared with that.
    """
    known = last if last is not None and last.owner is thing else _NOTHING
    fields = {} if isinstance(thing, PLAIN) or _is_large(thing) else public_fields(thing)
    values = {key: value for key, value in fields.items() if _is_plain(value)}
    inner = {
        key: remember(value, known.inner.get(key), depth - 1)
        for key, value in fields.items()
        if depth > 1 and _holds(value)
    }
    return Memory(thing, known.values if _are_same(values, known.values) else values, inner)


def _are_same(values: Mapping[Any, object], known: Mapping[Any, object]) -> bool:
    """Whether they are the very same: a 1 is no True."""
    return values.keys() == known.keys() and all(values[key] is known[key] for key in known)


def _is_large(value: object) -> bool:
    return isinstance(value, (Mapping, tuple)) and len(value) > LARGEST


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return not _is_large(value) and all(map(_is_plain, value))
    return isinstance(value, PLAIN)


def _holds(value: object) -> bool:
    """Whether there is more to be looked at in it; a large tuple is told of, like a large dict."""
    if isinstance(value, tuple):
        return _is_large(value)
    return not (isinstance(value, (*PLAIN, list, set, Fsm, FsmGroup, type)) or callable(value))


_NOTHING: Final = Memory(None, {}, {})
