"""MachineNames: many machines and those inside them, with a name for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from fsmkit import Fsm, FsmGroup

Found: TypeAlias = tuple[str, Fsm[Any], Fsm[Any]]
"""A name, the machine, and the outermost one it is inside of: itself if it is inside of none."""


class MachineNames:
    """Machines in the order in which they were found, each with a name that no other one has.

    A machine inside another has that one's name before its own; namesakes are numbered.

    >>> roster = MachineNames()
    >>> [name for name, _, _ in roster.add([Fsm("Guard"), Fsm("Guard")])]
    ['Guard', 'Guard #2']
    """

    def __init__(self) -> None:
        self.names: dict[Fsm[Any], str] = {}
        self._inside: dict[Fsm[Any], list[Fsm[Any]]] = {}
        self._taken: set[str] = set()
        self._namesakes: dict[str, int] = {}

    def add(self, machines: Iterable[Fsm[Any]]) -> Iterator[Found]:
        """Add machines and those inside them; yields those that are new."""
        for machine in machines:
            yield from self._add(machine, machine, None)

    def add_inside(self, machine: Fsm[Any]) -> Iterator[Found]:
        """Add those that have come into `machine` since it was added; yields them."""
        yield from self._add_inside(machine, machine)

    def remove(self, machine: Fsm[Any]) -> list[Fsm[Any]]:
        """Remove a machine and those inside it, which are returned; their names are free again."""
        self._taken.discard(self.names.pop(machine))
        self._namesakes.clear()  # counting begins anew, at the names that are free
        removed = [machine]
        for inner in self._inside.pop(machine, ()):
            removed += self.remove(inner)
        return removed

    def _add(
        self, machine: Fsm[Any], outermost: Fsm[Any], owner: Fsm[Any] | None
    ) -> Iterator[Found]:
        if machine in self.names:
            return
        if owner is not None:
            self._inside.setdefault(owner, []).append(machine)
        prefix = f"{self.names[owner]}/" if owner is not None else ""
        name = self.names[machine] = self._unused(prefix + machine.name)
        yield name, machine, outermost
        yield from self._add_inside(machine, outermost)

    def _add_inside(self, machine: Fsm[Any], outermost: Fsm[Any]) -> Iterator[Found]:
        for inner in inner_machines(machine):
            if inner in self._inside.get(machine, ()):
                yield from self._add_inside(inner, outermost)
            else:
                yield from self._add(inner, outermost, machine)

    def _unused(self, name: str) -> str:
        count, unused = self._namesakes.get(name, 1), name
        while unused in self._taken:
            count += 1
            unused = f"{name} #{count}"
        self._namesakes[name] = count
        self._taken.add(unused)
        return unused


def members(machines: Fsm[Any] | FsmGroup) -> tuple[Fsm[Any], ...]:
    """The machines of a group, or the one machine."""
    return (machines,) if isinstance(machines, Fsm) else tuple(machines)


def inner_machines(machine: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """The machines that the actions of `machine` run themselves."""
    for state in machine.states.values():
        for action in state.actions:
            yield from action.machines
