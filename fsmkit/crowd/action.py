"""CrowdAction: what agents do, as plain functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Literal, Self

from attrs import define, field

from fsmkit import FsmAction
from fsmkit.crowd.script import (
    Function,
    Number,
    Script,
    Value,
    check_distinct,
    checked_functions,
    checked_values,
)

__all__ = ["Behaviour", "CrowdAction", "Value"]


class Scripted(FsmAction[Any]):
    """An action that has a script.

    As an argument of a constructor, that is something it was given, and nothing it remembers, to
    the tools that save and show actions.
    """

    def __init__(self, script: Script) -> None:
        self.script = script


@define(eq=False, repr=False, slots=False)
class Behaviour(Scripted):
    """What all actions of crowds are: functions, and the values that they get as `own`.

    A subclass calls `behave` in its constructor. It never finishes by itself.
    """

    memory: dict[str, Number] = field(factory=dict, init=False)
    """What it remembers by now, in a machine of one agent. The rest is as in the beginning."""

    def behave(
        self,
        on_enter: Function | None = None,
        on_update: Function | None = None,
        on_exit: Function | None = None,
        *,
        parameters: Mapping[str, Value] | None = None,
        memory: Mapping[str, Number] | None = None,
        events: Mapping[str, str] | None = None,
    ) -> None:
        """Have these functions and values; see `CrowdAction`."""
        owner = type(self).__name__
        script = Script(
            checked_functions(owner, on_enter, on_update, on_exit),
            checked_values(owner, "parameter", parameters, (float, int, bool, str)),
            checked_values(owner, "memory", memory, (float, int, bool)),
            checked_values(owner, "event", events, (str,)),
        )
        check_distinct(owner, script.given, script.memory, script.events)
        Scripted.__init__(self, script)

    @property
    def functions(self) -> Mapping[str, Function]:
        """The function for each phase that has one."""
        return self.script.functions

    @property
    def given(self) -> Mapping[str, Value]:
        """Its parameters."""
        return self.script.given

    @property
    def events(self) -> Mapping[str, str]:
        """The events that go by a name."""
        return self.script.events

    @property
    def finishes(self) -> Literal["never"]:
        """Never by itself."""
        return "never"

    @property
    def sends(self) -> Sequence[str]:
        """The events that its functions may return."""
        from fsmkit.crowd.compiler.reading import events_of  # here: it reads the source

        return events_of(self)

    def on_enter(self) -> None:
        """Call the function for that."""
        self._call("on_enter")

    def on_update(self) -> None:
        """Call the function for that."""
        self._call("on_update")

    def on_exit(self) -> None:
        """Call the function for that."""
        self._call("on_exit")

    def freed(self) -> Self:
        """The same action for another machine; it remembers nothing."""
        other = copy(self)
        other.state = other.fsm = None  # type: ignore[assignment]  # as before it is added to one
        other.memory = {}
        return other

    def _call(self, phase: str) -> None:
        function = self.functions.get(phase)
        if function is not None:
            event = self.context.call(function, self)
            if event is not None:
                self.fsm.send_event(event)


@define(eq=False, repr=False, slots=False)
class CrowdAction(Behaviour):
    """Up to three functions `(agent, world)` that read and write fields, and may return an event.

    A function with three parameters gets `own` as well, the action's own values:

    - `parameters`: name -> a number, or the name of a field of the agent (`"speed"`), or of the
      world (`"world.speed"`). One that is a field of the agent may be written, too.
    - `memory`: name -> what it begins with; each agent has a value of its own.
    - `events`: name -> event, for `return own.finish_event`.

    An event that is returned is sent at once, as any event; `FINISHED` too. The action itself never
    finishes. Raises CrowdError for what is no such function or value.
    """

    _on_enter: Function | None = field(default=None, alias="on_enter")
    _on_update: Function | None = field(default=None, alias="on_update")
    _on_exit: Function | None = field(default=None, alias="on_exit")
    parameters: Mapping[str, Value] | None = field(default=None, kw_only=True)
    _memory: Mapping[str, Number] | None = field(default=None, kw_only=True, alias="memory")
    _events: Mapping[str, str] | None = field(default=None, kw_only=True, alias="events")

    def __attrs_post_init__(self) -> None:
        self.behave(
            self._on_enter,
            self._on_update,
            self._on_exit,
            parameters=self.parameters,
            memory=self._memory,
            events=self._events,
        )
