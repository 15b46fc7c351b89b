"""Individual: one agent with all that it remembers, as the context of an ordinary machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from fsmkit import Fsm
from fsmkit.crowd import randomness
from fsmkit.crowd.action import Behaviour


@define(eq=False)
class Individual:
    """An agent that is a machine by itself: the context of `Crowd.fsm`."""

    agent: Any
    """An instance of the agents' class."""
    world: Any
    """An instance of the world's class."""
    number: int = 0
    """What its random numbers go by."""
    seed: int = 0
    step: int = 0
    """How many calls there were, for the random numbers. An observer counts the updates."""
    memory: dict[tuple[str, int], dict[str, Any]] = field(factory=dict, repr=False)
    """State and index of an action -> what that remembers."""
    draws: int = field(default=0, repr=False)
    """How many random numbers were drawn in this step."""

    def call(self, function: Callable[..., Any], action: Behaviour) -> Any:
        """Call a function of an action."""
        given = (AgentView(self), WorldView(self, action.fsm), OwnView(self, action))
        return function(*given[: function.__code__.co_argcount])

    def remembered(self, action: Behaviour) -> dict[str, Any]:
        """What an action remembers."""
        index = next(i for i, other in enumerate(action.state.actions) if other is action)
        return self.memory.setdefault((action.state.name, index), dict(action.memory))

    def update_begun(self, _fsm: Fsm[Any], _dt: float) -> None:
        """Count the step; called by the machine."""
        self.step += 1
        self.draws = 0


class AgentView:
    """What a function gets as `agent`."""

    __slots__ = ("_of",)

    def __init__(self, of: Individual) -> None:
        object.__setattr__(self, "_of", of)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of.agent, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(self._of.agent, name):
            raise AttributeError(f"{type(self._of.agent).__name__} has no field {name!r}.")
        setattr(self._of.agent, name, value)

    def next_random_number(self) -> float:
        """The next one of this step."""
        of = self._of
        number = randomness.draw(of.seed, of.number, of.step, of.draws)
        of.draws += 1
        return number


class WorldView:
    """What a function gets as `world`: the shared values, and `dt`. They cannot be changed."""

    __slots__ = ("_fsm", "_of")

    def __init__(self, of: Individual, fsm: Fsm[Any]) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_fsm", fsm)

    def __getattr__(self, name: str) -> Any:
        return self._fsm.delta_time if name == "dt" else getattr(self._of.world, name)

    def __setattr__(self, name: str, _value: Any) -> None:
        raise AttributeError(f"world.{name} is shared by all agents: change it between updates.")


class OwnView:
    """What a function gets as `own`."""

    __slots__ = ("_action", "_of")

    def __init__(self, of: Individual, action: Behaviour) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_action", action)

    def __getattr__(self, name: str) -> Any:
        action: Behaviour = self._action
        if name in action.memory:
            return self._of.remembered(action)[name]
        if name in action.events:
            return action.events[name]
        if name not in action.given:
            raise AttributeError(f"{action!r} has no value {name!r}.")
        value = action.given[name]
        if not isinstance(value, str):
            return value
        if value == "world.dt":
            return action.fsm.delta_time
        shared = value.removeprefix("world.")
        return getattr(self._of.agent if shared == value else self._of.world, shared)

    def __setattr__(self, name: str, value: Any) -> None:
        action: Behaviour = self._action
        if name in action.memory:
            self._of.remembered(action)[name] = value
            return
        field = action.given.get(name)
        if not isinstance(field, str) or field.startswith("world."):
            raise AttributeError(f"{action!r}: {name!r} is a constant.")
        setattr(self._of.agent, field, value)
