"""When a changed parameter takes effect in an action that goes on: at once, or on its next visit.

At once if what is still called in this visit reads it: `on_update`, `on_event`, `on_exit`, and what
these call of the action. One that only `on_enter` reads has been read, as the `duration` of a wait.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any, Final

from fsmkit import FsmAction

STILL_CALLED: Final = ("on_update", "on_event", "on_exit", "on_suspend", "on_resume")


def is_read_again(action: FsmAction[Any], parameter: str) -> bool:
    """Return whether the rest of a visit reads a parameter of `action`.

    >>> from actions import TimedWait
    >>> is_read_again(TimedWait(1.0), "duration"), is_read_again(TimedWait(1.0), "finish_event")
    (False, True)
    """
    if action.finished and parameter == "finish_event":
        return False
    kind: Any = type(action)
    names = _read_by(kind)
    return parameter in names or f"_{parameter}" in names


@cache
def _read_by(kind: type) -> frozenset[str]:
    """The attributes of itself that an action reads in the rest of a visit."""
    found = {"finish_event"}  # its machine reads it
    waiting = [*STILL_CALLED]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            for code in _codes_of(kind, name):
                waiting += _attributes_read(code, code.co_varnames[0])
    return frozenset(found)


def _codes_of(kind: type, name: str) -> Iterator[CodeType]:
    """The code of a method or property, also that of base classes, which `super()` may call."""
    for base in kind.__mro__:
        member = vars(base).get(name)
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if base is FsmAction or not isinstance(function, FunctionType):
            continue
        if function.__code__.co_argcount:
            yield function.__code__


def _attributes_read(code: CodeType, owner: str) -> Iterator[str]:
    """The names of the attributes that code reads of the variable `owner`."""
    is_owner = False
    for instruction in dis.get_instructions(code):
        names = instruction.argval
        is_of_owner = is_owner and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if is_of_owner or instruction.opname.startswith("LOAD_SUPER"):
            yield str(names)
        last = names[-1] if isinstance(names, tuple) and names else names
        is_load = instruction.opname.startswith(("LOAD_FAST", "LOAD_DEREF"))
        is_owner = is_load and last == owner
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _attributes_read(constant, owner)
