"""Roster: many machines and those inside them, with a name for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsmkit import Fsm, FsmGroup


class Roster:
    """Machines in the order in which they were found, each with a name that no other one has.

    A machine inside another has that one's name before its own; namesakes are numbered.

    >>> roster = Roster()
    >>> [name for name, _, _ in roster.add([Fsm("Guard"), Fsm("Guard")])]
    ['Guard', 'Guard #2']
    """

    def __init__(self) -> None:
        self.names: dict[Fsm[Any], str] = {}
        self._namesakes: dict[str, int] = {}

    def add(self, machines: Iterable[Fsm[Any]]) -> Iterator[tuple[str, Fsm[Any], Fsm[Any]]]:
        """Add machines and those inside them.

        Yields those that are new: the name, the machine, and the outermost one it is inside of,
        which is itself if it is inside of none.
        """
        for machine in machines:
            yield from self._add(machine, machine, "")

    def _add(
        self, machine: Fsm[Any], outermost: Fsm[Any], owner: str
    ) -> Iterator[tuple[str, Fsm[Any], Fsm[Any]]]:
        if machine in self.names:
            return
        name = self.names[machine] = self._unused(owner + machine.name)
        yield name, machine, outermost
        for inner in inner_machines(machine):
            yield from self._add(inner, outermost, f"{name}/")

    def _unused(self, name: str) -> str:
        count = self._namesakes[name] = self._namesakes.get(name, 0) + 1
        return name if count == 1 else self._unused(f"{name} #{count}")


def members(machines: Fsm[Any] | FsmGroup) -> tuple[Fsm[Any], ...]:
    """The machines of a group, or the one machine."""
    return (machines,) if isinstance(machines, Fsm) else tuple(machines)


def inner_machines(machine: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """The machines that the actions of `machine` run themselves."""
    for state in machine.states.values():
        for action in state.actions:
            yield from action.machines
