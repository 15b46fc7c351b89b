"""The results of conditions and comparisons, where the values are known."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, Final

from fsmkit.checking.reading.known_values import UNKNOWN, CodeValue, known, objects_of, only
from fsmkit.checking.reading.objects import PLAIN

MOST_ITEMS: Final = 8
"""Items up to which one of them is still a known value."""

COMPARISONS: Final[Mapping[str, Callable[..., Any]]] = {
    "COMPARE_OP ==": operator.eq,
    "COMPARE_OP !=": operator.ne,
    "COMPARE_OP <": operator.lt,
    "COMPARE_OP <=": operator.le,
    "COMPARE_OP >": operator.gt,
    "COMPARE_OP >=": operator.ge,
    "IS_OP 0": operator.is_,
    "IS_OP 1": operator.is_not,
    "CONTAINS_OP 0": lambda item, container: item in container,
    "CONTAINS_OP 1": lambda item, container: item not in container,
}


def compared(how: str, a: CodeValue, b: CodeValue) -> CodeValue:
    """Return the result of a comparison of two values, if each is one constant."""
    compare = COMPARISONS.get(how)
    left: tuple[Any, ...] = objects_of(a)
    right: tuple[Any, ...] = objects_of(b)
    if compare is None or len(left) != 1 or len(right) != 1:
        return UNKNOWN
    if not (is_constant(left[0]) and is_constant(right[0])):
        return UNKNOWN
    try:
        return known(compare(left[0], right[0]))
    except TypeError:  # that is what it will raise
        return UNKNOWN


def negated(value: CodeValue) -> CodeValue:
    truths = [truth_of(one) for one in objects_of(value)]
    return known(not truths[0]) if len(truths) == 1 and truths[0] is not None else UNKNOWN


def answer_of(question: Any, arguments: list[CodeValue]) -> bool | None:
    """Return the result of `isinstance` or `callable`, if it is called with one known object."""
    if not all(len(objects_of(value)) == 1 for value in arguments):
        return None
    objects = [objects_of(value)[0] for value in arguments]
    is_plain = question is callable or type(type(objects[0])) is type
    try:
        return bool(question(*objects)) if is_plain else None
    except TypeError:
        return None


def items_of(iterated: CodeValue) -> CodeValue:
    items = only(iterated, tuple)
    is_plain = items and len(items) <= MOST_ITEMS and all(isinstance(i, str) for i in items)
    return known(*dict.fromkeys(items)) if is_plain else UNKNOWN


def chances(name: str, value: CodeValue) -> tuple[bool, bool]:
    """Return whether a conditional jump may jump, and whether it may not."""
    objects = objects_of(value)
    answers: list[bool | None]
    if name.endswith(("IF_NONE", "IF_NOT_NONE")):
        answers = [one is None for one in objects]
    else:
        answers = [truth_of(one) for one in objects]
    if not answers or None in answers:
        return True, True
    may_be, may_not = any(answers), not all(answers)
    return (may_not, may_be) if name.endswith(("IF_FALSE", "IF_NOT_NONE")) else (may_be, may_not)


def truth_of(value: object) -> bool | None:
    """Return whether a value is true; None if that may change."""
    if value is None or type(value) in PLAIN:
        return bool(value)
    return True if isinstance(value, (FunctionType, MethodType)) else None


def is_constant(value: object) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return all(map(is_constant, value))
    return value is None or type(value) in PLAIN
