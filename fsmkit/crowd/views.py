"""Calling functions of actions as they are: what they get as `world` and `own`, and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.script import Function, name_of


class Memory(Protocol):
    """What an action remembers, by name."""

    def read(self, name: str) -> Any:
        """The value."""

    def write(self, name: str, value: Any) -> None:
        """Remember another one. Raises TypeError or OverflowError for one that does not fit."""


def event_of(function: Function, *given: Any) -> str | None:
    """The event that a function returns for so many of what is given as it takes.

    Raises TypeError if it returns no event, and what it raises.
    """
    event = function(*given[: function.__code__.co_argcount])
    if event is None or isinstance(event, str):
        return event
    raise TypeError(
        f"{name_of(function)}() returned {event!r}, and that is no event. Return the name of an "
        "event, a text, or None."
    )


class WorldView:
    """The shared values, and `dt`. They cannot be changed."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        values: Mapping[str, Any] = self._values
        if name not in values:
            raise AttributeError(
                f"The world has no field {name!r}. There are: {', '.join(values)}."
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
        script = self._action.script
        if name in script.memory:
            return self._memory.read(name)
        if name in script.events:
            return script.events[name]
        if name not in script.given:
            raise AttributeError(_unknown(self._action, name))
        value = script.given[name]
        if not isinstance(value, str):
            return value
        field = value.removeprefix("world.")
        return getattr(self._agent if field == value else self._world, field)

    def __setattr__(self, name: str, value: Any) -> None:
        script = self._action.script
        if name in script.memory:
            self._memory.write(name, value)
            return
        bound = script.given.get(name)
        if isinstance(bound, str):
            field = bound.removeprefix("world.")
            setattr(self._agent if field == bound else self._world, field, value)
        elif name in script.given or name in script.events:
            raise AttributeError(f"{self._action!r}: {name!r} is a constant.")
        else:
            raise AttributeError(_unknown(self._action, name))


def _unknown(action: Behaviour, name: str) -> str:
    script = action.script
    known = ", ".join([*script.given, *script.memory, *script.events]) or "none"
    return f"{action!r} has no value {name!r}. There are: {known}."
