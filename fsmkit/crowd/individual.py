"""Individual: one agent by itself; and the views that functions get: agent, world and `own`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from attrs import define, field

from fsmkit import Fsm, FsmState, UnknownStateError
from fsmkit.crowd import randomness
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.agent_functions import AgentFunction, name_of
from fsmkit.crowd.errors import CrowdError, use_one_wording
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import Record, fitted, fitted_tables, record_of, world_record_of
from fsmkit.crowd.spawning import Birth, start_name

GIVEN: Final = ("id", "time_in_state")
"""What an agent has without a field of that name; a field comes first."""


@define(eq=False)
class Individual:
    """An agent with a machine of its own: the context of the machine of `Crowd.fsm`.

    Its values are rounded as in columns, so that it gets the same numbers as in a crowd. The
    actions hold what they remember (`action.memory`).
    """

    agent: Any
    """An instance of the agents' class."""
    world: Any
    """An instance of the world's class."""
    number: int = 0
    """The agent's number for random numbers."""
    seed: int = 0
    step: int = 0
    """The number of calls so far, for random numbers; the machine counts them."""
    is_float32: bool = field(default=False, repr=False)
    """True if floats are stored with 32 bits."""
    draws: int = field(default=0, repr=False)
    """The number of random numbers drawn in this step."""
    births: list[Birth] = field(factory=list, repr=False)
    """The agents that it has spawned in this step: there is no crowd to add them to."""
    record: Record = field(init=False, repr=False)
    _world_record: Record = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.record = record_of(type(self.agent), "The agents of a crowd")
        world = None if self.world is None else type(self.world)
        self._world_record = world_record_of(world, "The world")

    def call(self, function: Callable[..., Any], action: Behaviour) -> str | None:
        agent, world = self._views(action.fsm)
        own = OwnView(action, agent, world, IndividualMemory(self, action))
        return call_function(function, agent, world, own)

    def ask(self, function: Callable[..., Any], fsm: Fsm[Any]) -> bool:
        return ask_function(function, *self._views(fsm, is_asked=True))

    def read(self, name: str) -> Any:
        """Return a field of the agent. Raises AttributeError for an unknown one."""
        return self.as_stored(self._kind(name), getattr(self.agent, name), name)

    def write(self, name: str, value: Any) -> None:
        """Write a field. Raises AttributeError, and TypeError or OverflowError as a column does."""
        # Not through the class: a crowd does not run its validators.
        object.__setattr__(self.agent, name, self.fitting(name, value))

    def fitting(self, name: str, value: Any) -> Any:
        """Return a value as the field `name` stores it. Raises the same errors as `write`."""
        return self.as_stored(self._kind(name), value, name)

    def as_stored(self, kind: type, value: Any, name: str) -> Any:
        """Return a value as a column of that kind stores it; `name` is for messages."""
        try:
            plain = fitted(kind, value, repr(name))
        except TypeError as error:
            raise TypeError(f"{error} Write {kind.__name__}(...).") from None
        if not self.is_float32 or kind is not float:
            return plain
        with np.errstate(over="ignore"):  # to infinity
            return np.float32(plain).item()

    def begin_step(self) -> None:
        """Count an external call, which has random numbers of its own."""
        self.step += 1
        self.draws = 0
        self.births = []

    def saved(self) -> dict[str, Any]:
        """Return, as JSON values, the data to save beside a snapshot of the machine."""
        return {
            "agent": {name: self.read(name) for name in self.record.kinds},
            "number": self.number,
            "seed": self.seed,
            "step": self.step,
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore data that `saved` has returned.

        Raises CrowdError, and changes nothing, if the agent has other fields.
        """
        fields: Mapping[str, Any] = data["agent"]
        if fields.keys() != self.record.kinds.keys():
            raise CrowdError(
                f"{self.record.name} has the fields {', '.join(self.record.kinds)}; the saved "
                f"ones are {', '.join(fields) or 'none'}."
            )
        values = {name: self.as_stored(self._kind(name), fields[name], name) for name in fields}
        for name, value in values.items():
            object.__setattr__(self.agent, name, value)
        self.number, self.seed, self.step = data["number"], data["seed"], data["step"]

    def _views(self, fsm: Fsm[Any], *, is_asked: bool = False) -> tuple[IndividualView, WorldView]:
        """Return the agent and the world as functions see them; `is_asked` for a guard."""
        world = WorldView(self._world_values(fsm.delta_time), fsm.time)
        return IndividualView(self, fsm, is_asked=is_asked), world

    def _kind(self, name: str) -> type:
        if name not in self.record.kinds:
            known = ", ".join(self.record.kinds)
            raise AttributeError(f"{self.record.name} has no field {name!r}. Its fields: {known}.")
        return self.record.kinds[name]

    def _world_values(self, dt: float) -> dict[str, Any]:
        return {
            "dt": dt,
            **{
                name: fitted(kind, getattr(self.world, name), f"world.{name}")
                for name, kind in self._world_record.kinds.items()
                if name != "dt"
            },
            **fitted_tables(self._world_record, self.world, "world."),
        }


class IndividualFsm(Fsm[Any]):
    """The machine of an Individual. Each external call is a step, as with a crowd."""

    __slots__ = ()

    def start(self, state: FsmState[Any] | str | None = None) -> None:
        self._count()
        super().start(state)

    def send_event(self, event: str, data: object = None) -> bool:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # it carries no data
        self._count()
        return super().send_event(event, data)

    def update(self, dt: float) -> None:
        self._count()
        super().update(dt)

    def _count(self) -> None:
        if self.phase is None:
            self.context.begin_step()


class AgentView:
    """One agent as functions and users see it: its attributes are its fields.

    It has `id` and `time_in_state`, too, unless a field has that name.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in GIVEN and not self._has_field(name):
            return self._given(name)
        return self._read(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in GIVEN and not self._has_field(name):
            raise AttributeError(f"agent.{name} cannot be written: the crowd maintains it.")
        self._write(name, value)

    if TYPE_CHECKING:  # else a missing one would be looked up as a field

        def _has_field(self, name: str) -> bool: ...

        def _given(self, name: str) -> Any: ...

        def _read(self, name: str) -> Any: ...

        def _write(self, name: str, value: Any) -> None: ...


class IndividualView(AgentView):
    __slots__ = ("_fsm", "_is_asked", "_of")

    def __init__(self, of: Individual, fsm: Fsm[Any], *, is_asked: bool) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_fsm", fsm)
        object.__setattr__(self, "_is_asked", is_asked)

    def _has_field(self, name: str) -> bool:
        record: Record = self._of.record
        return name in record.kinds

    def _given(self, name: str) -> Any:
        return self._of.number if name == "id" else self._fsm.time_in_state

    def _read(self, name: str) -> Any:
        return self._of.read(name)

    def _write(self, name: str, value: Any) -> None:
        self._of.write(name, value)

    def note_birth(self, start: FsmState[Any] | str | None, fields: Mapping[str, Any]) -> None:
        name = start_name(start)
        if self._is_asked:
            raise CrowdError("spawn() must be called in a function of an action: it needs a step.")
        if name is not None and name not in self._fsm.states:
            known = ", ".join(map(repr, self._fsm.states))
            raise UnknownStateError(f"There is no state {name!r}. The states are: {known}.")
        self._of.births.append(Birth(name, {n: self._of.fitting(n, fields[n]) for n in fields}))

    def next_random_number(self) -> float:
        of = self._of
        number = randomness.draw(of.seed, of.number, of.step, of.draws)
        of.draws += 1
        return number


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
            raise AttributeError("world.time cannot be written: the crowd maintains it.")
        raise AttributeError(f"world.{name} is shared by all agents: change it between updates.")


class OwnView:
    __slots__ = ("_action", "_agent", "_memory", "_world")

    def __init__(
        self, action: Behaviour, agent: Any, world: WorldView, memory: MemoryAccess
    ) -> None:
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
        return getattr(*self._bound(value)) if isinstance(value, str) else value

    def __setattr__(self, name: str, value: Any) -> None:
        definition = self._action.definition
        parameter = definition.parameters.get(name)
        if name in definition.memory:
            self._memory.write(name, value)
        elif isinstance(parameter, str):
            setattr(*self._bound(parameter), value)
        elif name in definition.parameters or name in definition.events:
            raise AttributeError(f"{self._action!r}: {name!r} is a constant.")
        else:
            raise AttributeError(_unknown(self._action, name))

    def _bound(self, field: str) -> tuple[Any, str]:
        name = field.removeprefix("world.")
        return (self._agent if name == field else self._world), name


def _unknown(action: Behaviour, name: str) -> str:
    definition = action.definition
    values = [*definition.parameters, *definition.memory, *definition.events]
    return f"{action!r} has no value {name!r}. Its values: {', '.join(values) or 'none'}."


class MemoryAccess(Protocol):
    def read(self, name: str) -> Any: ...

    def write(self, name: str, value: Any) -> None:
        """Remember a value. Raises TypeError or OverflowError for one that does not fit."""


@define
class IndividualMemory:
    of: Individual
    action: Behaviour

    def read(self, name: str) -> Any:
        initial = self.action.definition.memory[name]
        value = self.action.memory.get(name, initial)
        return self.of.as_stored(type(initial), value, name)

    def write(self, name: str, value: Any) -> None:
        kind = type(self.action.definition.memory[name])
        self.action.memory[name] = self.of.as_stored(kind, value, name)


def call_function(function: AgentFunction, *arguments: Any) -> str | None:
    """Call a function with as many of the arguments as it takes; return the event.

    Raises TypeError if it returns anything but an event, and whatever it raises.
    """
    event = _called(function, *arguments)
    if event is None or isinstance(event, str):
        return event
    raise TypeError(
        f"{name_of(function)}() must return an event, got {event!r}. Return the name of an event, "
        "a str, or None."
    )


def ask_function(function: AgentFunction, agent: Any, world: WorldView) -> bool:
    return bool(_called(function, agent, world))


def _called(function: AgentFunction, *arguments: Any) -> Any:
    try:
        return function(*arguments[: function.__code__.co_argcount])
    except ZeroDivisionError as error:
        use_one_wording(error)
        raise
