"""Shares: the states of a crowd's drawing, shaded by the number of agents in them."""

from __future__ import annotations

from collections.abc import Mapping

from fsmkit import Fsm
from fsmkit.diagram.ids import any_state_id, edge_id, state_id, target_id


def shade_of(machine: Fsm[object], amounts: Mapping[str, float]) -> dict[str, float]:
    """Return the id of each state that has an amount -> the amount relative to the largest one."""
    largest = max(amounts.values(), default=0.0)
    return {
        state_id(machine.name, state): amount / largest
        for state, amount in amounts.items()
        if largest and amount
    }


def share_of(machine: Fsm[object], amounts: Mapping[str, float]) -> dict[str, float]:
    """Return the id of each state that has an amount -> its share of all, from 0 to 1."""
    total = sum(amounts.values())
    return {
        state_id(machine.name, state): amount / total for state, amount in amounts.items() if amount
    }


def edge_between(machine: Fsm[object], source: str, target: str) -> str | None:
    """Return the id of the edge that leads from one state to another; None if there is none."""
    end = state_id(machine.name, target)
    for start, ways in (
        (state_id(machine.name, source), machine.states[source].transitions),
        (any_state_id(machine.name), machine.global_transitions),
    ):
        if any(target_id(machine.name, way) == end for each in ways.values() for way in each):
            return edge_id(start, end)
    return None
