"""Parameters that may be given as a value or as a function that is called when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Param: TypeAlias = T | Callable[[], T]
"""A value, or a function without arguments that is called on enter."""


def value_of(parameter: Param[T]) -> T:
    """The value of a parameter now.

    >>> value_of(2.0), value_of(lambda: 3.0)
    (2.0, 3.0)
    """
    value: T = parameter() if callable(parameter) else parameter  # pyright: ignore[reportAssignmentType]  # a T that is callable itself cannot be told apart
    return value


def position_of(target: Any) -> Any:
    """Where a target is now: a position, a function that gives one, or anything with a `position`.

    >>> position_of((1.0, 2.0))
    (1.0, 2.0)
    """
    target = value_of(target)
    return getattr(target, "position", target)
