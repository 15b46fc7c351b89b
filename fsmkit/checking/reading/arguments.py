"""Arguments: what the variables of a function are when it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import cast

from fsmkit.checking.reading.instructions import stored_names
from fsmkit.checking.reading.values import REST, UNKNOWN, Value, known


def bound(
    function: FunctionType, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> dict[str, Value]:
    """Return the variables that a call of a function begins with, as far as they are known."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    names: dict[str, Value] = dict(
        zip(positional[len(positional) - len(defaults) :], map(known, defaults), strict=True)
    )
    names |= {name: known(value) for name, value in (function.__kwdefaults__ or {}).items()}
    names |= in_place(positional, arguments)
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names | {name: value for name, value in keywords.items() if name in parameters}


def in_place(names: Sequence[str], arguments: Sequence[Value]) -> dict[str, Value]:
    """Return the values of parameters that are given in order."""
    if arguments[-1:] != [REST]:
        return dict(zip(names, arguments, strict=False))
    given = dict.fromkeys(names, cast("Value", UNKNOWN))  # any of them may be given
    return given | dict(zip(names, arguments[:-1], strict=False))


def closure_of(function: FunctionType) -> dict[str, Value]:
    """Return the variables that a function shares with the code around it."""
    variables: dict[str, Value] = {}
    stored = stored_names(function.__code__)
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not filled yet
            continue
        if value is not None and name not in stored:
            variables[name] = known(value)
    return variables
