"""Conditions with a memory: where the functions of a machine hold them, and what they remember.

Such a condition is called like a function and remembers its last answer, for each machine that
asks and for plain code. It is a parameter of an action, a guard, or used by a function there. So it
has a place, which is the same in every machine that is built alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final, TypeAlias

from fsmkit import Fsm, FsmError
from fsmkit.core.checks.functions import Adapted
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import is_option
from fsmkit.introspection.object_action import ObjectFields
from fsmkit.space import Space
from fsmkit.space.hysteresis import Hysteresis, holding, is_condition

ConditionPlace: TypeAlias = str
"""The place of a condition, such as `"Patrol/0.predicate"`, or `"Patrol.SEEN.0.when"`."""

PLAIN: Final = frozenset({type(None), bool, int, float, str, bytes, Space})
"""Classes of values that ask nothing; most parameters of most actions are such."""

DEEPEST: Final = 6
"""How many functions inside each other are followed."""

LARGEST: Final = 100
"""The most entries of a container that is searched: a longer one holds data."""


class ConditionError(FsmError):
    """A condition has no place, or is not where it was."""


def conditions_of(fsm: Fsm[Any]) -> dict[ConditionPlace, Hysteresis]:
    found: dict[ConditionPlace, Hysteresis] = {}
    for title, value in _parts(fsm):
        for index, condition in enumerate(_within(value, DEEPEST)):
            found[f"{title}#{index}" if index else title] = condition
    return found


def holding_in(fsm: Fsm[Any]) -> tuple[ConditionPlace, ...]:
    """Return the places of the conditions that held when the machine last asked them.

    Raises ConditionError for one that has no place.
    """
    held = holding(fsm)
    if not held:
        return ()
    known = conditions_of(fsm)
    identities = {each.identity for each in known.values()}
    for condition in held:
        if condition.identity not in identities:
            raise ConditionError(
                f"Fsm {fsm.name!r}: {condition!r} remembers its last answer, and cannot be found. "
                "Give it to an action or a guard, or make it an attribute of the context."
            )
    return tuple(place for place, each in known.items() if each.holds_for(fsm))


def held_alone_in(fsm: Fsm[Any]) -> tuple[ConditionPlace, ...]:
    """Return the places of those that held when they were last asked without a state."""
    if not Hysteresis.ever_held_alone:
        return ()
    return tuple(place for place, each in conditions_of(fsm).items() if each.holds_for(None))


def check_places(fsm: Fsm[Any], places: Collection[ConditionPlace]) -> None:
    """Raise ConditionError for a place at which there is no condition."""
    known = conditions_of(fsm) if places else {}
    for place in places:
        if place not in known:
            raise ConditionError(f"Fsm {fsm.name!r}: there is no condition at {place!r}")


def hold(
    fsm: Fsm[Any], held: Iterable[ConditionPlace], alone: Iterable[ConditionPlace] | None
) -> None:
    """Have the conditions remember that those at these places held, and no other.

    `alone` are those that plain code asked; None leaves these as they are.
    """
    for each in holding(fsm):
        each.hold(fsm, holds=False)
    forgets = alone is not None and Hysteresis.ever_held_alone
    known = conditions_of(fsm) if held or alone or forgets else {}
    for place in held:
        known[place].hold(fsm, holds=True)
    if alone is not None:
        for condition in known.values():
            condition.hold(None, holds=False)
        for place in alone:
            known[place].hold(None, holds=True)


def _parts(fsm: Fsm[Any]) -> Iterator[tuple[ConditionPlace, object]]:
    for name, state in fsm.states.items():
        for path, action in walk.paths(state):
            for attribute, value in vars(action).items():
                if type(value) not in PLAIN and not attribute.startswith("_fsmkit_"):
                    yield f"{name}/{path}.{attribute}", value
        yield from _functions(name, state)
    for group in walk.groups(fsm):
        yield from _functions(group.name, group)
    yield from _functions("*", fsm)
    yield "context", fsm.context


def _functions(title: str, owner: walk.TransitionOwner) -> Iterator[tuple[ConditionPlace, object]]:
    for _, event, rank, transition in walk.own_transitions(owner):
        for name, function in (("when", transition.when), ("do", transition.do)):
            if function is not None:
                yield f"{title}.{event}.{rank}.{name}", function


def _within(value: Any, depth: int) -> Iterator[Hysteresis]:
    if type(value) in PLAIN:
        return
    if is_condition(value):
        yield value
    elif depth:
        for part in _inside(value):
            yield from _within(part, depth - 1)


def _inside(value: Any) -> Iterator[object]:
    kind = type(value)  # not `isinstance`: a thing that is gone cannot even be asked for its class
    if issubclass(kind, Adapted):
        yield value.function
    elif issubclass(kind, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif kind is MethodType:
        yield value.__func__
    elif kind is FunctionType:
        yield from _used_by(value)
    elif kind in (list, tuple, dict):
        if len(value) <= LARGEST:
            yield from value.values() if kind is dict else value
    elif kind is ObjectFields:
        yield from vars(value.thing).values()
    elif kind.__module__ == "fsmkit.polled" or is_option(value):
        yield from vars(value).values()
    else:
        yield from filter(is_condition, _fields_of(value).values())


def _fields_of(thing: object) -> Mapping[str, object]:
    """Return the fields of whatever it is, and run no code of its own: that may fail."""
    try:
        fields: Mapping[str, object] = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return fields


def _used_by(function: FunctionType) -> Iterator[object]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue
    yield from function.__defaults__ or ()
    known = function.__globals__
    yield from (known[name] for name in function.__code__.co_names if is_condition(known.get(name)))
