"""The actions of a state as a picture lists them: their names, and what they were given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from inspect import signature
from typing import Any, Final

from fsmkit import Fsm, FsmAction
from fsmkit.core.words.parameters import parameters, shown_parameter
from fsmkit.diagram.graph import ActionLine
from fsmkit.diagram.wording import abbreviated, visible

MAX_VALUE_COLUMNS: Final = 26

BODY: Final = "transform"
"""The parameter for what an action moves: nearly every action of a machine has the same."""

VALUES: Final = (
    str, bytes, int, float, complex, tuple, list, dict, set, frozenset, Fsm, type(None),
)  # fmt: skip
"""The types of values that stand for themselves. Others are objects, which may be shared."""

ADDRESS: Final = re.compile(r"<(?:(?:[^<>]|<locals>)*\.)?(\w+) object at 0x[0-9A-Fa-f]+>")
"""The default repr of an object, which differs in every run."""


def action_lines(
    actions: Sequence[FsmAction[Any]], hidden: frozenset[str], depth: int = 0
) -> Iterator[ActionLine]:
    """Yield the actions, each before its children, without the `hidden` parameters."""
    for action in actions:
        kind = visible(type(action).__name__)
        yield ActionLine(depth, kind, tuple(_parameters(action, hidden)))
        yield from action_lines(action.children, hidden, depth + 1)


def repeated_parameters(machine: Fsm[Any]) -> frozenset[str]:
    """Return the names of the parameters that say the same in every action of `machine`.

    These are the body, and those for which several actions, all that have them, were given the same
    object.
    """
    given: dict[str, list[object]] = {}
    for state in machine.states.values():
        for action in _with_children(state.actions):
            for name, value in parameters(action).items():
                given.setdefault(name, []).append(value)
    shared = {name for name, values in given.items() if _is_shared(values)}
    return frozenset({BODY, *shared})


def _is_shared(values: Sequence[object]) -> bool:
    first = values[0]
    is_object = not isinstance(first, VALUES) and not callable(first)
    return is_object and len(values) > 1 and all(value is first for value in values)


def _with_children(actions: Iterable[FsmAction[Any]]) -> Iterator[FsmAction[Any]]:
    for action in actions:
        yield action
        yield from _with_children(action.children)


def _parameters(action: FsmAction[Any], hidden: frozenset[str]) -> Iterator[tuple[str, str]]:
    children = {id(child) for child in action.children}
    for name, value in _in_order(action).items():
        if name not in hidden and not _is_among(children, value):
            yield name, _value(action, name, value)


def _in_order(action: FsmAction[Any]) -> dict[str, object]:
    """Return the parameters in the order in which a call names them."""
    given = parameters(action)
    try:
        order = [name for name in signature(type(action)).parameters if name in given]
    except (TypeError, ValueError):  # a class may hide its signature
        order = []
    return {name: given[name] for name in dict.fromkeys([*order, *given])}


def _is_among(children: set[int], value: object) -> bool:
    """Return True if `value` is one or several of the children, which have their own lines."""
    if isinstance(value, (list, tuple)) and value:
        return all(id(member) in children for member in value)
    return id(value) in children


def _value(action: FsmAction[Any], name: str, value: object) -> str:
    try:
        text = value.name if isinstance(value, Fsm) else shown_parameter(action, name, value)
    except Exception:  # a user's class may have a failing __repr__
        text = type(value).__name__
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", ADDRESS.sub(r"\1", visible(text)))
    return abbreviated(text, MAX_VALUE_COLUMNS)
