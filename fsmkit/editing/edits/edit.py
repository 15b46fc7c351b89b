"""Edit: what somebody asks for: one change of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, Final, Protocol

from attrs import fields, has

from fsmkit.core.checks import arguments
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


def check_edit(edit: Any) -> None:
    """Raise TypeError for something that is no edit, or a text or number that is none."""
    if not (has(type(edit)) and hasattr(edit, "patches")):
        raise TypeError(f"edit must be one of fsmkit.editing, got {arguments.shown(edit)}.")
    for each in fields(type(edit)):
        value = getattr(edit, each.name)
        kinds = KINDS.get(str(each.type), (object,))
        if not isinstance(value, kinds) or (isinstance(value, bool) and int in kinds):
            what = f"{type(edit).__name__}: {each.name}"
            raise TypeError(f"{what} must be {each.type}, got {arguments.shown(value)}.")


KINDS: Final[dict[str, tuple[type, ...]]] = {
    "str": (str,), "str | None": (str, NoneType), "int": (int,), "int | str": (int, str),
    "bool": (bool,), "int | None": (int, NoneType),
}  # fmt: skip
"""The types of fields that are checked, as they are annotated."""


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
