"""Parameters that may be given as a value or as a function that is called when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

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
