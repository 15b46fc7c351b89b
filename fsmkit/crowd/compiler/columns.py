"""What names mean in compiled code: the columns of a crowd, and the bindings of its actions.

A `CrowdPlan` is everything a process needs to run a crowd: plain data, without user functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from unicodedata import normalize

from attrs import define, field, frozen

from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.records import Record

RESERVED_NAMES: Final = frozenset(
    {
        "state", "entered_at", "ids", "notes", "trails", "where", "moved", "event", "now", "seed",
        "step", "call", "entered", "changes", "to", "s", "i", "math", "np", "update", "change",
        "compile", "njit", "left", "sweep", "swift", "count", "types", "intrinsic",
        "births", "born_parent", "born_start", "time_in_state",
        "update_counting", "change_counting", "had_loops", "is_done", "changed", "true_bit",
        "words", "word", "some_left", "arguments",
    }
)  # fmt: skip
"""Names that compiled code uses itself."""

MAX_TRAIL: Final = 40

GUARD: Final = "a guard"
"""Stands for the state and action of a binding for guards."""


@frozen
class Operand:
    """A value that compiled code reads or writes: the cell of a column, or a number."""

    text: str
    """`npc_x[i]` or `world_player`."""
    kind: str
    """float, int or bool."""
    is_writable: bool = False
    is_float32: bool = False
    """True if it is stored with 32 bits; arithmetic is 64-bit nevertheless."""
    is_table: bool = False
    """True for a table of such values, read by row and column."""
    title: str = ""
    """Its name, if `text` is neither a name nor a cell of a column."""
    is_given: bool = False
    """True for a value that is not a field: no function can write it."""

    @property
    def name(self) -> str:
        return self.title or self.text.removesuffix("[i]")


SEED: Final = Operand("seed", "int")
STEP: Final = Operand("step", "int")
ID: Final = Operand("ids[i]", "int", is_given=True)
TIME: Final = Operand("now", "float", is_given=True)
TIME_IN_STATE: Final = Operand(
    "(now - entered_at[i])", "float", title="time_in_state", is_given=True
)


@define(eq=False)
class CrowdColumns:
    record: Record
    world: Record
    is_float32: bool = False
    """True if floats are stored with 32 bits."""
    kinds: dict[str, type] = field(factory=dict, init=False)
    """The name of the column in compiled code -> its kind."""
    defaults: dict[str, float | int | bool] = field(factory=dict, init=False)
    parameters: dict[str, float | int | bool] = field(factory=dict, init=False)
    """Arguments of the loops -> the numbers that actions were given as parameters."""
    dimensions: dict[str, int] = field(factory=dict, init=False)
    """Name of a table of the world -> the number of dimensions with which functions read it."""
    _fields: dict[str, str] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        owner = identifier(self.record.name).lower()
        for name, kind in self.record.kinds.items():
            self._fields[name] = self._add(f"{owner}_{name}", kind, self.record.defaults[name])

    def field(self, name: str) -> str:
        return self._fields[name]

    def born(self, name: str) -> str:
        """Return the array into which that field of new agents is noted."""
        return f"born_{self._fields[name]}"

    def world_variable(self, name: str) -> str:
        return f"world_{name}"

    def memory(self, state: str, index: int, action: Behaviour) -> dict[str, str]:
        """Add the columns of an action's memory; return them by name."""
        owner = _owner(state, index)
        return {
            name: self._add(f"{owner}_{name}", type(initial), initial)
            for name, initial in action.definition.memory.items()
        }

    def constants(self, state: str, index: int, action: Behaviour) -> dict[str, str]:
        """Add arguments for the numbers that an action was given; return them by name."""
        arguments: dict[str, str] = {}
        for name, value in action.definition.parameters.items():
            if not isinstance(value, str):
                argument = self._unused(f"own_{_owner(state, index)}_{name}")
                self.parameters[argument] = value
                arguments[name] = argument
        return arguments

    def is_taken(self, name: str) -> bool:
        world = {self.world_variable(each) for each in ("dt", *self.world.fields)}
        taken = (RESERVED_NAMES, world, self.kinds, self.parameters)
        is_of_births = name.removeprefix("born_") in self.kinds or f"born_{name}" in self.kinds
        return is_of_births or any(name in names for names in taken)

    def operand(self, column: str) -> Operand:
        kind = self.kinds[column]
        return Operand(f"{column}[i]", kind.__name__, True, self.is_float32 and kind is float)

    def _add(self, column: str, kind: type, default: float | int | bool) -> str:
        column = self._unused(column)
        self.kinds[column] = kind
        self.defaults[column] = default
        return column

    def _unused(self, name: str) -> str:
        while self.is_taken(name):
            name += "_"
        return name


@frozen(eq=False)
class Binding:
    columns: CrowdColumns
    action: Behaviour
    memory: Mapping[str, str]
    """Name of a remembered value -> its column."""
    constants: Mapping[str, str]
    """Name of a number that it was given -> the argument of the loops."""
    where: str
    """The state and the action, for messages; `GUARD` for guards."""

    @property
    def is_guard(self) -> bool:
        return self.where == GUARD

    def agent(self, name: str) -> Operand | None:
        """Return a field of the agent, or a value that all agents have; a field comes first."""
        if name not in self.columns.record.kinds:
            return {"id": ID, "time_in_state": TIME_IN_STATE}.get(name)
        return self.columns.operand(self.columns.field(name))

    def world(self, name: str) -> Operand | None:
        world, variable = self.columns.world, self.columns.world_variable(name)
        if name in world.tables:
            return Operand(variable, world.tables[name].__name__, is_table=True)
        kind = float if name == "dt" else world.kinds.get(name)
        if kind is None and name == "time":
            return TIME
        return None if kind is None else Operand(variable, kind.__name__)

    def own(self, name: str) -> Operand | None:
        """Return one of the action's own values; None for an unknown name.

        Raises CrowdError if it was given an unknown field.
        """
        if name in self.memory:
            return self.columns.operand(self.memory[name])
        parameters = self.action.definition.parameters
        if name not in parameters:
            return None
        value = parameters[name]
        if not isinstance(value, str):
            return Operand(self.constants[name], type(value).__name__)
        of_world = value.removeprefix("world.")
        place = self.agent(value) if of_world == value else self.world(of_world)
        if place is None:
            fields = ", ".join(
                [*self.columns.record.kinds, *(f"world.{w}" for w in self.columns.world.fields)]
            )
            raise CrowdError(
                f"{self.where}: there is no field {value!r}, for {name}. Known fields: {fields}."
            )
        return place


@frozen(eq=False)
class CrowdPlan:
    """A machine that is ready to run over columns. It can be pickled."""

    name: str
    states: tuple[str, ...]
    events: tuple[str, ...]
    max_transitions: int
    columns: CrowdColumns
    parameters: Mapping[str, float | int | bool]
    """Arguments of the loops, the same for all agents -> the numbers that actions were given."""
    text: str = ""
    """The loops as the text of a module; empty for a crowd that calls the functions directly."""
    places: tuple[str, ...] = ()
    """The places that may raise, by their numbers in the text: function, file and line."""
    retiring: tuple[int, ...] = ()
    """The numbers of the states in which agents are removed."""
    most_births: int = 0
    """The most agents that one can spawn in a step; 0 if no function spawns any."""

    @property
    def trail_length(self) -> int:
        """The number of last states that are noted for an agent whose changes do not end."""
        return min(MAX_TRAIL, self.max_transitions)

    def state_name(self, number: int) -> str | None:
        """Return the name of a state; None for the number of an agent that is not running."""
        return self.states[number] if number >= 0 else None


def _owner(state: str, index: int) -> str:
    return f"{identifier(state).lower()}_{index}"


def identifier(name: str) -> str:
    """Return `name` as a Python identifier, normalised as Python does it.

    >>> identifier("go home"), identifier("2 km²"), identifier("Ｈｉ")
    ('go_home', '_2_km2', 'Hi')
    """
    plain = normalize("NFKC", name)
    text = "".join(each if f"_{each}".isidentifier() else "_" for each in plain)
    return text if text.isidentifier() else f"_{text}"
