"""Turns values into JSON and back: a value that JSON cannot hold becomes `{"$kind": ...}`.

Reading them runs no code and imports nothing: the kinds are those of the table at the end.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from json import dumps
from math import isfinite
from random import Random
from typing import Any, Final, TypeAlias

from attrs import define

from fsmkit import FsmAction
from fsmkit.recording.snapshots.fields import fields_of, parameters_of
from fsmkit.recording.snapshots.generators import GeneratorStates, GeneratorsToRestore
from fsmkit.recording.snapshots.references import References
from fsmkit.recording.snapshots.vectors import (
    decoded_array,
    decoded_vector,
    encoded_number,
    encoded_vector,
)
from fsmkit.timing import CountdownTimer
from fsmkit.tooling.run_state import DelayedEvent

Encode: TypeAlias = Callable[[Any], Any]
"""Turns a value of the game's own into one that can be saved, or raises TypeError."""

Decode: TypeAlias = Callable[[Any], Any]
"""Turns what an `Encode` returned back into the value."""

Owner: TypeAlias = FsmAction[Any] | None
"""The action that remembers a value; None for event data."""

Part: TypeAlias = Callable[[Any], Any]
"""Encodes a part of a value."""

MAX_DECIMAL_INT: Final = 10**600
"""Larger integers are written in hexadecimal: Python may refuse to read so many digits."""


class UnsavableError(Exception):
    """A value cannot be saved; the argument is that value."""


@define
class ValueEncoder:
    """Turns values into JSON."""

    references: References
    generators: GeneratorStates
    encode: Encode | None = None

    def encoded(self, value: Any, owner: Owner = None) -> Any:
        """Return `value` as JSON. Raises UnsavableError with the part that cannot be saved."""
        if type(value) in (int, float, bytes, tuple):
            return self._plain(value, owner)
        if value is None or type(value) in (bool, str):
            return value
        encoded = _constant(value, owner)
        if encoded is None:  # it is mutable, so its identity matters
            encoded = self.references.to(value, owner)
        return encoded if encoded is not None else self._changing(value, owner)

    def _changing(self, value: Any, owner: Owner) -> Any:
        if type(value) in PLAIN:
            return self._plain(value, owner)
        if type(value) is CountdownTimer and value.time is None:
            return {"$timer": [value.duration, value.elapsed]}
        if type(value) is Random:
            return {"$random": self.generators.number(value)}
        vector = encoded_vector(value)
        return vector if vector is not None else self._own(value, owner)

    def _plain(self, value: Any, owner: Owner) -> Any:
        return PLAIN[type(value)](value, lambda part: self.encoded(part, owner))

    def _own(self, value: Any, owner: Owner) -> Any:
        if self.encode is None:
            raise UnsavableError(value)
        try:
            own = self.encode(value)
        except TypeError as error:
            raise UnsavableError(value) from error
        if own is value:
            raise UnsavableError(value)
        return {"$own": self.encoded(own, owner)}


@define
class ValueDecoder:
    """Turns JSON back into values."""

    references: References
    generators: GeneratorsToRestore
    decode: Decode | None = None

    def decoded(self, value: Any, owner: Owner = None) -> Any:
        """Return the value that was encoded as `value`. Any Exception means that it is damaged."""
        if isinstance(value, list):
            return [self.decoded(each, owner) for each in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((kind, content),) = value.items()
            if kind.startswith("$"):
                return _DECODERS[kind](self, content, owner)
        return {name: self.decoded(each, owner) for name, each in value.items()}

    def own(self, content: Any, owner: Owner) -> Any:
        """Return what the game's own `decode` makes of it."""
        value = self.decoded(content, owner)
        return self.decode(value) if self.decode is not None else value

    def mapping(self, items: Any, owner: Owner) -> dict[Any, Any]:
        """Return a mapping whose keys are not all plain strings."""
        return {self.decoded(key, owner): self.decoded(each, owner) for key, each in items}


def _constant(value: Any, owner: Owner) -> Any:
    """Return the JSON of an immutable value, where an equal one will do; None for others."""
    if isinstance(value, Enum):
        title = _title(value)
        return {"$enum": title} if _members(owner).get(title) is value else None
    return encoded_number(value)


def _members(owner: Owner) -> Mapping[str, Enum]:
    """Return the members of all enums among the action's parameters and defaults."""
    if owner is None:
        return {}
    known = [*parameters_of(owner).values(), *fields_of(type(owner)).remembered.values()]
    classes = {type(value) for value in known if isinstance(value, Enum)}
    return {_title(member): member for kind in classes for member in kind}


def _title(member: Enum) -> str:
    return f"{type(member).__qualname__}.{member.name}"


def _timer(duration: float, elapsed: float) -> CountdownTimer:
    timer = CountdownTimer(duration)
    timer.elapsed = float(elapsed)
    return timer


def _past(event: str, due: float) -> DelayedEvent:
    """Return the handle of an event that is no longer pending."""
    return DelayedEvent([], due, event, None, keep=False)


def _sorted(items: Iterable[Any]) -> list[Any]:
    """Return the JSON of a set's items in an order of their own: numbers, then all else by text."""
    return sorted(items, key=_place_in_order)


def _place_in_order(item: Any) -> tuple[bool, float, str]:
    is_number = isinstance(item, int | float)
    return not is_number, item if is_number else 0, "" if is_number else dumps(item, sort_keys=True)


def _mapping(value: dict[Any, Any], encoded: Part) -> Any:
    if all(type(key) is str and not key.startswith("$") for key in value):
        return {key: encoded(each) for key, each in value.items()}
    return {"$dict": [[*map(encoded, item)] for item in value.items()]}


PLAIN: Final[Mapping[type, Callable[[Any, Part], Any]]] = {
    type(None): lambda value, _: value,
    bool: lambda value, _: value,
    int: lambda value, _: (
        value if -MAX_DECIMAL_INT < value < MAX_DECIMAL_INT else {"$int": hex(value)}
    ),
    float: lambda value, _: value if isfinite(value) else {"$float": str(value)},
    str: lambda value, _: value,
    bytes: lambda value, _: {"$bytes": b64encode(value).decode()},
    list: lambda value, encoded: [*map(encoded, value)],
    tuple: lambda value, encoded: {"$tuple": [*map(encoded, value)]},
    set: lambda value, encoded: {"$set": _sorted(map(encoded, value))},
    frozenset: lambda value, encoded: {"$frozenset": _sorted(map(encoded, value))},
    dict: _mapping,
}
"""Class -> the function that turns a plain value of it into JSON."""

_DECODERS: Final[Mapping[str, Callable[[ValueDecoder, Any, Owner], Any]]] = {
    "$int": lambda _, content, __: int(content, 16),
    "$float": lambda _, content, __: float(content),
    "$tuple": lambda codec, content, owner: tuple(codec.decoded(content, owner)),
    "$set": lambda codec, content, owner: set(codec.decoded(content, owner)),
    "$frozenset": lambda codec, content, owner: frozenset(codec.decoded(content, owner)),
    "$dict": ValueDecoder.mapping,
    "$bytes": lambda _, content, __: b64decode(content),
    "$enum": lambda _, content, owner: _members(owner)[content],
    "$random": lambda codec, content, _: codec.generators.generator(content),
    "$timer": lambda _, content, __: _timer(*content),
    "$vector": lambda _, content, __: decoded_vector(*content),
    "$numpy": lambda _, content, __: decoded_array(*content),
    "$machine": lambda codec, content, _: codec.references.machine(content),
    "$context": lambda codec, content, _: codec.references.context(content),
    "$state": lambda codec, content, _: codec.references.state(*content),
    "$action": lambda codec, content, _: codec.references.action(*content),
    "$delayed": lambda codec, content, _: codec.references.delayed(*content),
    "$past": lambda _, content, __: _past(*content),
    "$parameter": lambda codec, content, owner: codec.references.parameter(owner, *content),
    "$own": ValueDecoder.own,
}
