"""CrowdAction: what agents do, as plain functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, Final, TypeAlias

from fsmkit import FsmAction
from fsmkit.crowd.errors import CrowdError

Function: TypeAlias = Callable[..., Any]
Value: TypeAlias = float | int | bool | str

PHASES: Final = ("on_enter", "on_update", "on_exit")


class CrowdAction(FsmAction[Any]):
    """Up to three functions `(agent, world)` that read and write fields, and may return an event.

    A function with three parameters gets `own` as well, the action's own values:

    - `parameters`: name -> a number, or the name of a field of the agent (`"speed"`), or of the
      world (`"world.speed"`). One that is a field of the agent may be written, too.
    - `memory`: name -> what it begins with; each agent has a value of its own.
    - `events`: name -> event, for `return own.finish_event`.

    An event that is returned is sent at once, as any event; `FINISHED` too. The action itself never
    finishes. Raises CrowdError for what is no such function or value.
    """

    def __init__(
        self,
        on_enter: Function | None = None,
        on_update: Function | None = None,
        on_exit: Function | None = None,
        *,
        parameters: Mapping[str, Value] | None = None,
        memory: Mapping[str, float | int | bool] | None = None,
        events: Mapping[str, str] | None = None,
    ) -> None:
        self.functions: dict[str, Function] = {
            phase: _checked(function, phase)
            for phase, function in zip(PHASES, (on_enter, on_update, on_exit), strict=True)
            if function is not None
        }
        self.parameters = dict(parameters or {})
        self.memory = dict(memory or {})
        self.events = dict(events or {})
        self._check_values()

    @property
    def finishes(self) -> Any:
        """Never by itself."""
        return "never"

    @property
    def sends(self) -> Sequence[str]:
        """The events that its functions may return."""
        from fsmkit.crowd.reading import events_of  # here: it needs the source

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

    def copy(self) -> CrowdAction:
        """The same action for another machine."""
        copy = CrowdAction(parameters=self.parameters, memory=self.memory, events=self.events)
        copy.functions = self.functions
        return copy

    def title(self) -> str:
        """A name for readers: that of its functions."""
        return "/".join(name_of(function) for function in self.functions.values()) or "nothing"

    def _call(self, phase: str) -> None:
        function = self.functions.get(phase)
        if function is not None:
            event = self.context.call(function, self)
            if event is not None:
                self.fsm.send_event(event)

    def _check_values(self) -> None:
        for kind, given, allowed in (
            ("parameter", self.parameters, (float, int, bool, str)),
            ("memory", self.memory, (float, int, bool)),
            ("event", self.events, (str,)),
        ):
            for name, value in given.items():
                if type(value) not in allowed:
                    raise CrowdError(
                        f"CrowdAction ({self.title()}): the {kind} {name!r} is {value!r}. It is "
                        f"{' or '.join(each.__name__ for each in allowed)}."
                    )

    def __repr__(self) -> str:
        values = {**self.parameters, **self.events}
        shown = [self.title(), *(f"{name}={value!r}" for name, value in values.items())]
        return f"{type(self).__name__}({', '.join(shown)})"


def name_of(function: Function) -> str:
    """What a function is called."""
    return str(getattr(function, "__name__", repr(function)))


def _checked(function: Any, phase: str) -> Function:
    if not callable(function) or not hasattr(function, "__code__"):
        raise CrowdError(
            f"CrowdAction: {phase} is a plain function (agent, world), not {function!r}."
        )
    given = signature(function).parameters.values()
    positional = all(each.kind is Parameter.POSITIONAL_OR_KEYWORD for each in given)
    if not positional or len(given) not in (2, 3):
        raise CrowdError(
            f"CrowdAction: {phase} is {name_of(function)}{signature(function)}. It takes two "
            "parameters, (agent, world), or three, (agent, world, own)."
        )
    return function  # type: ignore[no-any-return]
