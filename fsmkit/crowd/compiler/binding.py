"""Binding: the meaning of the names in an action's function, in compiled code."""

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


@frozen
class Place:
    """The location of a value in compiled code: a column or a number."""

    text: str
    """`npc_x[i]` or `world_player`."""
    kind: str
    """float, int or bool."""
    is_writable: bool = False
    is_float32: bool = False
    """True if it is stored with 32 bits. Arithmetic is 64-bit all the same."""
    is_table: bool = False
    """True for a table of such values, which are read by row and column."""
    title: str = ""
    """Its name where `text` is more than a name, or a cell of a column."""
    is_given: bool = False
    """True for what agents and the world have without a field, and no function can write."""

    @property
    def name(self) -> str:
        """The name of the column or number."""
        return self.title or self.text.removesuffix("[i]")


SEED: Final = Place("seed", "int")
STEP: Final = Place("step", "int")
ID: Final = Place("ids[i]", "int", is_given=True)
TIME: Final = Place("now", "float", is_given=True)
TIME_IN_STATE: Final = Place("(now - entered_at[i])", "float", title="time_in_state", is_given=True)


GUARD: Final = "a guard"


@define(eq=False)
class Columns:
    """The columns of a crowd: those of the agents' fields, and those of the actions' memory."""

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
        """Return the column of a field of the agents."""
        return self._fields[name]

    def born(self, name: str) -> str:
        """Return where that field of new agents is noted."""
        return f"born_{self._fields[name]}"

    @property
    def of_fields(self) -> tuple[str, ...]:
        """The columns of the fields of the agents, without those of the actions' memory."""
        return tuple(self._fields.values())

    def world_variable(self, name: str) -> str:
        """Return the variable of a field of the world."""
        return f"world_{name}"

    def memory(self, state: str, index: int, action: Behaviour) -> dict[str, str]:
        """Add the columns of an action's memory; return them by name."""
        owner = _owner(state, index)
        return {
            name: self._add(f"{owner}_{name}", type(initial), initial)
            for name, initial in action.definition.memory.items()
        }

    def constants(self, state: str, index: int, action: Behaviour) -> dict[str, str]:
        """Add the arguments for the numbers that an action was given; return them by name."""
        arguments: dict[str, str] = {}
        for name, value in action.definition.parameters.items():
            if not isinstance(value, str):
                argument = self._unused(f"own_{_owner(state, index)}_{name}")
                self.parameters[argument] = value
                arguments[name] = argument
        return arguments

    def is_taken(self, name: str) -> bool:
        """Return True if compiled code uses that name already."""
        world = {self.world_variable(each) for each in ("dt", *self.world.fields)}
        taken = (RESERVED_NAMES, world, self.kinds, self.parameters)
        is_of_births = name.removeprefix("born_") in self.kinds or f"born_{name}" in self.kinds
        return is_of_births or any(name in names for names in taken)

    def place(self, column: str) -> Place:
        """Return the place of an agent's cell."""
        kind = self.kinds[column]
        return Place(f"{column}[i]", kind.__name__, True, self.is_float32 and kind is float)

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
    """The values that an action in a state of a crowd reads and writes."""

    columns: Columns
    action: Behaviour
    memory: Mapping[str, str]
    """Name of a remembered value -> its column."""
    constants: Mapping[str, str]
    """Name of a number that it was given -> the argument of the loops."""
    where: str
    """The state and the action, for messages; `GUARD` for guards."""

    @property
    def is_guard(self) -> bool:
        """True for guards, which only answer."""
        return self.where == GUARD

    def agent(self, name: str) -> Place | None:
        """Return a field of the agent, or what it has without one; a field comes first."""
        if name not in self.columns.record.kinds:
            return {"id": ID, "time_in_state": TIME_IN_STATE}.get(name)
        return self.columns.place(self.columns.field(name))

    def world(self, name: str) -> Place | None:
        """Return a field of the world."""
        world, variable = self.columns.world, self.columns.world_variable(name)
        if name in world.tables:
            return Place(variable, world.tables[name].__name__, is_table=True)
        kind = float if name == "dt" else world.kinds.get(name)
        if kind is None and name == "time":
            return TIME
        return None if kind is None else Place(variable, kind.__name__)

    def own(self, name: str) -> Place | None:
        """Return one of the action's own values. Raises CrowdError for an unknown field."""
        if name in self.memory:
            return self.columns.place(self.memory[name])
        parameters = self.action.definition.parameters
        if name not in parameters:
            return None
        value = parameters[name]
        if not isinstance(value, str):
            return Place(self.constants[name], type(value).__name__)
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
