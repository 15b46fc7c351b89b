"""The codec of values for snapshots and recordings: as JSON and back.

A value that JSON cannot hold becomes `{"$kind": ...}`. Reading runs no code and imports nothing:
the kinds are those of the table at the end. A snapshot refuses a value that it cannot save, and
holds references to parts of its machines (`ValueEncoder`, `ValueDecoder`). A recording must never
fail the game: it holds plain values, and descriptions of all others (`encoded_plainly`).
"""

from __future__ import annotations

import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from json import dumps
from math import inf, isfinite
from numbers import Integral, Real
from random import Random
from typing import Any, Final, TypeAlias

from attrs import define, frozen

from fsmkit import FsmAction
from fsmkit.introspection.run_state import DelayedEvent
from fsmkit.recording.action_fields import fields_of, parameters_of
from fsmkit.recording.references import GeneratorStates, GeneratorsToRestore, References
from fsmkit.terminal.console import described
from fsmkit.timing import CountdownTimer

Encode: TypeAlias = Callable[[Any], Any]
"""Turns a value of the game's own classes into one that can be saved, or raises TypeError."""

Decode: TypeAlias = Callable[[Any], Any]
"""Turns the result of an `Encode` back into the value."""

ValueOwner: TypeAlias = FsmAction[Any] | None
"""The action that remembers a value; None for event data."""

EncodePart: TypeAlias = Callable[[Any], Any]
"""Encodes a part of a value."""

MAX_DECIMAL_INT: Final = 10**600
"""Larger integers are written in hexadecimal: Python may refuse to read so many digits."""


UNSAVED: Final = "$unsaved"
"""The key of the description of a value that a recording could not save."""

LIBRARIES: Final = {
    "glm": ("pyglm.glm", re.compile(r"[diu]?vec[1-4]|d?quat")),
    "pygame": ("pygame", re.compile(r"Vector[23]|Color")),
    "pyray": ("pyray", re.compile(r"Vector[234]|Color|Rectangle")),
    "panda3d": ("panda3d.core", re.compile(r"L(Vector|Point|VecBase)[234][dfi]|LQuaternion[df]")),
}
"""Top-level package -> the module to look in, and the classes that consist of numbers."""

ARRAYS: Final = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
"""The NumPy types whose values JSON can hold."""


class UnsavableError(Exception):
    """A value cannot be saved; the argument is that value."""


@define
class ValueEncoder:
    references: References
    generators: GeneratorStates
    encode: Encode | None = None

    def encoded(self, value: Any, owner: ValueOwner = None) -> Any:
        """Return `value` as JSON. Raises UnsavableError with the part that cannot be saved."""
        if type(value) in (int, float, bytes, tuple):
            return self._plain(value, owner)
        if value is None or type(value) in (bool, str):
            return value
        encoded = _constant(value, owner)
        if encoded is None:  # it is mutable, so its identity matters
            encoded = self.references.to(value, owner)
        return encoded if encoded is not None else self._changing(value, owner)

    def _changing(self, value: Any, owner: ValueOwner) -> Any:
        if type(value) in PLAIN:
            return self._plain(value, owner)
        if type(value) is CountdownTimer and value.time is None:
            return {"$timer": [value.duration, value.elapsed]}
        if type(value) is Random:
            return {"$random": self.generators.number(value)}
        vector = encoded_vector(value)
        return vector if vector is not None else self._own(value, owner)

    def _plain(self, value: Any, owner: ValueOwner) -> Any:
        return PLAIN[type(value)](value, lambda part: self.encoded(part, owner))

    def _own(self, value: Any, owner: ValueOwner) -> Any:
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
    references: References
    generators: GeneratorsToRestore
    decode: Decode | None = None

    def decoded(self, value: Any, owner: ValueOwner = None) -> Any:
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

    def own(self, content: Any, owner: ValueOwner) -> Any:
        value = self.decoded(content, owner)
        return self.decode(value) if self.decode is not None else value

    def mapping(self, items: Any, owner: ValueOwner) -> dict[Any, Any]:
        return {self.decoded(key, owner): self.decoded(each, owner) for key, each in items}


@frozen(repr=False)
class Unsaved:
    description: str

    def __repr__(self) -> str:
        return f"<not saved: {self.description}>"


def encoded_plainly(value: Any, encode: Encode | None = None) -> Any:
    """Return `value` as JSON; if that is impossible for any reason, a description of it.

    Subclasses of plain classes count as these. The result of `encode` is not marked as such.
    """
    if isinstance(value, Unsaved):
        return {UNSAVED: value.description}
    try:
        return _plain(value, encode)
    except Exception:  # raised by `encode`, or a value contains itself: the game must not notice
        return {UNSAVED: described(value)}


def decoded_plainly(content: Any) -> Any:
    """Return the value that was encoded as `content`. Any Exception means that it is damaged."""
    if is_unsaved(content):
        return Unsaved(str(content[UNSAVED]))
    return _PLAIN_DECODER.decoded(content)


def is_unsaved(content: Any) -> bool:
    return isinstance(content, dict) and [*content] == [UNSAVED]


def is_plain_in_json(value: object) -> bool:
    """Return True for most values that JSON holds as they are; it takes no time."""
    kind = type(value)
    return (kind is float and -inf < value < inf) or kind is bool or kind is str or value is None  # type: ignore[operator]


def _plain(value: Any, encode: Encode | None) -> Any:
    def part(value: Any) -> Any:
        return _plain(value, encode)

    if type(value) in PLAIN:
        return PLAIN[type(value)](value, part)
    for kind, plain in _LIKE_PLAIN:
        if isinstance(value, kind):
            return part(plain(value))
    if encode is None:
        raise UnsavableError(value)
    return part(encode(value))


def _constant(value: Any, owner: ValueOwner) -> Any:
    """Return the JSON of an immutable value, where an equal one will do; None for others."""
    if isinstance(value, Enum):
        title = _title(value)
        return {"$enum": title} if _members(owner).get(title) is value else None
    return encoded_number(value)


def _members(owner: ValueOwner) -> Mapping[str, Enum]:
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
    return DelayedEvent([], due, event, None, keep=False)


def _sorted(items: Iterable[Any]) -> list[Any]:
    """Return the JSON of a set's items in an order of their own: numbers, then all else by text."""
    return sorted(items, key=_place_in_order)


def _place_in_order(item: Any) -> tuple[bool, float, str]:
    is_number = isinstance(item, int | float)
    return not is_number, item if is_number else 0, "" if is_number else dumps(item, sort_keys=True)


def _mapping(value: dict[Any, Any], encoded: EncodePart) -> Any:
    if all(type(key) is str and not key.startswith("$") for key in value):
        return {key: encoded(each) for key, each in value.items()}
    return {"$dict": [[*map(encoded, item)] for item in value.items()]}


def encoded_number(value: Any) -> Mapping[str, Any] | None:
    if not _is_of_numpy(value) or type(value) is not value.dtype.type:
        return None
    return {"$numpy": [value.dtype.name, None, [_to_json(value.item())]]}


def encoded_vector(value: Any) -> Mapping[str, Any] | None:
    """Return a vector or an array as JSON; None if `value` is neither."""
    if _is_of_numpy(value) and type(value).__name__ == "ndarray":
        numbers = [*map(_to_json, value.reshape(-1).tolist())]
        return {"$numpy": [value.dtype.name, list(value.shape), numbers]}
    library = type(value).__module__.partition(".")[0]
    if library == "_cffi_backend" and "pyray" in sys.modules:
        return _encoded_struct(value, sys.modules["pyray"].ffi.typeof(value))
    if library not in LIBRARIES or not LIBRARIES[library][1].fullmatch(type(value).__name__):
        return None
    return {"$vector": [f"{library}.{type(value).__name__}", *map(_to_json, value)]}


def _encoded_struct(value: Any, kind: Any) -> Mapping[str, Any] | None:
    """Return a vector or a colour of raylib as JSON: to Python all structs are of one type."""
    name = kind.cname.removeprefix("struct ")
    if not LIBRARIES["pyray"][1].fullmatch(name):
        return None
    numbers = [getattr(value, part) for part, _ in kind.fields]
    return {"$vector": [f"pyray.{name}", *map(_to_json, numbers)]}


def decoded_vector(name: str, *numbers: Any) -> Any:
    """Return the vector. Raises LookupError if the program does not use the library."""
    library, _, kind = name.partition(".")
    module, kinds = LIBRARIES[library]
    if not kinds.fullmatch(kind):
        raise LookupError(f"{name} is not a vector")
    return getattr(_loaded(module), kind)(*map(_from_json, numbers))


def decoded_array(kind: str, shape: list[int] | None, numbers: Any) -> Any:
    """Return the array; without a shape, the NumPy number."""
    if not ARRAYS.fullmatch(kind):
        raise LookupError(f"{kind} is not a type of arrays")
    array = _loaded("numpy").array([*map(_from_json, numbers)], dtype=kind)
    return array[0] if shape is None else array.reshape(shape)


def _is_of_numpy(value: Any) -> bool:
    if type(value).__module__.partition(".")[0] != "numpy":
        return False
    return ARRAYS.fullmatch(getattr(getattr(value, "dtype", None), "name", "")) is not None


def _to_json(number: float) -> float | str:
    """Return a number, or the name of one that JSON cannot hold, such as `nan`."""
    return number if isfinite(number) else str(number)


def _from_json(number: float | str) -> float:
    return float(number) if isinstance(number, str) else number


def _loaded(module: str) -> Any:
    if module not in sys.modules:
        raise LookupError(f"{module} is not imported: import it before the snapshot is restored")
    return sys.modules[module]


PLAIN: Final[Mapping[type, Callable[[Any, EncodePart], Any]]] = {
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

_LIKE_PLAIN: Final[tuple[tuple[type, Callable[[Any], Any]], ...]] = (
    (str, str.__str__), (Integral, int), (Real, float), (dict, dict), (list, list), (tuple, tuple),
)  # fmt: skip
"""Classes whose subclasses a recording treats as plain, too."""

_DECODERS: Final[Mapping[str, Callable[[ValueDecoder, Any, ValueOwner], Any]]] = {
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
    "$group": lambda codec, content, _: codec.references.group(*content),
    "$action": lambda codec, content, _: codec.references.action(*content),
    "$delayed": lambda codec, content, _: codec.references.delayed(*content),
    "$past": lambda _, content, __: _past(*content),
    "$parameter": lambda codec, content, owner: codec.references.parameter(owner, *content),
    "$own": ValueDecoder.own,
}

_PLAIN_DECODER: Final = ValueDecoder(References({}), GeneratorsToRestore([]))
