"""Individual: one agent by itself, as the context of an ordinary machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmState
from fsmkit.crowd import randomness
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import EMPTY, Record, fitted, record_of
from fsmkit.crowd.views import OwnView, WorldView, event_of


@define(eq=False)
class Individual:
    """An agent that is a machine by itself: the context of `Crowd.fsm`.

    Its values are kept as columns keep them, so that it comes to the same numbers as in a crowd.
    What its actions remember is in those (`action.memory`).
    """

    agent: Any
    """An instance of the agents' class."""
    world: Any
    """An instance of the world's class."""
    number: int = 0
    """What its random numbers go by."""
    seed: int = 0
    step: int = 0
    """How many calls there were, for the random numbers; the machine counts them."""
    is_narrow: bool = field(default=False, repr=False)
    """Whether floats are kept with 32 bits."""
    draws: int = field(default=0, repr=False)
    """How many random numbers were drawn in this step."""
    _record: Record = field(init=False, repr=False)
    _shared: Record = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        world = type(self.world)
        self._record = record_of(type(self.agent), "The agents of a crowd")
        self._shared = EMPTY if self.world is None else record_of(world, "The world")

    def call(self, function: Callable[..., Any], action: Behaviour) -> str | None:
        """Call a function of an action; the event that it returns."""
        agent, world = AgentView(self), WorldView(self._values_of_the_world(action.delta_time))
        own = OwnView(action, agent, world, Remembered(self, action))
        return event_of(function, agent, world, own)

    def read(self, name: str) -> Any:
        """A field of the agent. Raises AttributeError if there is none."""
        return self.kept(self._kind(name), getattr(self.agent, name), name)

    def write(self, name: str, value: Any) -> None:
        """Write a field. Raises AttributeError, and TypeError or OverflowError as a column does."""
        # Past the class, whose validators no crowd knows.
        object.__setattr__(self.agent, name, self.kept(self._kind(name), value, name))

    def kept(self, kind: type, value: Any, name: str) -> Any:
        """A value as a column of that kind keeps it; `name` is for messages."""
        try:
            plain = fitted(kind, value, repr(name))
        except TypeError as error:
            raise TypeError(f"{error} Write {kind.__name__}(...).") from None
        return np.float32(plain).item() if self.is_narrow and kind is float else plain

    def begin_step(self) -> None:
        """Count a call from outside: it has random numbers of its own."""
        self.step += 1
        self.draws = 0

    def saved(self) -> dict[str, Any]:
        """What is to be kept beside a snapshot of the machine, as JSON has it."""
        return {
            "agent": {name: self.read(name) for name in self._record.kinds},
            "number": self.number,
            "seed": self.seed,
            "step": self.step,
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Be as one was that `data` was `saved` of.

        Raises CrowdError, and changes nothing, for an agent with other fields.
        """
        fields: Mapping[str, Any] = data["agent"]
        if fields.keys() != self._record.kinds.keys():
            raise CrowdError(
                f"{self._record.name} has the fields {', '.join(self._record.kinds)}; those that "
                f"were saved are {', '.join(fields) or 'none'}."
            )
        values = {name: self.kept(self._kind(name), fields[name], name) for name in fields}
        for name, value in values.items():
            object.__setattr__(self.agent, name, value)
        self.number, self.seed, self.step = data["number"], data["seed"], data["step"]

    def _kind(self, name: str) -> type:
        if name not in self._record.kinds:
            known = ", ".join(self._record.kinds)
            raise AttributeError(f"{self._record.name} has no field {name!r}. There are: {known}.")
        return self._record.kinds[name]

    def _values_of_the_world(self, dt: float) -> dict[str, Any]:
        return {
            "dt": dt,
            **{
                name: fitted(kind, getattr(self.world, name), f"world.{name}")
                for name, kind in self._shared.kinds.items()
                if name != "dt"
            },
        }


class IndividualFsm(Fsm[Any]):
    """The machine of an Individual. What calls it from outside is a step, as with a crowd."""

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
    """What a function gets as `agent`."""

    __slots__ = ("_of",)

    def __init__(self, of: Individual) -> None:
        object.__setattr__(self, "_of", of)

    def __getattr__(self, name: str) -> Any:
        return self._of.read(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._of.write(name, value)

    def next_random_number(self) -> float:
        """The next one of this step."""
        of = self._of
        number = randomness.draw(of.seed, of.number, of.step, of.draws)
        of.draws += 1
        return number


@define
class Remembered:
    """What an action of such a machine remembers."""

    of: Individual
    action: Behaviour

    def read(self, name: str) -> Any:
        """The value."""
        beginning = self.action.script.memory[name]
        value = self.action.memory.get(name, beginning)
        return self.of.kept(type(beginning), value, name)

    def write(self, name: str, value: Any) -> None:
        """Remember another one. Raises TypeError or OverflowError as a column does."""
        kind = type(self.action.script.memory[name])
        self.action.memory[name] = self.of.kept(kind, value, name)
