"""Views: `world` and `own` for functions that are called as they are, and the call itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.action_functions import Function, name_of
from fsmkit.crowd.errors import use_one_wording

GIVEN: Final = ("id", "time_in_state")
"""What an agent has without a field of that name; a field comes first."""


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
    try:
        event = function(*arguments[: function.__code__.co_argcount])
    except ZeroDivisionError as error:
        use_one_wording(error)
        raise
    if event is None or isinstance(event, str):
        return event
    raise TypeError(
        f"{name_of(function)}() must return an event, got {event!r}. Return the name of an event, "
        "a str, or None."
    )


def ask_function(function: Function, agent: Any, world: WorldView) -> bool:
    """Call the function of a guard; return whether it agrees."""
    try:
        return bool(function(agent, world))
    except ZeroDivisionError as error:
        use_one_wording(error)
        raise


def cannot_be_written(what: str) -> str:
    """Return the message for something that is written without being a field."""
    return f"{what} cannot be written: a crowd keeps it itself."


class WorldView:
    """The shared values, `dt` and `time`, read-only."""

    __slots__ = ("_time", "_values")

    def __init__(self, values: Mapping[str, Any], time: float) -> None:
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_time", time)

    def __getattr__(self, name: str) -> Any:
        values: Mapping[str, Any] = self._values
        if name == "time" and name not in values:
            return self._time
        if name not in values:
            raise AttributeError(
                f"The world has no field {name!r}. Its fields: {', '.join(values)}."
            )
        return values[name]

    def __setattr__(self, name: str, _value: Any) -> None:
        if name == "time" and name not in self._values:
            raise AttributeError(cannot_be_written("world.time"))
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
