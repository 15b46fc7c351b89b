"""Words that code mentions: shows what actions do without declaring it.

Nothing is run. A function mentions the names and strings in its code, in the functions inside it
and in those of its own module that it calls by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from fsmkit import FsmAction
from fsmkit.core.checks.functions import Adapted
from fsmkit.core.words.parameters import own_attributes


def mentioned(things: Iterable[object]) -> set[str]:
    """Return the words that the code of functions, methods and other callables mentions.

    >>> sorted(mentioned([lambda state: state.send_event("BOOM")]))
    ['BOOM', 'send_event']
    """
    words: set[str] = set()
    seen: set[int] = set()
    waiting = list(things)
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, str):
            words.add(thing)
        elif id(thing) not in seen:
            seen.add(id(thing))
            waiting.extend(_inside(thing))
    return words


def given_functions(action: FsmAction[Any]) -> list[object]:
    """Return the functions that an action was given, directly or in a list or mapping."""
    return [
        value
        for attribute in _attributes(action)
        for value in (attribute, *_items(attribute))
        if callable(value) and not isinstance(value, type)
    ]


def code_of(kinds: Iterable[type]) -> list[object]:
    """Return what the bodies of classes define: functions, properties and constants."""
    return [value for kind in kinds for value in vars(kind).values()]


def _inside(thing: object) -> Iterator[object]:
    """Yield words, and things that may mention more."""
    match thing:
        case CodeType():
            yield from thing.co_names
            yield from (const for const in thing.co_consts if isinstance(const, (str, CodeType)))
        case FunctionType():
            yield thing.__code__
            yield from _values_by_name(thing)
        case MethodType() | staticmethod() | classmethod():
            yield thing.__func__
        case property():
            yield thing.fget
        case Adapted():
            yield thing.function
        case partial():
            yield from (thing.func, *thing.args, *thing.keywords.values())
        case _ if not isinstance(thing, type):
            yield from _call_of(type(thing))


def _call_of(kind: type) -> Iterator[object]:
    """Yield the function that runs when an instance is called, if it is written in Python."""
    call = getattr(kind, "__call__", None)  # noqa: B004  # the function is wanted
    if isinstance(call, FunctionType):
        yield call


def _values_by_name(function: FunctionType) -> Iterator[object]:
    """Yield the strings and functions that the names in a function refer to."""
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:  # not filled yet
            continue
        if isinstance(value, (str, FunctionType, MethodType)):
            yield value
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        is_near = isinstance(value, FunctionType) and value.__module__ == function.__module__
        if is_near or isinstance(value, str):
            yield value


def _attributes(action: FsmAction[Any]) -> list[object]:
    names = [
        name
        for kind in type(action).__mro__
        if kind not in FsmAction.__mro__
        for name in vars(kind).get("__slots__", ())
        if not name.startswith("__")
    ]
    slots = [getattr(action, name, None) for name in names]
    return [*slots, *own_attributes(action).values()]


def _items(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, (list, tuple, set, frozenset)) else ()
