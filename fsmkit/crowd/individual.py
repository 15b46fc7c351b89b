"""Individual: one agent by itself, as the context of an ordinary machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmState, UnknownStateError
from fsmkit.crowd import randomness
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import EMPTY, Record, fitted, fitted_tables, record_of
from fsmkit.crowd.spawning import Birth, start_name
from fsmkit.crowd.views import (
    GIVEN,
    OwnView,
    WorldView,
    ask_function,
    call_function,
    cannot_be_written,
)


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
    """The agents that it has spawned in this step: by itself it has no crowd to add them to."""
    _record: Record = field(init=False, repr=False)
    _world_record: Record = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        world = type(self.world)
        self._record = record_of(type(self.agent), "The agents of a crowd")
        self._world_record = (
            EMPTY if self.world is None else record_of(world, "The world", may_have_tables=True)
        )

    def call(self, function: Callable[..., Any], action: Behaviour) -> str | None:
        """Call a function of an action; return its event."""
        agent, world = self._views(action.fsm)
        own = OwnView(action, agent, world, IndividualMemory(self, action))
        return call_function(function, agent, world, own)

    def ask(self, function: Callable[..., Any], fsm: Fsm[Any]) -> bool:
        """Call the function of a guard; return whether it agrees."""
        return ask_function(function, *self._views(fsm, is_asked=True))

    def read(self, name: str) -> Any:
        """Return a field of the agent. Raises AttributeError if there is none."""
        return self.as_stored(self._kind(name), getattr(self.agent, name), name)

    def write(self, name: str, value: Any) -> None:
        """Write a field. Raises AttributeError, and TypeError or OverflowError as a column does."""
        # Not through the class: a crowd does not run its validators.
        object.__setattr__(self.agent, name, self.fitting(name, value))

    def fitting(self, name: str, value: Any) -> Any:
        """Return a value as the field `name` stores it. Raises what `write` does."""
        return self.as_stored(self._kind(name), value, name)

    def has_field(self, name: str) -> bool:
        """Return True if the agent has a field of that name."""
        return name in self._record.kinds

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
        """Count a call from outside, which has random numbers of its own."""
        self.step += 1
        self.draws = 0
        self.births = []

    def saved(self) -> dict[str, Any]:
        """Return, as JSON values, the data to save beside a snapshot of the machine."""
        return {
            "agent": {name: self.read(name) for name in self._record.kinds},
            "number": self.number,
            "seed": self.seed,
            "step": self.step,
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore data that `saved` has returned.

        Raises CrowdError, and changes nothing, if the agent has other fields.
        """
        fields: Mapping[str, Any] = data["agent"]
        if fields.keys() != self._record.kinds.keys():
            raise CrowdError(
                f"{self._record.name} has the fields {', '.join(self._record.kinds)}; the saved "
                f"ones are {', '.join(fields) or 'none'}."
            )
        values = {name: self.as_stored(self._kind(name), fields[name], name) for name in fields}
        for name, value in values.items():
            object.__setattr__(self.agent, name, value)
        self.number, self.seed, self.step = data["number"], data["seed"], data["step"]

    def _views(self, fsm: Fsm[Any], *, is_asked: bool = False) -> tuple[AgentView, WorldView]:
        """Return the agent and the world as functions see them; `is_asked` for a guard."""
        world = WorldView(self._world_values(fsm.delta_time), fsm.time)
        return AgentView(self, fsm, is_asked=is_asked), world

    def _kind(self, name: str) -> type:
        if name not in self._record.kinds:
            known = ", ".join(self._record.kinds)
            raise AttributeError(f"{self._record.name} has no field {name!r}. Its fields: {known}.")
        return self._record.kinds[name]

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
    """The machine of an Individual. Each call from outside is a step, as with a crowd."""

    __slots__ = ()

    def start(self, state: FsmState[Any] | str | None = None) -> None:
        """See `Fsm`."""
        self._count()
        super().start(state)

    def send_event(self, event: str, data: object = None) -> bool:
        """See `Fsm`."""
        self._count()
        return super().send_event(event, data)

    def update(self, dt: float) -> None:
        """See `Fsm`."""
        self._count()
        super().update(dt)

    def _count(self) -> None:
        if self.phase is None:
            self.context.begin_step()


class AgentView:
    """The `agent` that a function gets."""

    __slots__ = ("_fsm", "_is_asked", "_of")

    def __init__(self, of: Individual, fsm: Fsm[Any], *, is_asked: bool) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_fsm", fsm)
        object.__setattr__(self, "_is_asked", is_asked)

    def __getattr__(self, name: str) -> Any:
        of: Individual = self._of
        if name in GIVEN and not of.has_field(name):
            return of.number if name == "id" else self._fsm.time_in_state
        return of.read(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in GIVEN and not self._of.has_field(name):
            raise AttributeError(cannot_be_written(f"agent.{name}"))
        self._of.write(name, value)

    def note_birth(self, start: FsmState[Any] | str | None, fields: Mapping[str, Any]) -> None:
        """Note a new agent; see `spawn`."""
        name = start_name(start)
        if self._is_asked:
            raise CrowdError("spawn() must be called in a function of an action: it needs a step.")
        if name is not None and name not in self._fsm.states:
            known = ", ".join(map(repr, self._fsm.states))
            raise UnknownStateError(f"There is no state {name!r}. The states are: {known}.")
        self._of.births.append(Birth(name, {n: self._of.fitting(n, fields[n]) for n in fields}))

    def next_random_number(self) -> float:
        """Return the next one of this step."""
        of = self._of
        number = randomness.draw(of.seed, of.number, of.step, of.draws)
        of.draws += 1
        return number


@define
class IndividualMemory:
    """The remembered values of an action in such a machine."""

    of: Individual
    action: Behaviour

    def read(self, name: str) -> Any:
        """Return the value."""
        initial = self.action.definition.memory[name]
        value = self.action.memory.get(name, initial)
        return self.of.as_stored(type(initial), value, name)

    def write(self, name: str, value: Any) -> None:
        """Remember another one. Raises TypeError or OverflowError as a column does."""
        kind = type(self.action.definition.memory[name])
        self.action.memory[name] = self.of.as_stored(kind, value, name)
