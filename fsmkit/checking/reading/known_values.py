"""Values: what is known of a value while code is read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import CodeType
from typing import Any, Final, TypeAlias

from attrs import field, frozen

MOST_OBJECTS: Final = 8
"""How many objects a value may be one of; with more candidates it is unknown."""


class Special(Enum):
    UNKNOWN = "unknown"
    NULL = "null"
    """What Python puts on its stack beside a callable that has no `self`."""
    REST = "rest"
    """The last of the arguments of a call: any number of others that are unknown."""


UNKNOWN: Final = Special.UNKNOWN
NULL: Final = Special.NULL
REST: Final = Special.REST


def _identity(objects: tuple[object, ...]) -> tuple[object, ...]:
    """Return what tells objects apart: strings themselves, and the `id` of all others."""
    return tuple(one if type(one) is str else id(one) for one in objects)


@frozen
class KnownObjects:
    objects: tuple[object, ...] = field(eq=_identity)

    def __hash__(self) -> int:
        return hash(_identity(self.objects))


@frozen(eq=False)
class Made:
    code: CodeType
    variables: Mapping[str, CodeValue]
    """The variables that it shares with the code around it."""
    globals: Mapping[str, Any]


CodeValue: TypeAlias = Special | KnownObjects | Made


def known(*objects: object) -> KnownObjects:
    """Return the value that is one of `objects`.

    >>> merged(known("A"), known("B"))
    KnownObjects(objects=('A', 'B'))
    """
    return KnownObjects(objects)


def merged(a: CodeValue | None, b: CodeValue | None) -> CodeValue:
    """Return the value of a variable that is `a` on one branch, `b` on another; None: not set."""
    if a == b and a is not None:
        return a
    if not (isinstance(a, KnownObjects) and isinstance(b, KnownObjects)):
        return UNKNOWN
    more = [one for one in b.objects if known(one) not in map(known, a.objects)]
    objects = (*a.objects, *more)
    return KnownObjects(objects) if len(objects) <= MOST_OBJECTS else UNKNOWN


def objects_of(value: CodeValue) -> tuple[object, ...]:
    return value.objects if isinstance(value, KnownObjects) else ()


def only(value: CodeValue, kind: type) -> Any:
    """Return the one object that a value is for certain, if it is of a kind; else None."""
    objects = objects_of(value)
    return objects[0] if len(objects) == 1 and isinstance(objects[0], kind) else None
