"""The arguments of a call: as a step keeps them, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.recording.snapshots.generators import GeneratorsToRestore
from fsmkit.recording.snapshots.references import References
from fsmkit.recording.snapshots.value_codec import PLAIN, ValueDecoder
from fsmkit.terminal.console import described

UNSAVED: Final = "$unsaved"
"""The JSON key for the description of a value that JSON cannot hold."""

OPTIONAL: Final = ("data", "error", "state")
"""The arguments that are None unless they are given."""

Encode: TypeAlias = Callable[[Any], Any]
"""Turns a value that is not plain into a plain one."""


@frozen(repr=False)
class Unsaved:
    """A stand-in for an argument that could not be saved."""

    description: str

    def __repr__(self) -> str:
        return f"<not saved: {self.description}>"


def copied_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given, with copies of plain containers."""
    return {
        name: _copied(value) if type(value) in _COPIES else value
        for name, value in arguments.items()
        if value is not None or name not in OPTIONAL
    }


def encoded(value: Any, encode: Encode | None = None) -> Any:
    """Return `value` as JSON; if that is not possible for any reason, a description of it."""
    if isinstance(value, Unsaved):
        return {UNSAVED: value.description}
    try:
        return _encoded(value, encode)
    except (
        Exception
    ):  # raised by `encode`, or for a value that contains itself: the game must not notice
        return {UNSAVED: described(value)}


def decoded(content: Any) -> Any:
    """Return the value that was encoded as `content`. Any Exception means that it is damaged."""
    return Unsaved(str(content[UNSAVED])) if is_unsaved(content) else _DECODER.decoded(content)


def is_unsaved(content: Any) -> bool:
    """Return True for the description of a value that could not be saved."""
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
"""Classes whose subclasses JSON takes for plain as well."""

_DECODER: Final = ValueDecoder(References({}), GeneratorsToRestore([]))
