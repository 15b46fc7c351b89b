"""What is wrong with the arguments of a tool, in words that an agent can act on."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.terminal.console import cut

LONGEST_SHOWN: Final = 100
"""The characters of a value in a sentence."""

KINDS_OF_VALUES: Final[Mapping[Any, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list[str]: "a list of texts",
    dict[str, Any]: "an object",
    type(None): "null",
}


def fault_of_names(
    tools: Mapping[str, Callable[..., object]], tool: str, given: Mapping[str, Any]
) -> str | None:
    """Return what is wrong with the names of a tool and its arguments; None if nothing is.

    >>> def check(target: str, inputs: list[str] | None = None) -> None: ...
    >>> fault_of_names({"check": check}, "check", {"target": "guard.py", "input": []})
    "check has no argument 'input'. Did you mean 'inputs'? Its arguments: target, inputs."
    """
    if tool not in tools:
        return f"There is no tool {tool!r}. {did_you_mean(tool, tools)}The tools: {_listed(tools)}."
    known = inspect.signature(tools[tool]).parameters
    for name in given:
        if name not in known:
            return (
                f"{tool} has no argument {name!r}. {did_you_mean(name, known)}Its arguments: "
                f"{_listed(known)}."
            )
    for name, parameter in known.items():
        if name not in given and parameter.default is parameter.empty:
            return f"{tool} needs {name!r}. Its arguments: {_listed(known)}."
    return None


def fault_of_value(tool: Callable[..., object], name: str, value: object) -> str:
    """Return what is wrong with the value of an argument, which is of another type.

    >>> def check(target: str, inputs: list[str] | None = None) -> None: ...
    >>> fault_of_value(check, "inputs", "HIT")
    'check: inputs must be a list of texts or null, got "HIT".'
    """
    wanted = get_type_hints(tool)[name]
    hint = ""
    if get_origin(wanted) is Literal:
        choices = get_args(wanted)
        words = f"one of {', '.join(map(repr, choices))}"
        hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    else:
        words = " or ".join(KINDS_OF_VALUES[each] for each in _members(wanted))
    shown = cut(json.dumps(value, ensure_ascii=False), LONGEST_SHOWN)
    return f"{tool.__name__}: {name} must be {words}, got {shown}. {hint}".rstrip()


def _members(wanted: Any) -> tuple[Any, ...]:
    return (wanted,) if wanted in KINDS_OF_VALUES else get_args(wanted)


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names)
