"""MachineData: all of a machine as plain data that can be compared, and changed as an edit asks.

Two programs build the same machines if the definitions are equal: names, options, states, groups,
transitions with their guards and effects, actions with their parameters, and what is nested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from inspect import signature
from types import CodeType, NoneType
from typing import Any, Final, TypeAlias

from attrs import fields, has

from fsmkit import BACK, Fsm, FsmAction, Transition
from fsmkit.core.checks.functions import Adapted
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import fixed_children
from fsmkit.recording.action_fields import parameters_of

MachineData: TypeAlias = dict[str, Any]
"""A machine: `states`, `groups`, `transitions`, ... as in `defined`."""

AllMachines: TypeAlias = dict[str, MachineData]
"""Machines by their names."""

ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")


def defined(machines: Mapping[str, Fsm[Any]]) -> AllMachines:
    names = {machine: name for name, machine in machines.items()}
    return {name: _machine(machine, names) for name, machine in machines.items()}


def _machine(machine: Fsm[Any], names: Mapping[Fsm[Any], str]) -> MachineData:
    return {
        "name": machine.name,
        "options": [machine.on_unhandled, machine.max_transitions, machine.carry_time],
        "order": [*machine.states, *machine.groups],
        "states": {
            state.name: {
                "final": state.final,
                "failed": state.failed,
                "transitions": _transitions(state),
                "actions": [_action(action, names) for action in walk.own_actions(state)],
            }
            for state in walk.states(machine)
        },
        "groups": {
            group.name: {
                "states": [state.name for state in group],
                "transitions": _transitions(group),
            }
            for group in walk.groups(machine)
        },
        "transitions": _transitions(machine),
    }


def _transitions(owner: walk.TransitionOwner) -> dict[str, list[dict[str, Any]]]:
    return {
        str(event): [_transition(each) for each in same]
        for event, same in walk.table(owner).items()
    }


def _transition(transition: Transition[Any]) -> dict[str, Any]:
    return {
        "target": None if transition.target is BACK else transition.target.name,
        "when": plain(transition.when, {}),
        "do": plain(transition.do, {}),
        "suspend": transition.suspend,
    }


def _action(action: FsmAction[Any], names: Mapping[Fsm[Any], str]) -> dict[str, Any]:
    given = {  # a base class may have further ones, and its actions are compared below
        name
        for name, each in signature(type(action)).parameters.items()
        if each.kind is not each.VAR_POSITIONAL or not str(each.annotation).startswith("FsmAction")
    }
    return {
        "class": type(action).__qualname__,
        "enabled": action.enabled,
        "parameters": {
            name: plain(value, names)
            for name, value in parameters_of(action).items()
            if name.removeprefix("_") in given or name == "finish_event"
        },
        "children": [_action(child, names) for child in fixed_children(action)],
    }


def plain(value: Any, names: Mapping[Fsm[Any], str]) -> Any:
    """Return a value that is equal for what another run of the same code makes."""
    if value is None or (
        isinstance(value, (bool, str, int, float)) and not isinstance(value, Enum)
    ):
        return (type(value).__name__, str(value) if isinstance(value, str) else repr(value))
    if isinstance(value, Fsm):
        return ("machine", names.get(value, value.name))
    if isinstance(value, FsmAction):
        return ("action", type(value).__qualname__)
    if isinstance(value, (list, tuple, set, frozenset)):
        return (type(value).__name__, [plain(each, names) for each in value])
    if isinstance(value, dict):
        pairs = value.items()
        return ("dict", [(plain(key, names), plain(each, names)) for key, each in pairs])
    if isinstance(value, Adapted):
        return plain(value.function, names)
    if isinstance(value, partial):
        given = [value.args, value.keywords]
        return ("partial", plain(value.func, names), *(plain(each, names) for each in given))
    return _plain_object(value, names)


def _plain_object(value: Any, names: Mapping[Fsm[Any], str]) -> Any:
    if has(type(value)) and any(isinstance(each, FsmAction) for each in _fields_of(value).values()):
        return (type(value).__qualname__, plain(_fields_of(value), names))
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    if isinstance(code, CodeType):
        return ("function", value.__qualname__, *_code(code), *_bound_to(value, names))
    try:
        shown = ADDRESS.sub("", repr(value))
    except Exception as error:  # a user's repr
        shown = type(error).__name__
    return (type(value).__qualname__, shown)


def _bound_to(function: Any, names: Mapping[Fsm[Any], str]) -> Iterator[Any]:
    """Yield the simple values that a function has as defaults and in its closure."""
    function = getattr(function, "__func__", function)
    values = [*(function.__defaults__ or ())]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # it is empty
            values.append(cell.cell_contents)
    for value in values:
        yield plain(value, names) if isinstance(value, SIMPLE) else type(value).__qualname__


def _fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of what holds an action, such as an `Option`."""
    return {each.name: getattr(value, each.name, None) for each in fields(type(value))}


SIMPLE: Final = (bool, int, float, str, NoneType)


def _code(code: CodeType) -> tuple[Any, ...]:
    """Return what a function does, without the lines that it stands on."""
    constants = [
        _code(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts
    ]
    return (code.co_code, code.co_names, constants)


class Anything:
    """Equal to everything: a part that the edit itself decides."""

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


ANYTHING: Final = Anything()


class InAnyOrder:
    """Equal to a list of the same items, however they are ordered."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and sorted(self.items, key=repr) == sorted(other, key=repr)

    __hash__ = None  # type: ignore[assignment]


def replaced(definition: Any, old: object, new: object) -> Any:
    """Return a definition in which each value, and each key, that is `old` is `new`."""
    if type(definition) is type(old) and definition == old:
        return new
    if isinstance(definition, dict):
        return {
            replaced(key, old, new): replaced(each, old, new) for key, each in definition.items()
        }
    if isinstance(definition, (list, tuple)):
        return type(definition)(replaced(each, old, new) for each in definition)
    return definition


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Yield the parts in which two definitions differ: `states Patrol, actions 0, speed`."""
    if one == other:
        return
    pairs: list[tuple[object, Any, Any]] = []
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(key, one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(index, *each) for index, each in enumerate(zip(one, other, strict=True))]
    if not pairs:
        yield where.removesuffix(", ")
    for key, before, after in pairs:
        is_kind = key in ("states", "groups", "actions", "children")
        yield from differences(before, after, f"{where}{key} " if is_kind else f"{where}{key}, ")
