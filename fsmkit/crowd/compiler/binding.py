"""Binding: the meaning of the names in an action's function, in compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from unicodedata import normalize

from attrs import define, field, frozen

from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.compiler.arithmetic import literal
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.records import Record

RESERVED_NAMES: Final = frozenset(
    {
        "state", "entered_at", "ids", "notes", "trails", "where", "moved", "event", "now", "seed",
        "step", "call", "entered", "changes", "to", "s", "i", "math", "np", "update", "change",
        "compile", "njit", "left", "sweep", "swift", "count", "types", "intrinsic",
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
    is_constant: bool = False
    is_table: bool = False
    """True for a table of such values, which are read by row and column."""

    @property
    def name(self) -> str:
        """The name of the column or number."""
        return self.text.removesuffix("[i]")


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
    _fields: dict[str, str] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        owner = identifier(self.record.name).lower()
        for name, kind in self.record.kinds.items():
            self._fields[name] = self._add(f"{owner}_{name}", kind, self.record.defaults[name])

    def field(self, name: str) -> str:
        """Return the column of a field of the agents."""
        return self._fields[name]

    def world_variable(self, name: str) -> str:
        """Return the variable of a field of the world."""
        return f"world_{name}"

    def memory(self, state: str, index: int, action: Behaviour) -> dict[str, str]:
        """Add the columns of an action's memory; return them by name."""
        owner = f"{identifier(state).lower()}_{index}"
        return {
            name: self._add(f"{owner}_{name}", type(initial), initial)
            for name, initial in action.definition.memory.items()
        }

    def is_taken(self, name: str) -> bool:
        """Return True if compiled code uses that name already."""
        world = {self.world_variable(each) for each in ("dt", *self.world.fields)}
        return name in RESERVED_NAMES or name in world or name in self.kinds

    def place(self, column: str) -> Place:
        """Return the place of an agent's cell."""
        kind = self.kinds[column]
        return Place(f"{column}[i]", kind.__name__, True, self.is_float32 and kind is float)

    def _add(self, column: str, kind: type, default: float | int | bool) -> str:
        while self.is_taken(column):
            column += "_"
        self.kinds[column] = kind
        self.defaults[column] = default
        return column


@frozen(eq=False)
class Binding:
    """The values that an action in a state of a crowd reads and writes."""

    columns: Columns
    action: Behaviour
    memory: Mapping[str, str]
    """Name of a remembered value -> its column."""
    where: str
    """The state and the action, for messages."""

    def agent(self, name: str) -> Place | None:
        """Return a field of the agent."""
        if name not in self.columns.record.kinds:
            return None
        return self.columns.place(self.columns.field(name))

    def world(self, name: str) -> Place | None:
        """Return a field of the world."""
        world, variable = self.columns.world, self.columns.world_variable(name)
        if name in world.tables:
            return Place(variable, world.tables[name].__name__, is_table=True)
        kind = float if name == "dt" else world.kinds.get(name)
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
            return Place(literal(value), type(value).__name__, is_constant=True)
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


def identifier(name: str) -> str:
    """Return `name` as a Python identifier, normalised as Python does it.

    >>> identifier("go home"), identifier("2 km²"), identifier("Ｈｉ")
    ('go_home', '_2_km2', 'Hi')
    """
    plain = normalize("NFKC", name)
    text = "".join(each if f"_{each}".isidentifier() else "_" for each in plain)
    return text if text.isidentifier() else f"_{text}"
