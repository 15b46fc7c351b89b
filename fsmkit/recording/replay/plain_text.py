"""Plain values as text that is the same in every run, on every machine and Python version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from hashlib import blake2b
from numbers import Integral, Real
from typing import Any, Final

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.recording.snapshots.value_codec import MAX_DECIMAL_INT
from fsmkit.recording.snapshots.vectors import encoded_vector
from fsmkit.timing import CountdownTimer

NOTHING_TO_TELL: Final = "None"
"""The text of None, and of all that is not plain: it may be another one in every run."""

MOST_ITEMS: Final = 200
"""The items of a container that are looked at; of the others only the number counts."""

DEEPEST: Final = 20

LONGEST: Final = 80
"""Characters of a short text; of a longer one the rest is a hash."""


def plain_text(value: Any, depth: int = DEEPEST) -> str:
    """Return the text of a value.

    No method of a class of the game's own is called. Of such an object the text is that of None.

    >>> plain_text({"at": (3, 4.0), "who": None, "seen": {2, 1}, "thing": object()})
    '{"at": (3, 4.0), "who": None, "seen": {1, 2}, "thing": None}'
    """
    kind = type(value)
    if kind is float or kind is bool or value is None:
        return repr(value)
    for known, text in _KINDS.items() if kind not in _KINDS else ((kind, _KINDS[kind]),):
        if isinstance(value, known):
            return text(value, depth) if depth > 0 else NOTHING_TO_TELL
    vector = encoded_vector(value)
    return NOTHING_TO_TELL if vector is None else plain_text(vector, depth - 1)


def short_text(value: Any) -> str:
    """Return the text of a value, with a hash in place of what is too long to be read."""
    text = plain_text(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({short_hash(text)})"


def short_hash(text: str) -> str:
    """Return eight hexadecimal digits that other texts hardly ever have.

    >>> short_hash("TimedWait")
    'f8d49e14'
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _list(values: Iterable[Any], depth: int) -> str:
    items = list(values)
    rest = [f"and {len(items) - MOST_ITEMS} more"] if len(items) > MOST_ITEMS else []
    return ", ".join([*(plain_text(each, depth - 1) for each in items[:MOST_ITEMS]), *rest])


def _set(values: Iterable[Any], depth: int) -> str:
    return f"{{{', '.join(sorted(plain_text(each, depth - 1) for each in values))}}}"


def _mapping(values: Mapping[Any, Any], depth: int) -> str:
    items = list(values.items())
    pairs = [
        f"{plain_text(key, depth - 1)}: {plain_text(each, depth - 1)}"
        for key, each in items[:MOST_ITEMS]
    ]
    rest = [f"and {len(items) - MOST_ITEMS} more"] if len(items) > MOST_ITEMS else []
    return f"{{{', '.join([*pairs, *rest])}}}"


def _integer(value: Any, _: int) -> str:
    number = int(value)
    return str(number) if -MAX_DECIMAL_INT < number < MAX_DECIMAL_INT else hex(number)


_KINDS: Final[Mapping[type, Any]] = {
    Enum: lambda value, _: f"{type(value).__qualname__}.{value.name}",
    str: lambda value, _: json.dumps(str.__str__(value), ensure_ascii=False),
    Integral: _integer,
    int: _integer,
    Real: lambda value, _: repr(float(value)),
    bytes: lambda value, _: repr(bytes(value)),
    list: lambda value, depth: f"[{_list(value, depth)}]",
    tuple: lambda value, depth: f"({_list(value, depth)})",
    dict: _mapping,
    set: _set,
    frozenset: _set,
    Fsm: lambda value, _: f"<{value.name}>",
    FsmState: lambda value, _: f"<{value.name}>",
    FsmAction: lambda value, _: f"<{type(value).__name__}>",
    CountdownTimer: lambda value, depth: _list((value.duration, value.elapsed), depth),
}
"""Class -> the function that turns a value of it, or of a subclass, into text."""
