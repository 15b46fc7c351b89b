"""Declarations as JSON values, for files, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from attrs import fields, has

from fsmkit.crowd.neighbours.declaration import (
    Aggregate,
    AtPlaces,
    Choice,
    Declaration,
    InSpace,
    Nearest,
)

TYPES: Final = {each.__name__: each for each in (Aggregate, AtPlaces, Choice, InSpace, Nearest)}
"""The classes that a declaration is made of, by their names in a file."""


def saved(declarations: Iterable[Declaration]) -> list[Any]:
    """Return declarations as JSON values.

    >>> home = AtPlaces("Places('home')", place="home", quantities=(Aggregate("count", "others"),))
    >>> restored(saved([home])) == [home]
    True
    """
    return [_saved(each) for each in declarations]


def restored(values: Sequence[Any]) -> list[Declaration]:
    """Return declarations that `saved` has returned.

    Raises KeyError, TypeError or ValueError for anything else.
    """
    found = [_restored(each) for each in values]
    if not all(isinstance(each, Declaration) for each in found):
        raise ValueError("these are not declarations")
    return found


def _saved(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_saved(each) for each in value]
    if not has(type(value)):
        return value
    parts = {each.name: _saved(getattr(value, each.name)) for each in fields(type(value))}
    return {"type": type(value).__name__, **parts}


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_restored, value))
    if not isinstance(value, dict):
        return value
    parts = {name: _restored(each) for name, each in value.items() if name != "type"}
    return TYPES[value["type"]](**parts)
