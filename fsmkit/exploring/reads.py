"""Facts about a machine's past that its code looks at, read from the code.

Nobody cares in which state a machine was before, unless its code asks. What no code asks about can
be left out of a moment, and far fewer moments are different.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Final

FACTS: Final = frozenset({"previous_state", "last_event", "event_data", "time", "time_in_state"})
"""Attributes of an `Fsm` that tell of its past."""

OURS: Final = frozenset({"fsmkit", "actions"})


class Reads:
    """The facts that any code seen so far looks at."""

    def __init__(self) -> None:
        self.facts: set[str] = set()
        self._seen: set[object] = set()

    def add_function(self, function: FunctionType) -> None:
        """Look at a function, and at those of user code that it names."""
        if function.__code__ in self._seen or _is_foreign(function.__module__):
            return
        self._seen.add(function.__code__)
        for code in _codes(function.__code__):
            self.facts |= _facts_in(code)
            for name in code.co_names:
                self._add_global(function.__globals__.get(name))

    def add_class(self, kind: type) -> None:
        """Look at all methods of a class."""
        if kind in self._seen or _is_foreign(kind.__module__):
            return
        self._seen.add(kind)
        for base in kind.__mro__:
            for member in vars(base).values():
                function = getattr(member, "__func__", getattr(member, "fget", member))
                if isinstance(function, FunctionType) and not _is_foreign(base.__module__):
                    self.add_function(function)

    def _add_global(self, value: object) -> None:
        if isinstance(value, FunctionType):
            self.add_function(value)
        elif isinstance(value, type):
            self.add_class(value)
        elif isinstance(value, ModuleType) and not _is_foreign(value.__name__):
            for member in list(vars(value).values()):
                if isinstance(member, FunctionType):
                    self.add_function(member)


def _facts_in(code: CodeType) -> set[str]:
    """Return the facts that code reads as attributes, or names in a string."""
    read = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
    }
    named = {const for const in code.co_consts if isinstance(const, str)} - {"time"}
    return {str(name) for name in FACTS & (read | named)}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


@cache
def _is_foreign(module: str | None) -> bool:
    """Return True for a module of fsmkit or of the standard library."""
    package = (module or "").partition(".")[0]
    return package in OURS or package in sys.stdlib_module_names - {"__main__"}
