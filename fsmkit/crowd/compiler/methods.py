"""Methods: what does the work of a method that agents and the world do not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

BY_CROWD: Final = "crowd.{name}() does that between two updates."
COUNTED: Final = (
    "Count between two updates, and read the number as a field: crowd.count() for all agents, "
    "Cells(...).count(into=...) for those that are near, Places(...) for those at the same place."
)
NEARBY: Final = (
    "A function sees no other agent. Cells(...) and Places(...) write what is near into fields "
    "between two updates: read those."
)
BORN: Final = (
    "Call spawn(agent, ...) of fsmkit.crowd in a function of an action, or crowd.add() between two "
    "updates."
)
DYING: Final = (
    "Go to a state that was added with retire=True, or call crowd.remove() between two updates."
)

INSTEAD: Final[Mapping[str, str]] = {
    "send_event": "To send an event, return it.",
    "send": "To send an event, return it.",
    **dict.fromkeys(("count", "counts", "len"), COUNTED),
    **dict.fromkeys(
        ("nearest", "near", "nearby", "nearby_agents", "neighbors", "neighbours", "get_neighbors",
         "agents", "where", "mean", "sum"), NEARBY,
    ),
    **dict.fromkeys(("add", "add_agent", "spawn", "create", "clone", "copy"), BORN),
    **dict.fromkeys(
        ("remove", "remove_agent", "retire", "die", "kill", "delete", "destroy"), DYING
    ),
    **{name: BY_CROWD.format(name=name) for name in ("update", "start", "put", "save", "fsm")},
    **dict.fromkeys(
        ("random", "uniform", "normal", "gauss", "exponential", "choice", "randint"),
        "Call random(agent), uniform, normal or exponential of fsmkit.crowd.",
    ),
}  # fmt: skip
"""Name of a method -> what to write instead."""


def instead_of_method(name: str) -> str:
    """Return what to write instead of a method of that name.

    >>> instead_of_method("send_event")
    'To send an event, return it.'
    """
    return INSTEAD.get(name, "Write a function that takes the agent.")
