"""The arguments of a call: as a step keeps them, and as JSON has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.recording.snapshots.generators import RandomsToRestore
from fsmkit.recording.snapshots.references import References
from fsmkit.recording.snapshots.value_codec import PLAIN, ValueDecoder
from fsmkit.terminal.console import described

UNSAVED: Final = "$unsaved"
"""The key under which JSON has the description of what it could not have."""

Encode: TypeAlias = Callable[[Any], Any]
"""Turns a value that is not plain into one that is."""


@frozen(repr=False)
class Unsaved:
    """Stands for an argument that could not be saved."""

    description: str

    def __repr__(self) -> str:
        return f"<not saved: {self.description}>"


def kept(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are not None, as they are now: plain containers are copied."""
    return {
        name: _copied(value) if type(value) in _COPIES else value
        for name, value in arguments.items()
        if value is not None
    }


def encoded(value: Any, encode: Encode | None = None) -> Any:
    """`value` as JSON has it; whatever is wrong with it, at least a description of it."""
    if isinstance(value, Unsaved):
        return {UNSAVED: value.description}
    try:
        return _encoded(value, encode)
    except Exception:  # of `encode`, or as the value contains itself: no concern of the game's
        return {UNSAVED: described(value)}


def decoded(content: Any) -> Any:
    """The value that was encoded so; whatever is wrong with it raises some Exception."""
    return Unsaved(str(content[UNSAVED])) if is_unsaved(content) else _DECODER.decoded(content)


def is_unsaved(content: Any) -> bool:
    """Whether that is a description of what JSON could not have."""
    return isinstance(content, dict) and [*content] == [UNSAVED]


def _encoded(value: Any, encode: Encode | None) -> Any:
    encoded_part = partial(_encoded, encode=encode)
    if type(value) in PLAIN:
        return PLAIN[type(value)](value, encoded_part)
    for kind, plain in _KINDS:
        if isinstance(value, kind):
            return encoded_part(plain(value))
    if encode is None:
        raise TypeError
    return encoded_part(encode(value))


def _copied(value: Any) -> Any:
    try:
        return _copied_part(value)
    except RecursionError:  # it contains itself
        return value


def _copied_part(value: Any) -> Any:
    return _COPIES[type(value)](value) if type(value) in _COPIES else value


_COPIES: Final[Mapping[type, Callable[[Any], Any]]] = {
    list: lambda value: [*map(_copied_part, value)],
    tuple: lambda value: tuple(map(_copied_part, value)),
    dict: lambda value: {key: _copied_part(each) for key, each in value.items()},
    set: set,
}

_KINDS: Final[tuple[tuple[type, Callable[[Any], Any]], ...]] = (
    (str, str.__str__), (Integral, int), (Real, float), (dict, dict), (list, list), (tuple, tuple),
)  # fmt: skip
"""What JSON takes for plain as well: values of classes that are derived from plain ones."""

_DECODER: Final = ValueDecoder(References({}), RandomsToRestore([]))
