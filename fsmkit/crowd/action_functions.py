"""ActionFunctions: the functions of a crowd's action, and the values that they get as `own`."""

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
class ActionFunctions:
    """The definition of an action: the same for every agent, in every visit."""

    functions: Mapping[str, Function] = field(factory=dict)
    """`on_enter`, `on_update`, `on_exit` -> its function; phases without one are left out."""
    parameters: Mapping[str, Value] = field(factory=dict)
    memory: Mapping[str, Number] = field(factory=dict)
    """Name of a remembered value -> its initial value."""
    events: Mapping[str, str] = field(factory=dict)


def checked_functions(
    owner: str, on_enter: object, on_update: object, on_exit: object
) -> dict[str, Function]:
    """Return those that are not None, by phase. Raises CrowdError for an unsuitable function."""
    return {
        phase: checked_function(owner, phase, function)
        for phase, function in zip(PHASES, (on_enter, on_update, on_exit), strict=True)
        if function is not None
    }


def checked_values(
    owner: str, kind: str, values: Mapping[str, Any] | None, allowed: tuple[type, ...]
) -> dict[str, Any]:
    """Return the values of an action.

    Raises CrowdError for one of another type, or of more than 64 bits.
    """
    checked = {name: plain(value) for name, value in (values or {}).items()}
    for name, value in checked.items():
        if type(value) not in allowed:
            raise CrowdError(
                f"{owner}: the {kind} {name!r} must be "
                f"{' or '.join(each.__name__ for each in allowed)}, got {value!r}."
            )
        if type(value) is int and value not in WHOLE_NUMBERS:
            raise CrowdError(f"{owner}: the {kind} {name!r} must fit into 64 bits, got {value!r}.")
    return checked


def check_distinct(owner: str, *mappings: Mapping[str, object]) -> None:
    """Raise CrowdError if two of them have a name in common: `own` has one of each."""
    for one, other in combinations(mappings, 2):
        for name in one.keys() & other.keys():
            raise CrowdError(
                f"{owner}: {name!r} is used twice. Parameters, memory and events are all read as "
                "own.NAME: rename one of them."
            )


def name_of(function: Function) -> str:
    """Return the name of a function, for messages."""
    return str(getattr(function, "__name__", repr(function)))


def checked_function(owner: str, name: str, function: Any, most: int = 3) -> Function:
    """Return `function`, the argument `name`. Raises CrowdError unless it suits columns.

    It takes the agent and the world, and the values of the action if `most` is 3.
    """
    if not isinstance(function, FunctionType):
        raise CrowdError(
            f"{owner}: {name} must be a plain function (agent, world), got {function!r}."
        )
    own = signature(function, follow_wrapped=False)
    parameters = own.parameters.values()
    positional = all(each.kind is Parameter.POSITIONAL_OR_KEYWORD for each in parameters)
    if not positional or not 2 <= len(parameters) <= most:
        or_three = ", or three, (agent, world, own)" if most == 3 else ""
        raise CrowdError(
            f"{owner}: {name} must take two parameters, (agent, world){or_three}, got "
            f"{name_of(function)}{own}."
        )
    if any(each.default is not Parameter.empty for each in parameters):
        instead = (
            "Pass values as parameters={...}, and read them as own.NAME."
            if most == 3
            else "Make them fields of the agents or of the world."
        )
        raise CrowdError(
            f"{owner}: {name} must have no defaults, got {name_of(function)}{own}. {instead}"
        )
    return function
