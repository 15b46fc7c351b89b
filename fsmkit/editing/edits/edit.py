"""Edit: what somebody asks for: one change of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from fsmkit.editing.definition import MachineData
from fsmkit.editing.draft import Draft, Patch


class Edit(Protocol):
    """One change of one machine."""

    @property
    def machine(self) -> str | None:
        """The name of the machine; None for the first one, or the only one."""

    def expect(self, definition: MachineData) -> None:
        """Change the definition of the machine as the edit has to. Raises LookupError."""

    def patches(self, draft: Draft) -> Iterator[Patch]:
        """Yield the ways to write it, the likeliest first. Raises RefusedEditError."""
        ...


def flat(table: dict[str, list[Any]], event: str, rank: int) -> dict[str, Any]:
    """Return a transition of a definition."""
    found: dict[str, Any] = table[event][rank]
    return found


def table_of(definition: MachineData, source: str | None) -> dict[str, list[Any]]:
    """Return the transitions of a state or a group of a definition; the global ones for None."""
    if source is None:
        table: dict[str, list[Any]] = definition["transitions"]
    else:
        kind = "groups" if source in definition["groups"] else "states"
        table = definition[kind][source]["transitions"]
    return table
