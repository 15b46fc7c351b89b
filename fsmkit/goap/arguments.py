"""Arguments: checks that raise an error with the argument's name and value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature
from sys import float_info
from typing import Any, Final, Protocol, TypeVar

LARGEST: Final = float_info.max
LONGEST: Final = 200
"""Characters of a value that an error message shows."""


class Named(Protocol):
    """Something that has a name."""

    @property
    def name(self) -> str:
        """The name."""
        ...


NamedT = TypeVar("NamedT", bound=Named)


def checked_number(number: object, what: str) -> float:
    """Return `number`; raise TypeError unless it is one."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"{what} must be a number, got {number!r}.")
    return number


def checked_amount(amount: object, what: str) -> float:
    """Return `amount`; raise TypeError or ValueError unless it is a finite number >= 0.

    A whole number that is too big for a float counts as infinite.
    """
    number = checked_number(amount, what)
    if not 0.0 <= number <= LARGEST:
        raise ValueError(f"{what} must be a finite number >= 0, got {shown(number)}.")
    return number


def shown(value: object) -> str:
    """Return the repr of `value`, also where it is too long for Python to write it out."""
    try:
        written = repr(value)
    except ValueError:  # a whole number of thousands of digits, or something that holds one
        return f"a value of type {type(value).__name__} that is too long to be shown"
    return written if len(written) <= LONGEST else f"{written[:LONGEST]}..."


def checked_interval(seconds: object, what: str) -> float:
    """Return `seconds`; raise TypeError or ValueError unless it is a number >= 0 or infinite."""
    number = checked_number(seconds, what)
    if not number >= 0.0:  # rather than <, to refuse NaN too
        raise ValueError(f"{what} must be a number of seconds >= 0, got {number!r}.")
    return number


def checked_count(count: object, what: str, otherwise: str = "") -> int:
    """Return `count`; raise TypeError or ValueError unless it is a whole number, at least 1.

    `otherwise` names what else it may be, as in `" or None"`.
    """
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{what} must be a whole number{otherwise}, got {count!r}.")
    if count < 1:
        raise ValueError(f"{what} must be at least 1{otherwise}, got {count!r}.")
    return count


def checked_function(function: object, what: str, example: str, arguments: int = 0) -> None:
    """Raise TypeError unless `function` takes so many arguments, and its call does its work."""
    if not callable(function):
        raise TypeError(f"{what} must be a function, got {function!r}. Write {example}")
    if iscoroutinefunction(function) or isasyncgenfunction(function):
        raise TypeError(f"{what} must not be async, got {function!r}. Nobody would await it.")
    if not _takes(function, arguments):
        many = ("no arguments", "one argument")[arguments]
        raise TypeError(f"{what} must be a function of {many}, got {function!r}. Write {example}")


def checked_answer(function: object, what: str, example: str) -> None:
    """Raise TypeError unless `function` can be called, and may answer something."""
    checked_function(function, what, example)
    if isgeneratorfunction(function):
        raise TypeError(f"{what} must not be a generator function, got {function!r}.")


def _takes(function: Callable[..., object], arguments: int) -> bool:
    """Return True unless it is known that `function` cannot be called with so many arguments."""
    try:
        known = signature(function)
    except ValueError:  # of some functions in C
        return True
    try:
        known.bind(*range(arguments))
    except TypeError:
        return False
    return True


def checked_members(members: object, kind: Any, rule: str, example: str) -> tuple[Any, ...]:
    """Return the members as a tuple; raise TypeError unless all are of that kind.

    `rule` says what they must be, up to the word before the one that is not.
    """
    found = tuple(members) if isinstance(members, Iterable) else None
    strangers = [members] if found is None else [m for m in found if not isinstance(m, kind)]
    if found is None or strangers:
        raise TypeError(f"{rule} {strangers[0]!r}. Give a list: {example}")
    return found


def by_name(named: Iterable[NamedT], what: str) -> dict[str, NamedT]:
    """Return things by their names; raise ValueError if two have the same name."""
    found: dict[str, NamedT] = {}
    for each in named:
        if each.name in found:
            raise ValueError(f"{what} called {each.name!r}. Rename one.")
        found[each.name] = each
    return found
