"""Objects: their attributes, read without running any of their code.

Most attributes may have changed by the time the code runs. Only those that hold a program together
are trusted: the machine of a state, the functions of a class, a constant written in capitals, and
what an action got from its constructor and sets nowhere else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum, EnumMeta
from functools import lru_cache, partial
from inspect import getattr_static
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, TypeAlias

import fsmkit
from fsmkit import Fsm, FsmAction, FsmState, StateGroup
from fsmkit.checking.reading.instructions import code_inside, instructions_of
from fsmkit.checking.reading.known_values import (
    MOST_OBJECTS,
    UNKNOWN,
    CodeValue,
    KnownObjects,
    known,
    objects_of,
)
from fsmkit.core.checks.functions import Adapted
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import OUR_FOLDERS

MAKING: Final = {"__init__", "__attrs_init__", "__attrs_post_init__", "__post_init__"}
"""The methods in which an object gets the attributes that it is meant to have."""

FUNCTIONS: Final = (FunctionType, MethodType, partial, Adapted)
"""Types of objects that can be passed on to be called."""

CONTAINERS: Final = (dict, list, tuple, set, frozenset, str)
PLAIN: Final = (str, bytes, bool, int, float, complex)

LIBRARY: Final = tuple(
    str(folder) + os.sep
    for folder in (OUR_FOLDERS[1], Path(fsmkit.__file__).parents[1] / "actions")
)
"""The folder of the library, as its code names it and as its modules do."""


Attribute: TypeAlias = CodeValue | FunctionType
"""The value of an attribute, or the function of a property that computes it from its owner."""


def attribute(owner: object, name: str) -> Attribute:
    match owner:
        case ModuleType():
            return constant(name, vars(owner).get(name, UNKNOWN))
        case EnumMeta():
            return _member(owner, name)
        case Enum() if name in ("value", "name"):
            return known(getattr(owner, name))
        case type():
            return _of_class(owner, name)
        case Fsm():
            return _of_machine(owner, name)
        case FsmState() | StateGroup():
            return _of_state(owner, name)
        case FsmAction():
            return _of_action(owner, name)
        case super():
            return _of_super(owner, name)
    return _of_instance(owner, name)


def constant(name: str, value: object) -> CodeValue:
    """Return a variable of a module, or an attribute of a class.

    Strings and numbers are trusted if their name is in capitals: others may well change.
    """
    is_plain = value is None or isinstance(value, PLAIN)
    if value is UNKNOWN or value is None or (is_plain and not name.isupper()):
        return UNKNOWN
    return known(value)


def members_of(container: CodeValue) -> CodeValue:
    """Return one of the functions in a container of functions; unknown for other containers."""
    members: list[object] = []
    for one in objects_of(container):
        if not isinstance(one, (Mapping, list, tuple)) or len(one) > MOST_OBJECTS:
            return UNKNOWN
        members += one.values() if isinstance(one, Mapping) else one
    if not members or not all(isinstance(member, FUNCTIONS) for member in members):
        return UNKNOWN
    return KnownObjects(tuple(members)) if len(members) <= MOST_OBJECTS else UNKNOWN


def is_of_library(kind: type) -> bool:
    """Return True for the classes of the library, which declare all that they do."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return is_file_of_library(str(file))


def is_file_of_library(path: str) -> bool:
    return path.startswith(LIBRARY)


def is_readable(function: FunctionType) -> bool:
    """Return True for functions that are worth reading: users' own, and those that call them."""
    module = function.__module__ or ""
    package = module.partition(".")[0]
    if package == "fsmkit":
        return module == "fsmkit.core.checks.functions"  # it calls what it has adapted
    return package not in sys.stdlib_module_names and package not in ("attr", "attrs")


def changed_names(kinds: Iterable[type]) -> set[str]:
    """Return the attributes that methods of classes set, of any object; "*" stands for all."""
    return {name for kind in kinds for name in _changed_in(kind)}


def closure_of(function: FunctionType) -> dict[str, object]:
    """Return the variables that a function shares with the code around it, if they are set."""
    variables: dict[str, object] = {}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in cells:
        with suppress(ValueError):  # it is not set yet
            variables[name] = cell.cell_contents
    return variables


def _member(kind: EnumMeta, name: str) -> CodeValue:
    member = kind.__members__.get(name)
    return UNKNOWN if member is None else known(member)


def _of_class(kind: type, name: str) -> CodeValue:
    found = getattr_static(kind, name, UNKNOWN)
    match found:
        case staticmethod():
            return known(found.__func__)
        case classmethod():
            return known(MethodType(found.__func__, kind))
    return constant(name, found)


def _of_machine(machine: Fsm[Any], name: str) -> Attribute:
    if name == "context":
        return _link(machine.context)
    if name in ("current_state", "previous_state"):  # whichever it is, it leads to the machine
        return known(walk.states(machine)[0]) if machine.states else UNKNOWN
    return _method(machine, name, Fsm)


def _of_state(state: FsmState[Any] | StateGroup[Any], name: str) -> Attribute:
    if name == "fsm":
        return known(state.fsm)
    if name == "context":
        return _link(state.fsm.context)
    return _method(state, name, FsmState if isinstance(state, FsmState) else StateGroup)


def _of_action(action: FsmAction[Any], name: str) -> Attribute:
    inherited = getattr_static(type(action), name, None)
    is_ours = inherited is vars(FsmAction).get(name)
    if is_ours and name in ("fsm", "state"):
        found = getattr(action, name)
        return UNKNOWN if found is None else known(found)
    if is_ours and name == "context":
        return UNKNOWN if action.fsm is None else _link(action.context)
    if is_ours and inherited is not None and not isinstance(inherited, property):
        return _method(action, name, FsmAction)
    own = _stored(action, name)
    if own is not UNKNOWN:
        return _parameter(action, name, own)
    if isinstance(inherited, PLAIN):
        return _parameter(action, name, inherited)
    return _inherited(action, inherited)


def _of_super(above: Any, name: str) -> Attribute:
    """Return the attribute `super().name`, as the classes after that one have it."""
    owner: object = above.__self__
    kinds = type(owner).__mro__
    later = kinds[kinds.index(above.__thisclass__) + 1 :]
    found = next((vars(kind)[name] for kind in later if name in vars(kind)), None)
    return _inherited(owner, found)


def _parameter(action: FsmAction[Any], name: str, value: object) -> CodeValue:
    """Return an attribute of an action, unless it may change after it was made."""
    if value is None and not is_of_library(type(action)):
        return UNKNOWN  # it may still be set
    return UNKNOWN if _may_change(action, name) else known(value)


def _may_change(action: FsmAction[Any], name: str) -> bool:
    kinds = (kind for kind in type(action).__mro__ if kind not in FsmAction.__mro__)
    return not {name, "*"}.isdisjoint(changed_names(kinds))


def _of_instance(owner: object, name: str) -> Attribute:
    if type(owner) in CONTAINERS:
        method = getattr(owner, name, None)
        return known(method) if isinstance(method, BuiltinFunctionType) else UNKNOWN
    if type(owner).__getattribute__ is not object.__getattribute__:
        return UNKNOWN
    inherited = getattr_static(type(owner), name, None)
    own = _stored(owner, name)
    if own is not UNKNOWN:
        return _link(own)
    return _inherited(owner, inherited)


def _link(value: object) -> CodeValue:
    """Return an attribute of a user's object; unknown if plain, as it may change at any time."""
    return UNKNOWN if value is None or isinstance(value, PLAIN) else known(value)


def _stored(owner: object, name: str) -> object:
    """Return what an object itself has under a name; `UNKNOWN` if nothing."""
    inherited = getattr_static(type(owner), name, None)
    if isinstance(inherited, MemberDescriptorType):
        try:
            return inherited.__get__(owner, type(owner))
        except AttributeError:
            return UNKNOWN
    if hasattr(type(inherited), "__set__"):
        return UNKNOWN
    try:
        return object.__getattribute__(owner, "__dict__").get(name, UNKNOWN)
    except AttributeError:
        return UNKNOWN


def _inherited(owner: object, found: object) -> Attribute:
    match found:
        case FunctionType():
            return known(MethodType(found, owner))
        case staticmethod():
            return known(found.__func__)
        case classmethod():
            return known(MethodType(found.__func__, type(owner)))
        case property() if isinstance(found.fget, FunctionType):
            return found.fget
    return UNKNOWN


def _method(owner: Any, name: str, kind: type) -> Attribute:
    found = getattr_static(type(owner), name, None)
    if found is not getattr_static(kind, name, None):
        return _inherited(owner, found)
    if found is None or isinstance(found, property):
        return UNKNOWN
    bound: object = getattr(owner, name)
    return known(bound) if callable(bound) else UNKNOWN


@lru_cache(maxsize=1024)
def _changed_in(kind: type) -> frozenset[str]:
    """Return the attributes that the methods of a class set, except where it is made."""
    changed: set[str] = set()
    waiting = [
        code
        for name, value in vars(kind).items()
        if name not in MAKING and (code := _code_of(value)) is not None
    ]
    while waiting:
        code = waiting.pop()
        waiting.extend(code_inside(code))
        for each in instructions_of(code):
            if each.name in ("STORE_ATTR", "DELETE_ATTR"):
                changed.add(str(each.value))
        if not {"setattr", "__dict__", "__setattr__"}.isdisjoint(code.co_names):
            changed.add("*")
    return frozenset(changed)


def _code_of(value: object) -> CodeType | None:
    match value:
        case property():
            return _code_of(value.fset)
        case staticmethod() | classmethod():
            return _code_of(value.__func__)
        case FunctionType():
            return value.__code__
    return None
