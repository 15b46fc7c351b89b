"""Views: `world` and `own` for functions that are called as they are, and the call itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.action_functions import Function, name_of


class Memory(Protocol):
    """The remembered values of an action, by name."""

    def read(self, name: str) -> Any:
        """Return the value."""

    def write(self, name: str, value: Any) -> None:
        """Remember another one. Raises TypeError or OverflowError for one that does not fit."""


def call_function(function: Function, *arguments: Any) -> str | None:
    """Call a function with as many of the arguments as it takes; return the event.

    Raises TypeError if it returns anything but an event, and whatever it raises.
    """
    event = function(*arguments[: function.__code__.co_argcount])
    if event is None or isinstance(event, str):
        return event
    raise TypeError(
        f"{name_of(function)}() must return an event, got {event!r}. Return the name of an event, "
        "a str, or None."
    )


class WorldView:
    """The shared values, and `dt`, read-only."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        values: Mapping[str, Any] = self._values
        if name not in values:
            raise AttributeError(
                f"The world has no field {name!r}. Its fields: {', '.join(values)}."
            )
        return values[name]

    def __setattr__(self, name: str, _value: Any) -> None:
        raise AttributeError(f"world.{name} is shared by all agents: change it between updates.")


class OwnView:
    """The values of an action."""

    __slots__ = ("_action", "_agent", "_memory", "_world")

    def __init__(self, action: Behaviour, agent: Any, world: WorldView, memory: Memory) -> None:
        object.__setattr__(self, "_action", action)
        object.__setattr__(self, "_agent", agent)
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "_memory", memory)

    def __getattr__(self, name: str) -> Any:
        definition = self._action.definition
        if name in definition.memory:
            return self._memory.read(name)
        if name in definition.events:
            return definition.events[name]
        if name not in definition.parameters:
            raise AttributeError(_unknown(self._action, name))
        value = definition.parameters[name]
        if not isinstance(value, str):
            return value
        field = value.removeprefix("world.")
        return getattr(self._agent if field == value else self._world, field)

    def __setattr__(self, name: str, value: Any) -> None:
        definition = self._action.definition
        if name in definition.memory:
            self._memory.write(name, value)
            return
        bound = definition.parameters.get(name)
        if isinstance(bound, str):
            field = bound.removeprefix("world.")
            setattr(self._agent if field == bound else self._world, field, value)
        elif name in definition.parameters or name in definition.events:
            raise AttributeError(f"{self._action!r}: {name!r} is a constant.")
        else:
            raise AttributeError(_unknown(self._action, name))


def _unknown(action: Behaviour, name: str) -> str:
    definition = action.definition
    values = [*definition.parameters, *definition.memory, *definition.events]
    return f"{action!r} has no value {name!r}. Its values: {', '.join(values) or 'none'}."
