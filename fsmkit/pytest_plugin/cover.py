"""Cover: which states and transitions of which machines were taken, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from attrs import define, field

from fsmkit import Fsm
from fsmkit.pytest_plugin.outline import ANY_STATE, Outline, outline_of

Arrow: TypeAlias = tuple[str, str, str | None]
"""A transition: the names of its source, its event and its target, which is None for `BACK`.

Transitions that differ in nothing but their guards are one arrow.
"""


@define
class MachineCover:
    """What was taken of the machines that one line of a program makes."""

    place: str
    """The file and the line, such as `guard.py:14`."""
    names: dict[str, None] = field(factory=dict)
    """The names of these machines, each once."""
    outline: Outline = field(factory=dict)
    """The one of these machines with the most transitions."""
    states: Counter[str] = field(factory=Counter)
    """State -> how often it was entered or resumed."""
    declared: dict[Arrow, None] = field(factory=dict)
    """The transitions, each once."""
    taken: Counter[Arrow] = field(factory=Counter)
    """Transition -> how often it was taken; a global one by the states that it led away from."""

    @property
    def title(self) -> str:
        """The names of the machines."""
        first = ", ".join([*self.names][:3])
        return first if len(self.names) <= 3 else f"{first} and {len(self.names) - 3} more"

    @property
    def arrows(self) -> dict[Arrow, int]:
        """Transition -> how often it was taken. One of a state is preferred to a global one."""
        counts = dict.fromkeys(self.declared, 0)
        for arrow, count in self.taken.items():
            counts[self._declared(*arrow)] += count
        return counts

    @property
    def missed_states(self) -> list[str]:
        """The states that were never entered."""
        return [state for state, count in self.states.items() if not count]

    @property
    def missed_arrows(self) -> list[Arrow]:
        """The transitions that were never taken."""
        return [arrow for arrow, count in self.arrows.items() if not count]

    def read(self, machine: Fsm[Any]) -> None:
        """Add the states and transitions of `machine`, not taken so far."""
        self._add_outline(outline_of(machine))
        self.names[machine.name] = None

    def take(self, source: str, event: str, target: str | None) -> None:
        """Count a transition that is known."""
        self.taken[source, event, target] += 1

    def knows(self, source: str, event: str, target: str | None) -> bool:
        """Return True if there is such a transition, perhaps a global one."""
        return self._declared(source, event, target) in self.declared

    def _declared(self, source: str, event: str, target: str | None) -> Arrow:
        own = (source, event, target)
        return own if own in self.declared else (ANY_STATE, event, target)

    def add(self, other: MachineCover) -> None:
        """Add what was taken elsewhere."""
        self._add_outline(other.outline)
        self.declared |= other.declared
        self.names |= other.names
        self.states.update(other.states)
        self.taken.update(other.taken)

    def _add_outline(self, outline: Outline) -> None:
        transitions = outline["transitions"]
        if len(transitions) >= len(self.outline.get("transitions", ())):
            self.outline = outline
        for state, _ in outline["states"]:
            self.states.setdefault(state, 0)
        for source, event, target, *_ in transitions:
            self.declared[source, event, target] = None


@define
class Cover:
    """What was taken of all machines, by their places."""

    machines: dict[str, MachineCover] = field(factory=dict)

    @property
    def arrows(self) -> int:
        """The number of transitions."""
        return sum(len(each.arrows) for each in self.machines.values())

    @property
    def taken(self) -> int:
        """The number of transitions that were taken."""
        return self.arrows - sum(len(each.missed_arrows) for each in self.machines.values())

    @property
    def percent(self) -> float:
        """The transitions that were taken, of a hundred; 100 if there are none at all."""
        return 100.0 * self.taken / self.arrows if self.arrows else 100.0

    def __iter__(self) -> Iterator[MachineCover]:
        """Iterate over the machines by their places."""
        yield from sorted(self.machines.values(), key=lambda each: _order(each.place))

    def of(self, place: str) -> MachineCover:
        """Return the cover of the machines that are made at `place`."""
        return self.machines.setdefault(place, MachineCover(place))

    def of_those(self, texts: Sequence[str]) -> Cover:
        """Return the cover of the machines with one of the texts in a name or in their place."""
        found = {
            place: machine
            for place, machine in self.machines.items()
            if not texts or any(text in part for text in texts for part in (place, *machine.names))
        }
        return Cover(found)

    def add(self, other: Cover) -> None:
        """Add what was taken elsewhere, such as in another process."""
        for machine in other.machines.values():
            self.of(machine.place).add(machine)

    def to_plain(self) -> list[dict[str, Any]]:
        """Return the cover as plain data, for another process."""
        return [
            {
                "place": each.place,
                "names": [*each.names],
                "outline": each.outline,
                "states": dict(each.states),
                "declared": [*each.declared],
                "taken": dict(each.taken),
            }
            for each in self.machines.values()
        ]

    @classmethod
    def from_plain(cls, machines: Iterable[dict[str, Any]]) -> Cover:
        """Return the cover that `to_plain` returned the data of."""
        cover = cls()
        for each in machines:
            cover.machines[each["place"]] = MachineCover(
                each["place"],
                dict.fromkeys(each["names"]),
                each["outline"],
                Counter(each["states"]),
                dict.fromkeys(each["declared"]),
                Counter(each["taken"]),
            )
        return cover


def _order(place: str) -> tuple[str, int]:
    file, _, line = place.rpartition(":")
    return file, int(line) if line.isdigit() else 0
