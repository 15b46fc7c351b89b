"""Memory: the plain values in what a machine controls, to be put back when time is turned back."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.values import PLAIN, public_fields

DEPTH: Final = 2
"""The context of a machine, and what that holds."""


@frozen(eq=False)
class Memory:
    """The numbers, texts and tuples of them in the public fields of a thing."""

    owner: Any
    values: dict[str, object]
    inner: tuple[Memory, ...]

    def put_back(self) -> None:
        """Give every field the value that it had, unless it cannot be set."""
        now = public_fields(self.owner)
        for name, value in self.values.items():
            if name in now and now[name] != value:
                self._put(name, value)
        for memory in self.inner:
            memory.put_back()

    def _put(self, name: str, value: object) -> None:
        try:
            if isinstance(self.owner, dict):
                self.owner[name] = value
            else:
                setattr(self.owner, name, value)
        except (AttributeError, TypeError, ValueError):  # the thing will not have it
            return


def remember(thing: object, depth: int = DEPTH) -> Memory:
    """The plain values in `thing` as they are now, and in what it holds, so many levels deep."""
    fields = {} if isinstance(thing, PLAIN) else public_fields(thing)
    return Memory(
        thing,
        {name: value for name, value in fields.items() if _is_plain(value)},
        tuple(remember(each, depth - 1) for each in fields.values() if depth > 1 and _holds(each)),
    )


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, PLAIN)


def _holds(value: object) -> bool:
    return not (
        isinstance(value, (*PLAIN, tuple, list, set, Fsm, FsmGroup, type)) or callable(value)
    )
