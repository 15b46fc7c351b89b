"""Condition: a comparison of a named value with a plain one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from enum import Enum
from json import dumps
from math import isfinite
from numbers import Number
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit.inspector.loop.requests import LONGEST_NAME, RequestError
from fsmkit.inspector.reading.values import PLAIN, text_of

Plain: TypeAlias = bool | int | float | str | None

ORDERINGS: Final[Mapping[str, Callable[..., bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">=": operator.ge,
    ">": operator.gt,
}
CHANGES: Final = "changes"
"""Holds whenever the value is another than before; only values that are watched have a before."""

OPERATORS: Final = (*ORDERINGS, "==", "!=", CHANGES)


@frozen
class Condition:
    """Whether a value is less than, equal to, ... another.

    Only values of one type are compared: numbers with numbers, texts with texts, truth with truth.
    Of two different ones none is less, and they are not equal. A member of an enum is its name.

    >>> Condition("health", "<", 20).holds(19), Condition("health", "<", 20).holds("low")
    (True, False)
    """

    name: str
    operator: str
    value: Plain = None

    def holds(self, found: Any) -> bool:
        """Return True if it is so. Raises what the comparison of these values raises."""
        value: Any = self.value
        found = _name(found) if isinstance(value, str) else found
        fits = _sort(found) == _sort(value) != ""
        if self.operator in ORDERINGS:
            return fits and bool(ORDERINGS[self.operator](found, value))
        is_equal = fits and bool(found == value)
        return is_equal is (self.operator == "==")

    def check(self, found: object) -> None:
        """Raise RequestError if it makes no sense for a value such as `found`."""
        if self.operator == CHANGES or found is None or self.value is None:
            return
        if isinstance(found, Enum) and not isinstance(found, Number):
            if str(self.value) not in type(found).__members__:
                names = ", ".join(type(found).__members__)
                raise RequestError(f"{self.name!r} is one of {names}, never {text_of(self.value)}.")
            return
        sort = _sort(found)
        if sort == "":
            raise RequestError(
                f"{self.name!r} is {text_of(found)}, which cannot be compared. Choose a number, a "
                f"text or true/false, or stop when it changes."
            )
        if sort != _sort(self.value):
            raise RequestError(
                f"{self.name!r} is {text_of(found)} now: compare it with {sort}, got "
                f"{text_of(self.value)}."
            )

    def to_json(self) -> dict[str, Any]:
        """Return it as data for the page."""
        return {"name": self.name, "operator": self.operator, "value": self.value}

    def __str__(self) -> str:
        if self.operator == CHANGES:
            return f"{self.name} changes"
        is_word = self.value is None or isinstance(self.value, bool)
        shown = dumps(self.value) if is_word else text_of(self.value)
        return f"{self.name} {self.operator} {shown}"


def parse_condition(raw: object) -> Condition | None:
    """Return the condition in a message, None if there is none. Raises RequestError."""
    if raw is None:
        return None
    if not isinstance(raw, dict) or not raw.keys() <= {"name", "operator", "value"}:
        raise RequestError("A condition must consist of a name, an operator and a value.")
    name, comparison, value = (raw.get(key) for key in ("name", "operator", "value"))
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
        raise RequestError(
            f"The name in a condition must be a text of 1 to {LONGEST_NAME} letters, got "
            f"{text_of(name)}."
        )
    if comparison not in OPERATORS:
        raise RequestError(
            f"The operator of a condition must be one of {', '.join(OPERATORS)}, got "
            f"{text_of(comparison)}."
        )
    return Condition(name, comparison, _checked_value(comparison, value))


def _checked_value(comparison: str, value: object) -> Plain:
    if comparison == CHANGES:
        if value is not None:
            raise RequestError(f"A value that changes is not compared, got {text_of(value)}.")
        return None
    if not isinstance(value, (bool, int, float, str, type(None))):
        raise RequestError(
            f"The value of a condition must be a number, a text, true, false or null, got "
            f"{text_of(value)}."
        )
    if isinstance(value, float) and not isfinite(value):
        raise RequestError(f"The value of a condition must be finite, got {value}.")
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        raise RequestError(
            f"The text of a condition must have at most {LONGEST_NAME} letters, got {len(value)}."
        )
    if comparison in ORDERINGS and (value is None or isinstance(value, bool)):
        raise RequestError(f"{comparison} needs a number or a text, got {text_of(value)}.")
    return value


def _name(found: Any) -> Any:
    return found.name if isinstance(found, Enum) else found


def mark_of(value: object) -> object:
    """Return what stands for `value` when it is asked whether it has changed."""
    return (type(value), repr(value)) if isinstance(value, PLAIN) else text_of(value)


def _sort(value: object) -> str:
    """Return what may be compared with it, in words; empty for nothing."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "a text"
    return "a number" if isinstance(value, Number) and not isinstance(value, complex) else ""
