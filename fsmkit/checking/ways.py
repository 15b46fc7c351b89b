"""Ways: the transitions that an event may take, in the order in which they are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

from fsmkit import Fsm, FsmState, Transition

Table: TypeAlias = Mapping[str, Sequence[Transition[Any]]]
"""What `transitions` and `global_transitions` are."""


class Ways:
    """The transitions of a machine, read once, as it makes the tables anew for everyone who asks.

    >>> fsm = Fsm("Door")
    >>> closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    >>> _ = closed.add_transition("PUSHED", opened), fsm.add_global_transition("LOCKED", closed)
    >>> ways = Ways(fsm)
    >>> ways.knows(closed, "PUSHED"), ways.knows(opened, "PUSHED"), ways.knows(opened, "LOCKED")
    (True, False, True)
    """

    def __init__(self, machine: Fsm[Any]) -> None:
        self.states = tuple(machine.states.values())
        self._own: dict[FsmState[Any], Table] = {s: s.transitions for s in self.states}
        self.shared: Table = machine.global_transitions
        """The global ones."""

    def own(self, state: FsmState[Any]) -> Table:
        """Return the transitions of `state`."""
        return self._own[state]

    def by_event(self) -> Iterator[tuple[FsmState[Any] | None, Sequence[Transition[Any]]]]:
        """Yield the transitions for one event, each with their state; without one, global ones."""
        for state, table in self._own.items():
            yield from ((state, ways) for ways in table.values())
        yield from ((None, ways) for ways in self.shared.values())

    def knows(self, state: FsmState[Any], event: str) -> bool:
        """Return True if the state or the machine has a transition for `event`."""
        return event in self._own[state] or event in self.shared

    def of(self, state: FsmState[Any], event: str) -> list[Transition[Any]]:
        """Return the transitions that `event` may take from `state`.

        The global ones come after those of the state. One of them that leads to `state` does
        nothing.
        """
        own = self._own[state].get(event, ())
        if is_always_taken(own):
            return list(own)
        return [*own, *(way for way in self.shared.get(event, ()) if way.target is not state)]

    def leaving(self, state: FsmState[Any]) -> Iterator[Transition[Any]]:
        """Yield the transitions that may lead from `state` to something else, of all events."""
        ways = chain(all_ways(self._own[state]), all_ways(self.shared))
        return (way for way in ways if way.target is not state)

    def certain_targets(self, state: FsmState[Any], event: str) -> list[FsmState[Any]]:
        """Return the states of which `event` leads to one for certain; none if it may not."""
        ways = self.of(state, event)
        targets = [way.target for way in ways if isinstance(way.target, FsmState)]
        return targets if is_always_taken(ways) and len(targets) == len(ways) else []

    def always_takes(self, state: FsmState[Any], event: str) -> bool:
        """Return True if no global transition for `event` is ever asked in `state`."""
        return is_always_taken(self._own[state].get(event, ()))

    def asked_in(self, way: Transition[Any]) -> int:
        """Return in how many states a global transition may be asked and lead somewhere else."""
        target = way.target
        others = len(self.states) - isinstance(target, FsmState)
        taking = self._always_taking[way.event]
        return others - taking + (target in self._own and self.always_takes(target, way.event))

    @cached_property
    def sources(self) -> Mapping[FsmState[Any], Sequence[FsmState[Any]]]:
        """Target -> the other states that have a transition of their own to it, in order."""
        sources: dict[FsmState[Any], dict[FsmState[Any], None]] = {}
        for state, table in self._own.items():
            for target in targets_in(table):
                if target is not state:
                    sources.setdefault(target, {})[state] = None
        return {target: tuple(states) for target, states in sources.items()}

    @cached_property
    def interrupted(self) -> Mapping[FsmState[Any], Sequence[FsmState[Any]]]:
        """State -> the states that a transition suspends for it, in order."""
        shared = [way.target for way in all_ways(self.shared) if way.suspend]
        found: dict[FsmState[Any], dict[FsmState[Any], None]] = {}
        for state, table in self._own.items():
            own = [way.target for way in all_ways(table) if way.suspend]
            for target in (*own, *shared):
                if isinstance(target, FsmState) and target is not state:
                    found.setdefault(target, {})[state] = None
        return {target: tuple(states) for target, states in found.items()}

    @cached_property
    def _always_taking(self) -> Counter[str]:
        """Event -> in how many states no global transition for it is ever asked."""
        tables = self._own.values()
        return Counter(
            event for table in tables for event, ways in table.items() if is_always_taken(ways)
        )


def all_ways(table: Table) -> Iterator[Transition[Any]]:
    """Yield the transitions of a state, or the global ones, of all events."""
    return chain.from_iterable(table.values())


def targets_in(table: Table) -> list[FsmState[Any]]:
    """Return the states that the transitions of a table lead to. `BACK` leads to no new one."""
    return [way.target for way in all_ways(table) if isinstance(way.target, FsmState)]


def is_always_taken(ways: Sequence[Transition[Any]]) -> bool:
    """Return True if one of the transitions is taken, whatever the guards say."""
    return bool(ways) and ways[-1].when is None


def name_of(way: Transition[Any]) -> str:
    """Return the name of the target for a message: that of a state in quotes."""
    return repr(way.target.name) if isinstance(way.target, FsmState) else way.target.name
