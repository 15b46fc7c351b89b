"""PlainValues: the plain values in the context of a machine, restored when it goes back in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from sys import getsizeof
from typing import Any, Final, cast

from attrs import frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.reading.values import LARGEST, PLAIN, name_of, public_fields

DEPTH: Final = 2
"""Levels that are read: the context of a machine and the objects in it."""


@frozen(eq=False)
class PlainValues:
    """The numbers, texts and tuples of them in the public fields of an object.

    Nothing is kept of a container with more than a hundred entries, nor of what cannot be read.
    """

    owner: Any
    values: Mapping[Any, object]
    inner: Mapping[Any, PlainValues]

    def at(self, names: Sequence[str]) -> object:
        """Return the value at a path of names; None if there is none."""
        name, *rest = names
        values = self.inner if rest else self.values
        found = next((value for key, value in values.items() if name_of(key) == name), None)
        return found.at(rest) if isinstance(found, PlainValues) else found

    def put_back(self) -> None:
        """Give every field the value that it had, if it can be set."""
        now = _fields(self.owner)
        for key, value in self.values.items():
            if key in now and now[key] is not value:
                self._put(key, value)
        for inner in self.inner.values():
            inner.put_back()

    def _put(self, key: Any, value: object) -> None:
        with suppress(Exception):  # the object refuses it
            if isinstance(self.owner, Mapping):
                self.owner[key] = value  # type: ignore[index]  # an immutable one raises an error
            else:
                setattr(self.owner, key, value)

    def too_large(self, name: str) -> Iterator[str]:
        """Yield the names of the containers that are not kept, if this one is called `name`."""
        if _is_large(self.owner):
            yield name
        for key, inner in self.inner.items():
            yield from inner.too_large(f"{name}.{name_of(key)}")

    def added_size(self, last: PlainValues | None) -> int:
        """Return roughly the bytes that it takes in addition to `last`."""
        known, inner = (last.values, last.inner) if last is not None else ({}, {})
        own = 0 if self.values is known else getsizeof(self.values)
        new = [value for key, value in self.values.items() if value is not known.get(key)]
        return (
            own
            + sum(map(getsizeof, new))
            + sum(each.added_size(inner.get(key)) for key, each in self.inner.items())
        )


def capture(thing: object, last: PlainValues | None = None, depth: int = DEPTH) -> PlainValues:
    """Return the plain values in `thing` and in the objects it holds, `depth` levels deep.

    Values unchanged since `last` are shared with it.
    """
    known = last if last is not None and last.owner is thing else _NOTHING
    fields = {} if _is_a(thing, PLAIN) or _is_large(thing) else _fields(thing)
    values = {key: value for key, value in fields.items() if _is_plain(value)}
    inner = {
        key: capture(value, known.inner.get(key), depth - 1)
        for key, value in fields.items()
        if depth > 1 and _holds(value)
    }
    return PlainValues(thing, known.values if _are_same(values, known.values) else values, inner)


def _are_same(values: Mapping[Any, object], known: Mapping[Any, object]) -> bool:
    """Return True if they are identical, not just equal: 1 is not True."""
    return values.keys() == known.keys() and all(values[key] is known[key] for key in known)


def _fields(thing: object) -> Mapping[Any, object]:
    """Return the fields of `thing`; none if they cannot be read, as those of a dead proxy."""
    try:
        fields = public_fields(thing)
        most = LARGEST if fields is thing else None  # a mapping may go on for ever
        return dict(islice(fields.items(), most))
    except Exception:  # from the object
        return {}


def _is_large(value: object) -> bool:
    try:
        return isinstance(value, (Mapping, tuple)) and len(value) > LARGEST
    except Exception:  # from the object
        return False


def _is_plain(value: object) -> bool:
    if _is_a(value, tuple):
        return not _is_large(value) and all(map(_is_plain, cast("tuple[object, ...]", value)))
    return _is_a(value, PLAIN)


def _holds(value: object) -> bool:
    """Return True if `value` is read in turn; a large tuple is, to be reported like a dict."""
    if _is_a(value, tuple):
        return _is_large(value)
    return not (_is_a(value, (*PLAIN, list, set, Fsm, FsmGroup, type)) or callable(value))


def _is_a(value: object, kinds: type | tuple[type, ...]) -> bool:
    """Return True for an object of that class, whatever it says itself: a proxy may be dead."""
    return issubclass(type(value), kinds)


_NOTHING: Final = PlainValues(None, {}, {})
