"""Script: the functions of an action of crowds, and the values that they get as `own`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from itertools import combinations
from types import FunctionType
from typing import Any, Final, TypeAlias

from attrs import field, frozen

from fsmkit.crowd.arguments import WHOLE_NUMBERS, plain
from fsmkit.crowd.errors import CrowdError

Function: TypeAlias = Callable[..., Any]
Number: TypeAlias = float | int | bool
Value: TypeAlias = float | int | bool | str
"""A number, or the name of a field: `"speed"` of the agent, `"world.speed"` of the world."""

PHASES: Final = ("on_enter", "on_update", "on_exit")


@frozen(eq=False)
class Script:
    """What an action does: the same for every agent, in every visit."""

    functions: Mapping[str, Function] = field(factory=dict)
    """`on_enter`, `on_update`, `on_exit` -> the function for it; none for what is not there."""
    given: Mapping[str, Value] = field(factory=dict)
    """Its parameters."""
    memory: Mapping[str, Number] = field(factory=dict)
    """What it remembers -> what that begins with."""
    events: Mapping[str, str] = field(factory=dict)


def checked_functions(
    owner: str, on_enter: object, on_update: object, on_exit: object
) -> dict[str, Function]:
    """Those that are not None, by phase. Raises CrowdError for what is no such function."""
    return {
        phase: _checked(owner, phase, function)
        for phase, function in zip(PHASES, (on_enter, on_update, on_exit), strict=True)
        if function is not None
    }


def checked_values(
    owner: str, kind: str, values: Mapping[str, Any] | None, allowed: tuple[type, ...]
) -> dict[str, Any]:
    """Those of an action. Raises CrowdError for one of another type, or of more than 64 bits."""
    checked = {name: plain(value) for name, value in (values or {}).items()}
    for name, value in checked.items():
        if type(value) not in allowed:
            raise CrowdError(
                f"{owner}: the {kind} {name!r} is {value!r}. It is "
                f"{' or '.join(each.__name__ for each in allowed)}."
            )
        if type(value) is int and value not in WHOLE_NUMBERS:
            raise CrowdError(f"{owner}: the {kind} {name!r} is {value!r}. It has 64 bits at most.")
    return checked


def check_distinct(owner: str, *mappings: Mapping[str, object]) -> None:
    """Raise CrowdError if two of them have a name in common: `own` has one of each."""
    for one, other in combinations(mappings, 2):
        for name in one.keys() & other.keys():
            raise CrowdError(
                f"{owner}: {name!r} stands for two things. Parameters, memory and events are all "
                "read as own.NAME: give one of them another name."
            )


def name_of(function: Function) -> str:
    """What a function is called."""
    return str(getattr(function, "__name__", repr(function)))


def _checked(owner: str, phase: str, function: Any) -> Function:
    if not isinstance(function, FunctionType):
        raise CrowdError(f"{owner}: {phase} is a plain function (agent, world), not {function!r}.")
    own = signature(function, follow_wrapped=False)
    given = own.parameters.values()
    positional = all(each.kind is Parameter.POSITIONAL_OR_KEYWORD for each in given)
    if not positional or len(given) not in (2, 3):
        raise CrowdError(
            f"{owner}: {phase} is {name_of(function)}{own}. It takes two parameters, "
            "(agent, world), or three, (agent, world, own)."
        )
    if any(each.default is not Parameter.empty for each in given):
        raise CrowdError(
            f"{owner}: {phase} is {name_of(function)}{own}. It takes no defaults: give values "
            "as parameters={...}, and read them as own.NAME."
        )
    return function
