"""Binding: what the names in a function of an action stand for in compiled code."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import define, field, frozen

from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.records import Record


@frozen
class Place:
    """Where a value is in compiled code: a column or a number."""

    text: str
    """`npc_x[i]` or `world_player`."""
    kind: str
    """float, int or bool."""
    is_writable: bool


@define(eq=False)
class Columns:
    """The columns of a crowd: those of the agents' fields, and those of what actions remember."""

    record: Record
    world: Record
    kinds: dict[str, type] = field(factory=dict)
    """The name of the column in compiled code -> its kind."""
    defaults: dict[str, float | int | bool] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for name, kind in self.record.kinds.items():
            self.kinds[self.field(name)] = kind
            self.defaults[self.field(name)] = self.record.defaults[name]

    def field(self, name: str) -> str:
        """The column of a field of the agents."""
        return f"{identifier(self.record.name).lower()}_{name}"

    def shared(self, name: str) -> str:
        """The number of a field of the world."""
        return f"world_{name}"

    def memory(self, state: str, index: int, action: Behaviour) -> dict[str, str]:
        """The columns of what an action remembers, by name; they are added."""
        names: dict[str, str] = {}
        for name, beginning in action.memory.items():
            column = f"{identifier(state).lower()}_{index}_{name}"
            while column in self.kinds and column not in names.values():
                column += "_"
            names[name] = column
            self.kinds[column] = type(beginning)
            self.defaults[column] = beginning
        return names


@frozen(eq=False)
class Binding:
    """What an action in a state of a crowd reads and writes."""

    columns: Columns
    action: Behaviour
    memory: Mapping[str, str]

    def agent(self, name: str) -> Place | None:
        """A field of the agent."""
        kind = self.columns.record.kinds.get(name)
        if kind is None:
            return None
        return Place(f"{self.columns.field(name)}[i]", kind.__name__, True)

    def world(self, name: str) -> Place | None:
        """A field of the world."""
        if name == "dt":
            return Place("world_dt", "float", False)
        kind = self.columns.world.kinds.get(name)
        return None if kind is None else Place(self.columns.shared(name), kind.__name__, False)

    def own(self, name: str) -> Place | None:
        """A value of the action's own. Raises CrowdError if it is bound to no field."""
        if name in self.memory:
            column = self.memory[name]
            return Place(f"{column}[i]", self.columns.kinds[column].__name__, True)
        if name not in self.action.given:
            return None
        value = self.action.given[name]
        if not isinstance(value, str):
            return Place(repr(value), type(value).__name__, False)
        shared = value.removeprefix("world.")
        place = self.agent(value) if shared == value else self.world(shared)
        if place is None:
            fields = ", ".join(
                [*self.columns.record.kinds, *(f"world.{w}" for w in self.columns.world.kinds)]
            )
            raise CrowdError(
                f"{self.action!r}: there is no field {value!r}, for {name}. There are: {fields}."
            )
        return place


def identifier(name: str) -> str:
    """`name` as a name in Python."""
    text = re.sub(r"\W", "_", name)
    return text if text.isidentifier() else f"_{text}"
