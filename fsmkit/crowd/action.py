"""CrowdAction: an action of agents, composed of plain functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Literal, Self

from attrs import define, field

from fsmkit import FsmAction
from fsmkit.crowd.agent_functions import (
    ActionFunctions,
    AgentFunction,
    Number,
    Value,
    action_functions,
    events_of,
    starts_of,
)

__all__ = ["Behaviour", "CrowdAction", "Value"]


class HasFunctions(FsmAction[Any]):
    """An action with a definition.

    As an argument of a constructor, the definition counts as a parameter, not as something
    remembered, for the tools that save and show actions.
    """

    def __init__(self, definition: ActionFunctions) -> None:
        self.definition = definition


@define(eq=False, repr=False, slots=False)
class Behaviour(HasFunctions):
    """Base of all crowd actions: functions, and the values that they get as `own`.

    A subclass calls `set_functions` in its constructor. It never finishes by itself.
    """

    memory: dict[str, Number] = field(factory=dict, init=False)
    """The values remembered so far, in a machine of one agent. The others are initial."""

    def set_functions(
        self,
        on_enter: AgentFunction | None = None,
        on_update: AgentFunction | None = None,
        on_exit: AgentFunction | None = None,
        *,
        parameters: Mapping[str, Value] | None = None,
        memory: Mapping[str, Number] | None = None,
        events: Mapping[str, str] | None = None,
    ) -> None:
        """Use these functions and values; see `CrowdAction`."""
        functions = {"on_enter": on_enter, "on_update": on_update, "on_exit": on_exit}
        owner = type(self).__name__
        definition = action_functions(owner, functions, parameters, memory, events)
        HasFunctions.__init__(self, definition)

    @property
    def finishes(self) -> Literal["never"]:
        """It finishes only with its state."""
        return "never"

    @property
    def sends(self) -> Sequence[str]:
        """The events that its functions may return."""
        return events_of(self.definition)

    @property
    def spawns(self) -> Sequence[str]:
        """The names of the states in which its functions spawn agents."""
        return starts_of(self.definition)

    def check_parameter(self, name: str, value: Number, what: str) -> None:
        """Raise CrowdError for a number that a sweep must not give the parameter `name`.

        `what` are the values, for the message. By default every number may be given.
        """

    def on_enter(self) -> None:
        self._call("on_enter")

    def on_update(self) -> None:
        self._call("on_update")

    def on_exit(self) -> None:
        self._call("on_exit")

    def unattached_copy(self) -> Self:
        """Return the same action for another machine; it remembers nothing."""
        other = copy(self)
        other._fsmkit_leave()
        other.memory = {}
        return other

    def _call(self, phase: str) -> None:
        function = self.definition.functions.get(phase)
        if function is not None:
            event = self.context.call(function, self)
            if event is not None:
                self.fsm.send_event(event)


@define(eq=False, repr=False, slots=False)
class CrowdAction(Behaviour):
    """Up to three functions `(agent, world)` that read and write fields, and may return an event.

    A function with three parameters gets `own` as well, the action's own values:

    - `parameters`: name -> a number, or the name of a field of the agent (`"speed"`), or of the
      world (`"world.speed"`). One that names a field of the agent may be written, too.
    - `memory`: name -> initial value; each agent has its own value.
    - `events`: name -> event, for `return own.finish_event`.

    A returned event is sent at once, like any event, `FINISHED` included. The action itself never
    finishes. Raises CrowdError for an invalid function or value.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> def walk(npc, world):
    ...     npc.x += 2.0 * world.dt
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Walk").add_action(CrowdAction(on_update=walk))
    >>> crowd = Crowd(machine, 2, start="Walk", engine="python")
    >>> crowd.update(0.5)
    >>> crowd["x"].tolist()
    [1.0, 1.0]
    """

    _on_enter: AgentFunction | None = field(default=None, alias="on_enter")
    _on_update: AgentFunction | None = field(default=None, alias="on_update")
    _on_exit: AgentFunction | None = field(default=None, alias="on_exit")
    parameters: Mapping[str, Value] | None = field(default=None, kw_only=True)
    _memory: Mapping[str, Number] | None = field(default=None, kw_only=True, alias="memory")
    _events: Mapping[str, str] | None = field(default=None, kw_only=True, alias="events")

    def __attrs_post_init__(self) -> None:
        self.set_functions(
            self._on_enter,
            self._on_update,
            self._on_exit,
            parameters=self.parameters,
            memory=self._memory,
            events=self._events,
        )
