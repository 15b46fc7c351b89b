"""Binding: what the names in a function of an action stand for in compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from unicodedata import normalize

from attrs import define, field, frozen

from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.compiler.arithmetic import literal
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.records import Record

OF_THE_LOOP: Final = frozenset(
    {
        "state", "entered_at", "ids", "notes", "trails", "where", "moved", "event", "now", "seed",
        "step", "call", "entered", "changes", "to", "s", "i", "math", "np", "update", "change",
        "compile", "njit", "left", "sweep", "swift", "count", "types", "intrinsic",
    }
)  # fmt: skip
"""Names that compiled code has for its own."""


@frozen
class Place:
    """Where a value is in compiled code: a column or a number."""

    text: str
    """`npc_x[i]` or `world_player`."""
    kind: str
    """float, int or bool."""
    is_writable: bool = False
    is_narrow: bool = False
    """Whether it is kept with 32 bits. Numbers are reckoned with 64 all the same."""
    is_constant: bool = False

    @property
    def name(self) -> str:
        """What the column or number is called."""
        return self.text.removesuffix("[i]")


@define(eq=False)
class Columns:
    """The columns of a crowd: those of the agents' fields, and those of what actions remember."""

    record: Record
    world: Record
    is_narrow: bool = False
    """Whether floats are kept with 32 bits."""
    kinds: dict[str, type] = field(factory=dict, init=False)
    """The name of the column in compiled code -> its kind."""
    defaults: dict[str, float | int | bool] = field(factory=dict, init=False)
    _fields: dict[str, str] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        owner = identifier(self.record.name).lower()
        for name, kind in self.record.kinds.items():
            self._fields[name] = self._add(f"{owner}_{name}", kind, self.record.defaults[name])

    def field(self, name: str) -> str:
        """The column of a field of the agents."""
        return self._fields[name]

    def shared(self, name: str) -> str:
        """The number of a field of the world."""
        return f"world_{name}"

    def memory(self, state: str, index: int, action: Behaviour) -> dict[str, str]:
        """The columns of what an action remembers, by name; they are added."""
        owner = f"{identifier(state).lower()}_{index}"
        return {
            name: self._add(f"{owner}_{name}", type(beginning), beginning)
            for name, beginning in action.script.memory.items()
        }

    def is_taken(self, name: str) -> bool:
        """Whether compiled code has something else of that name."""
        shared = {self.shared(each) for each in ("dt", *self.world.kinds)}
        return name in OF_THE_LOOP or name in shared or name in self.kinds

    def place(self, column: str) -> Place:
        """The cell of an agent."""
        kind = self.kinds[column]
        return Place(f"{column}[i]", kind.__name__, True, self.is_narrow and kind is float)

    def _add(self, column: str, kind: type, default: float | int | bool) -> str:
        while self.is_taken(column):
            column += "_"
        self.kinds[column] = kind
        self.defaults[column] = default
        return column


@frozen(eq=False)
class Binding:
    """What an action in a state of a crowd reads and writes."""

    columns: Columns
    action: Behaviour
    memory: Mapping[str, str]
    """What the action remembers -> its column."""
    where: str
    """For messages."""

    def agent(self, name: str) -> Place | None:
        """A field of the agent."""
        if name not in self.columns.record.kinds:
            return None
        return self.columns.place(self.columns.field(name))

    def world(self, name: str) -> Place | None:
        """A field of the world."""
        kind = float if name == "dt" else self.columns.world.kinds.get(name)
        return None if kind is None else Place(self.columns.shared(name), kind.__name__)

    def own(self, name: str) -> Place | None:
        """A value of the action's own. Raises CrowdError if it is bound to no field."""
        if name in self.memory:
            return self.columns.place(self.memory[name])
        if name not in self.action.given:
            return None
        value = self.action.given[name]
        if not isinstance(value, str):
            return Place(literal(value), type(value).__name__, is_constant=True)
        shared = value.removeprefix("world.")
        place = self.agent(value) if shared == value else self.world(shared)
        if place is None:
            fields = ", ".join(
                [*self.columns.record.kinds, *(f"world.{w}" for w in self.columns.world.kinds)]
            )
            raise CrowdError(
                f"{self.where}: there is no field {value!r}, for {name}. There are: {fields}."
            )
        return place


def identifier(name: str) -> str:
    """`name` as a name in Python, in the form that Python takes for the same as others.

    >>> identifier("go home"), identifier("2 km²"), identifier("Ｈｉ")
    ('go_home', '_2_km2', 'Hi')
    """
    plain = normalize("NFKC", name)
    text = "".join(each if f"_{each}".isidentifier() else "_" for each in plain)
    return text if text.isidentifier() else f"_{text}"
