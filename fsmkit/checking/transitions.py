"""The transitions that an event may take, in the order in which they are asked.

Also the graph that they form: which states reach each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from fsmkit import BACK, Fsm, FsmState, StateGroup, Transition
from fsmkit.core.words.quoting import quote
from fsmkit.introspection import walk

NodeT = TypeVar("NodeT")

TransitionSource: TypeAlias = "FsmState[Any] | StateGroup[Any] | None"
"""The state or the group that transitions lead from; None for global ones, from any state."""


class Transitions:
    """The transitions of a machine, read once, as it builds its tables for each access.

    >>> fsm = Fsm("Door")
    >>> closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    >>> _ = closed.add_transition("PUSHED", opened), fsm.add_global_transition("LOCKED", closed)
    >>> transitions = Transitions(fsm)
    >>> [transitions.knows(opened, event) for event in ("PUSHED", "LOCKED")]
    [False, True]
    """

    def __init__(self, machine: Fsm[Any]) -> None:
        self.states = walk.states(machine)
        self._tables: dict[TransitionSource, walk.TransitionTable] = {
            **{state: walk.table(state) for state in self.states},
            **{group: walk.table(group) for group in walk.groups(machine)},
            None: walk.table(machine),
        }
        self.groups = walk.groups(machine)
        self._shared: dict[FsmState[Any], tuple[TransitionSource, ...]] = {}
        for group in self.groups:
            for state in group:
                self._shared[state] = (*self._shared.get(state, ()), group)

    def own(self, state: FsmState[Any]) -> walk.TransitionTable:
        return self._tables[state]

    def events_in(self, state: FsmState[Any]) -> list[str]:
        """Return the events that there are transitions for in a state, in the order of asking."""
        return [*dict.fromkeys((*self.local_events(state), *self._tables[None]))]

    def local_events(self, state: FsmState[Any]) -> list[str]:
        """Return the same without those that only global transitions are for."""
        sources = self._sources(state)[:-1]
        return [*dict.fromkeys(event for each in sources for event in self._tables[each])]

    def _sources(self, state: FsmState[Any]) -> tuple[TransitionSource, ...]:
        """Return what is asked from a state: itself, its groups, and None for the machine."""
        return (state, *self._shared.get(state, ()), None)

    def each(self, source: TransitionSource) -> Iterator[Transition[Any]]:
        return chain.from_iterable(self._tables[source].values())

    def every(self) -> Iterator[tuple[TransitionSource, Transition[Any]]]:
        """Yield all transitions, each after its source, the global ones last."""
        return ((source, each) for source in self._tables for each in self.each(source))

    def by_event(self) -> Iterator[tuple[TransitionSource, Sequence[Transition[Any]]]]:
        """Yield the transitions for one event after their source, the global ones last."""
        return (
            (source, asked) for source, table in self._tables.items() for asked in table.values()
        )

    def knows(self, state: FsmState[Any], event: str) -> bool:
        return any(event in self._tables[source] for source in self._sources(state))

    def of(self, state: FsmState[Any], event: str) -> list[Transition[Any]]:
        """Return the transitions that `event` may take from `state`.

        Those of its groups and the global ones come after its own. One of them that leads to
        `state` does nothing.
        """
        found: list[Transition[Any]] = []
        for source in self._sources(state):
            asked = self._tables[source].get(event, ())
            found += (each for each in asked if source is state or each.target is not state)
            if is_always_taken(asked):
                break
        return found

    def leads_away(self, state: FsmState[Any]) -> bool:
        sources = self._sources(state)
        return any(each.target is not state for source in sources for each in self.each(source))

    def leads_back(self, state: FsmState[Any]) -> bool:
        """Return True if a transition from a state may lead `BACK`, whatever the guards say."""
        return any(
            each.target is BACK and not self.always_takes(state, each.event, source)
            for source in self._sources(state)
            for each in self.each(source)
        )

    def certain_targets(self, state: FsmState[Any], event: str) -> list[FsmState[Any]]:
        """Return the states to one of which `event` certainly leads; none if it may not."""
        asked = self.of(state, event)
        targets = states_in(asked)
        return targets if is_always_taken(asked) and len(targets) == len(asked) else []

    def exits(self, state: FsmState[Any], event: str) -> bool:
        """Return True if `event` certainly exits the state; if suspended, it may be resumed."""
        is_suspended = any(each.suspend for each in self.of(state, event))
        return bool(self.certain_targets(state, event)) and not is_suspended

    def always_takes(
        self, state: FsmState[Any], event: str, before: TransitionSource = None
    ) -> bool:
        """Return True if no transition of `before` for `event` is ever asked in `state`.

        By default no global one: the state's own or those of its groups always take it.
        """
        sources = self._sources(state)
        earlier = sources[: sources.index(before)]
        return any(is_always_taken(self._tables[each].get(event, ())) for each in earlier)

    def asked_about(self, source: TransitionSource, event: str) -> list[FsmState[Any]]:
        """Return the states in which the transitions of a source for `event` may be asked."""
        if isinstance(source, FsmState):
            return [source]
        members = self.states if source is None else source.states
        return [state for state in members if not self.always_takes(state, event, source)]

    def asked_in(self, transition: Transition[Any]) -> int:
        """Return in how many states a global transition may be asked and lead somewhere else."""
        target, event = transition.target, transition.event
        others = len(self.states) - isinstance(target, FsmState) - self._always_taking[event]
        return others + (target in self._tables and self.always_takes(target, event))

    def targets(self, source: TransitionSource) -> list[FsmState[Any]]:
        """Return the states that the transitions of a source lead to; `BACK` is no state."""
        return states_in(self.each(source))

    @cached_property
    def sources(self) -> Mapping[FsmState[Any], Sequence[FsmState[Any]]]:
        """Target -> the other states that have a transition to it, of a group too, in order."""
        return _inverted({state: self.local_targets(state) for state in self.states})

    def local_targets(self, state: FsmState[Any]) -> list[FsmState[Any]]:
        """Return the states that a state's own transitions and those of its groups lead to."""
        return [each for source in self._sources(state)[:-1] for each in self.targets(source)]

    @cached_property
    def interrupted(self) -> Mapping[FsmState[Any], Sequence[FsmState[Any]]]:
        """State -> the states that a transition suspends for it, in order."""
        suspending: dict[TransitionSource, list[FsmState[Any]]] = {
            source: states_in(each for each in self.each(source) if each.suspend)
            for source in self._tables
        }
        return _inverted({
            state: chain.from_iterable(suspending[source] for source in self._sources(state))
            for state in self.states
        })  # fmt: skip

    def suspending(self, state: FsmState[Any]) -> list[str]:
        """Return the events by which a transition may suspend the state, in order."""
        events = self.events_in(state)
        return [event for event in events if any(each.suspend for each in self.of(state, event))]

    @cached_property
    def _always_taking(self) -> Counter[str]:
        """Event -> in how many states no global transition for it is ever asked."""
        return Counter(
            event
            for state in self.states
            for event in dict.fromkeys(
                event
                for source in self._sources(state)[:-1]
                for event, asked in self._tables[source].items()
                if is_always_taken(asked)
            )
        )


def states_in(transitions: Iterable[Transition[Any]]) -> list[FsmState[Any]]:
    return [each.target for each in transitions if isinstance(each.target, FsmState)]


def is_always_taken(asked: Sequence[Transition[Any]]) -> bool:
    """Return True if one of the transitions for an event is taken, whatever the guards say."""
    return bool(asked) and asked[-1].when is None


def target_name(transition: Transition[Any]) -> str:
    target = transition.target
    return repr(target.name) if isinstance(target, FsmState) else target.name


def titled(transition: Transition[Any], source: TransitionSource) -> str:
    """Return what a message calls a transition: `global transition for 'SEEN' to 'Alarm'`."""
    kind = "transition" if source is not None else "global transition"
    group = f" of group {source.name!r}" if isinstance(source, StateGroup) else ""
    return f"{kind}{group} for {quote(transition.event)} to {target_name(transition)}"


def _inverted(
    targets: Mapping[FsmState[Any], Iterable[FsmState[Any]]],
) -> dict[FsmState[Any], tuple[FsmState[Any], ...]]:
    """Return each target with the other states that lead to it."""
    sources: dict[FsmState[Any], dict[FsmState[Any], None]] = {}
    for state, own_targets in targets.items():
        for target in own_targets:
            if target is not state:
                sources.setdefault(target, {})[state] = None
    return {target: tuple(states) for target, states in sources.items()}


def components(edges: Mapping[NodeT, Sequence[NodeT]]) -> list[list[NodeT]]:
    """Return the strongly connected components, those that lead nowhere else first.

    By Tarjan's algorithm (1972), without recursion.

    >>> components({"A": "B", "B": "C", "C": "BD", "D": ""})
    [['D'], ['C', 'B'], ['A']]
    """
    found: list[list[NodeT]] = []
    numbers: dict[NodeT, int] = {}
    lowest: dict[NodeT, int] = {}
    open_: dict[NodeT, None] = {}
    for root in edges:
        if root in numbers:
            continue
        numbers[root] = lowest[root] = len(numbers)
        open_[root] = None
        trail = [(root, iter(edges[root]))]
        while trail:
            node, following = trail[-1]
            other = next(following, None)
            if other is None:
                trail.pop()
                if trail:
                    before = trail[-1][0]
                    lowest[before] = min(lowest[before], lowest[node])
                if lowest[node] == numbers[node]:
                    found.append(_closed(open_, node))
            elif other not in numbers:
                numbers[other] = lowest[other] = len(numbers)
                open_[other] = None
                trail.append((other, iter(edges[other])))
            elif other in open_:
                lowest[node] = min(lowest[node], numbers[other])
    return found


def reached(starts: Iterable[NodeT], edges: Mapping[NodeT, Sequence[NodeT]]) -> set[NodeT]:
    """Return the nodes that can be reached from `starts`, and these.

    >>> sorted(reached("A", {"A": "B", "B": "", "C": "A"}))
    ['A', 'B']
    """
    found: set[NodeT] = set()
    waiting = list(starts)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(edges[node])
    return found


def _closed(open_: dict[NodeT, None], root: NodeT) -> list[NodeT]:
    group = []
    while True:
        node, _ = open_.popitem()
        group.append(node)
        if node == root:
            return group
