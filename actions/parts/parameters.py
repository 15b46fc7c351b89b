"""Parameters given as a value, or as a function that is called when the value is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from typing_extensions import TypeVar

from fsmkit import FsmState

T = TypeVar("T")

ContextT = TypeVar("ContextT", default=Any)
"""The context of the machine, known to a type checker inside lambdas."""

Param: TypeAlias = T | Callable[[], T]
"""A value, or a function without arguments that is called on enter."""

Message: TypeAlias = str | Callable[[FsmState[ContextT]], object]
"""A text, or a function that is called with the state when the text is needed."""


def value_of(parameter: Param[T]) -> T:
    """Return the current value of a parameter.

    >>> value_of(2.0), value_of(lambda: 3.0)
    (2.0, 3.0)
    """
    value: T = parameter() if callable(parameter) else parameter  # pyright: ignore[reportAssignmentType]  # a T that is callable itself cannot be told apart
    return value


def text_of(message: Message[ContextT], state: FsmState[ContextT]) -> str:
    """Return the current text of a message."""
    return message if isinstance(message, str) else str(message(state))
