"""spawn: how an agent adds another one to its crowd."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from fsmkit import FsmState
from fsmkit.crowd.errors import no_agent


@frozen
class Birth:
    start: str | None
    """The name of the state in which it starts; None for the first one."""
    fields: Mapping[str, float | int | bool]
    """The fields that were given."""


def spawn(
    agent: Any, *, start: FsmState[Any] | str | None = None, **fields: float | int | bool
) -> None:
    """Add a new agent at the end of this step, in the state `start`.

    For the functions of a crowd's actions, with the `agent` that they get, as a separate
    statement. `start` is a state or its name, by default the first state. Omitted fields have the
    defaults of the class. The new agents of a step get their ids in the order of their parents'
    ids; they are started in the same step, after all others were updated.

    In plain Python it raises CrowdError for an unknown state, AttributeError for an unknown field,
    TypeError or OverflowError for a value that the field cannot hold. For compiled functions the
    crowd itself is refused, with SubsetError.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
    >>> @define
    ... class Cell:
    ...     size: float = 0.5
    >>> def grow(cell, world):
    ...     cell.size += world.dt
    ...     if cell.size >= 1.0:
    ...         cell.size /= 2
    ...         spawn(cell, size=cell.size)
    >>> machine = CrowdFsm("Cell", Cell)
    >>> _ = machine.add_state("Grow").add_action(CrowdAction(on_update=grow))
    >>> crowd = Crowd(machine, 1, start="Grow", engine="python")
    >>> crowd.update(0.25, steps=8)
    >>> crowd.ids.tolist(), crowd["size"].tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [0.5, 0.5, 0.5, ...])
    """
    try:
        note_birth = agent.note_birth
    except AttributeError:
        raise no_agent("spawn", agent) from None
    note_birth(start, fields)


def start_name(start: Any) -> str | None:
    return start.name if isinstance(start, FsmState) else start
