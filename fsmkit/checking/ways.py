"""Ways: the transitions that an event may take, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from fsmkit import FsmState, Transition

Table: TypeAlias = Mapping[str, Sequence[Transition[Any]]]
"""What `transitions` and `global_transitions` are."""


def all_ways(table: Table) -> Iterator[Transition[Any]]:
    """Yield the transitions of a state, or the global ones, of all events."""
    return chain.from_iterable(table.values())


def targets_in(table: Table) -> list[FsmState[Any]]:
    """Return the states that the transitions of a table lead to. `BACK` leads to no new one."""
    return [way.target for way in all_ways(table) if isinstance(way.target, FsmState)]


def ways_of(state: FsmState[Any], event: str) -> list[Transition[Any]]:
    """Return the transitions that `event` may take from `state`.

    The global ones come after those of the state. One of them that leads to `state` does nothing.
    """
    own = state.transitions.get(event, ())
    if is_always_taken(own):
        return list(own)
    global_ones = state.fsm.global_transitions.get(event, ())
    return [*own, *(way for way in global_ones if way.target is not state)]


def is_always_taken(ways: Sequence[Transition[Any]]) -> bool:
    """Return True if one of the transitions is taken, whatever the guards say."""
    return bool(ways) and ways[-1].when is None


def certain_targets(state: FsmState[Any], event: str) -> list[FsmState[Any]]:
    """Return the states of which `event` leads to one for certain; none if it may do otherwise."""
    ways = ways_of(state, event)
    targets = [way.target for way in ways if isinstance(way.target, FsmState)]
    return targets if is_always_taken(ways) and len(targets) == len(ways) else []


def always_takes(state: FsmState[Any], event: str) -> bool:
    """Return True if no global transition for `event` is ever asked in `state`."""
    return is_always_taken(state.transitions.get(event, ()))


def name_of(way: Transition[Any]) -> str:
    """Return the name of the target for a message: that of a state in quotes."""
    return repr(way.target.name) if isinstance(way.target, FsmState) else way.target.name
