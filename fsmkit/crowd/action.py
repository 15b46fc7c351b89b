"""CrowdAction: what agents do, as plain functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, Final, Literal, Self, TypeAlias

from attrs import define, field

from fsmkit import FsmAction
from fsmkit.crowd.errors import CrowdError

Function: TypeAlias = Callable[..., Any]
Value: TypeAlias = float | int | bool | str
"""A number, or the name of a field: `"speed"` of the agent, `"world.speed"` of the world."""

PHASES: Final = ("on_enter", "on_update", "on_exit")


class Behaviour(FsmAction[Any]):
    """What all actions of crowds are: functions, and the values that they get as `own`.

    A subclass calls `behave` in its constructor. It never finishes by itself.
    """

    functions: Mapping[str, Function]
    """`on_enter`, `on_update`, `on_exit` -> the function for it; none for what is not there."""
    given: Mapping[str, Value]
    memory: Mapping[str, float | int | bool]
    events: Mapping[str, str]

    def behave(
        self,
        on_enter: Function | None = None,
        on_update: Function | None = None,
        on_exit: Function | None = None,
        *,
        parameters: Mapping[str, Value] | None = None,
        memory: Mapping[str, float | int | bool] | None = None,
        events: Mapping[str, str] | None = None,
    ) -> None:
        """Have these functions and values; see `CrowdAction`."""
        self.functions = {
            phase: _checked(function, phase)
            for phase, function in zip(PHASES, (on_enter, on_update, on_exit), strict=True)
            if function is not None
        }
        self.given = self._checked_values("parameter", parameters, (float, int, bool, str))
        self.memory = self._checked_values("memory", memory, (float, int, bool))
        self.events = self._checked_values("event", events, (str,))

    @property
    def finishes(self) -> Literal["never"]:
        """Never by itself."""
        return "never"

    @property
    def sends(self) -> Sequence[str]:
        """The events that its functions may return."""
        from fsmkit.crowd.reading import events_of  # here: it reads the source

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
        """The same action for another machine."""
        other = copy(self)
        other.state = other.fsm = None  # type: ignore[assignment]  # as before it is added to one
        return other

    def _call(self, phase: str) -> None:
        function = self.functions.get(phase)
        if function is not None:
            event = self.context.call(function, self)
            if event is not None:
                self.fsm.send_event(event)

    def _checked_values(
        self, kind: str, values: Mapping[str, Any] | None, allowed: tuple[type, ...]
    ) -> dict[str, Any]:
        for name, value in (values or {}).items():
            if type(value) not in allowed:
                raise CrowdError(
                    f"{type(self).__name__}: the {kind} {name!r} is {value!r}. It is "
                    f"{' or '.join(each.__name__ for each in allowed)}."
                )
        return dict(values or {})


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
    _memory: Mapping[str, float | int | bool] | None = field(
        default=None, kw_only=True, alias="memory"
    )
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


def name_of(function: Function) -> str:
    """What a function is called."""
    return str(getattr(function, "__name__", repr(function)))


def _checked(function: Any, phase: str) -> Function:
    if not isinstance(function, FunctionType):
        raise CrowdError(
            f"CrowdAction: {phase} is a plain function (agent, world), not {function!r}."
        )
    own = signature(function, follow_wrapped=False)
    given = own.parameters.values()
    positional = all(each.kind is Parameter.POSITIONAL_OR_KEYWORD for each in given)
    if not positional or len(given) not in (2, 3):
        raise CrowdError(
            f"CrowdAction: {phase} is {name_of(function)}{own}. It takes two parameters, "
            "(agent, world), or three, (agent, world, own)."
        )
    if any(each.default is not Parameter.empty for each in given):
        raise CrowdError(
            f"CrowdAction: {phase} is {name_of(function)}{own}. It takes no defaults: give values "
            "as parameters={...}, and read them as own.NAME."
        )
    return function
