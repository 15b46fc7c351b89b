"""The names in code: they show what actions do without declaring it, and when they end.

Nothing is run. A function mentions the names and strings in its code, in the functions inside it
and in those of its own module that it calls by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.checking.reading.objects import closure_of
from fsmkit.core.checks.functions import Adapted
from fsmkit.core.words.parameters import own_attributes
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import is_option


def given_words(actions: Iterable[FsmAction[Any]]) -> set[str]:
    return mentioned(function for action in actions for function in given_functions(action))


def own_classes(action: FsmAction[Any]) -> list[type]:
    return [kind for kind in type(action).__mro__ if kind not in FsmAction.__mro__]


def undeclared_words(actions: Iterable[FsmAction[Any]]) -> set[str]:
    """Return the words in the classes of `actions` that do not declare when they finish."""
    return mentioned(code_of(kind for action in actions for kind in undeclared_classes(action)))


def may_stop(place: Fsm[Any] | FsmState[Any]) -> bool:
    return any(map(_may_stop, walk.actions(place, "enabled")))


def _may_stop(action: FsmAction[Any]) -> bool:
    if not {"start", "stop"}.isdisjoint(given_words([action])):
        return True
    if action.machines:
        return False  # it starts and stops those, not its own
    words = mentioned(code_of(own_classes(action)))
    return "stop" in words or {"fsm", "start"} <= undeclared_words([action])


ENDINGS: Final = ("at once", "in time", "never")
CALLBACKS: Final = {"on_enter", "on_update", "on_event"}


def ending(action: FsmAction[Any]) -> str | None:
    """Return `"at once"`, `"in time"`, `"never"`, or None if it is unknown.

    An action whose class declares nothing never finishes by itself if neither the class nor a
    function that it was given mentions `finish`. The declaration of a class does not hold for
    subclasses that override its callbacks.
    """
    undeclared = undeclared_classes(action)
    if type(action).finishes is FsmAction.finishes:
        given = given_functions(action)
        finishes = FsmAction.finish in given or "finish" in mentioned(
            [*code_of(undeclared), *given]
        )
        return None if finishes else "never"
    overrides = any(not CALLBACKS.isdisjoint(vars(kind)) for kind in undeclared)
    if overrides or "finish" in mentioned(code_of(undeclared)) or action.finishes not in ENDINGS:
        return None
    return action.finishes


def undeclared_classes(action: FsmAction[Any]) -> tuple[type, ...]:
    kinds = type(action).__mro__
    declared = ["finishes" in vars(kind) for kind in kinds]
    return kinds[: declared.index(True)]


def state_ending(state: FsmState[Any]) -> str | None:
    """Return when the last action finishes; `"at once"` for a state with nothing to wait for."""
    endings = {ending(action) for action in counting_actions(state)}
    return next((each for each in ("never", None, "in time") if each in endings), "at once")


def enabled_actions(state: FsmState[Any]) -> tuple[FsmAction[Any], ...]:
    return tuple(action for action in walk.own_actions(state) if action.enabled)


def counting_actions(state: FsmState[Any]) -> tuple[FsmAction[Any], ...]:
    """Return the enabled actions that must finish before the state has: no background ones."""
    return tuple(action for action in enabled_actions(state) if not action.background)


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


def classes_named(functions: Iterable[object]) -> dict[type, set[str]]:
    """Return the classes that the code of functions calls by name, each with the words there."""
    found: dict[type, set[str]] = {}
    for function in functions:
        plain = getattr(function, "function", function)  # of one that was made to take the state
        plain = getattr(plain, "__func__", plain)
        if isinstance(plain, FunctionType):
            words = _argument_names(plain.__code__) | mentioned([plain])
            for value in map({**plain.__globals__, **closure_of(plain)}.get, words):
                if isinstance(value, type):
                    found.setdefault(value, set()).update(words)
    return found


def _argument_names(code: CodeType) -> set[str]:
    """Return the names by which code passes arguments: constants, tuples of names, in its calls."""
    tuples = (const for const in code.co_consts if isinstance(const, tuple))
    return {name for names in tuples for name in names if isinstance(name, str)}


def started_states(action: FsmAction[Any]) -> list[FsmState[Any]]:
    """Return the states in which an action starts its machines, other than their first ones.

    Of a function for `start` these are the states that its code mentions: their names, and the
    variables that hold them.
    """
    start = getattr(action, "start", None) if action.machines else None
    if start is None:
        return []
    words: Collection[object] = [start]
    held = [start]
    if callable(start):
        words, held = mentioned([start]), [*_held([start])]
    return [
        state
        for machine in action.machines
        for state in walk.states(machine)[1:]
        if state.name in words or any(state is each for each in held)
    ]


def _held(functions: Iterable[object]) -> Iterator[object]:
    for function in functions:
        plain = getattr(function, "function", function)  # of one that was made to take the state
        plain = getattr(plain, "__func__", plain)
        if isinstance(plain, FunctionType):
            yield from closure_of(plain).values()
            yield from map(plain.__globals__.get, plain.__code__.co_names)


def given_functions(action: FsmAction[Any]) -> list[object]:
    return [
        value
        for attribute in _attributes(action)
        for value in (attribute, *_items(attribute))
        if callable(value) and not isinstance(value, type)
    ]


def code_of(kinds: Iterable[type]) -> list[object]:
    return [value for kind in kinds for value in vars(kind).values()]


def _inside(thing: object) -> Iterator[object]:
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
    call = getattr(kind, "__call__", None)  # noqa: B004  # the function is wanted
    if isinstance(call, FunctionType):
        yield call


def _values_by_name(function: FunctionType) -> Iterator[object]:
    """Yield the strings and functions that the names in a function refer to."""
    for value in closure_of(function).values():
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
        for kind in own_classes(action)
        for name in vars(kind).get("__slots__", ())
        if not name.startswith("__")
    ]
    slots = [getattr(action, name, None) for name in names]
    return [*slots, *own_attributes(action).values()]


def _items(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    if not isinstance(value, (list, tuple, set, frozenset)):
        return ()
    return [
        part for item in value for part in (vars(item).values() if is_option(item) else (item,))
    ]
