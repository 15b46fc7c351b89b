"""InspectedMachines: the machines by name, with their states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.loop.all_machines import AllMachines
from fsmkit.inspector.loop.inspected import Watched
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.tooling.nesting import MachineNames, members

LONGEST_SHOWN: Final = 200
"""Letters of a machine's name on the page; of a longer one its beginning and its end."""


class InspectedMachines:
    """Tracks which machines are there, and which have changed state since the last frame.

    `known` observes each of them while it is there; `forget` is called with each that leaves.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        forget: Callable[[Fsm[Any]], object],
        known: AllMachines,
    ) -> None:
        self.machines = machines
        self.naming = MachineNames(longest=LONGEST_SHOWN)
        self._known = known
        self._forget = forget
        self._present: tuple[Fsm[Any], ...] = ()
        self._by_name: dict[str, Fsm[Any]] = {}
        self._jumped: dict[Fsm[Any], None] = {}
        self.update()

    @property
    def first(self) -> str | None:
        """The name of the first machine, usually the only one; None if there is none."""
        return next(iter(self._by_name), None)

    @property
    def states(self) -> list[tuple[str, str | None]]:
        """The name and the state of every machine. May be read from any thread."""
        return [(name, _state(machine)) for name, machine in tuple(self._by_name.items())]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name or name in self.naming.names.values()

    def machine(self, name: str) -> Fsm[Any]:
        """Return the machine of that name, nested ones included. Raises RequestError."""
        if name in self._by_name:
            return self._by_name[name]
        for machine, other in self.naming.names.items():
            if other == name:
                return machine
        raise RequestError(f"{name!r} is not (or no longer) an inspected machine.")

    def is_there(self, name: str, watched: Watched) -> bool:
        """Return True if `watched` is still the machine of that name."""
        return self.naming.names.get(watched.machine) == name

    def update(self) -> tuple[list[tuple[str, str | None]], list[str]]:
        """Return the machines that have joined, with their states, and those that have left."""
        present = members(self.machines)
        if present == self._present:
            return [], []
        before, staying = set(self._present), set(present)
        left = [self._remove(machine) for machine in self._present if machine not in staying]
        self._present = present
        joined = [self._add(machine) for machine in present if machine not in before]
        return joined, left

    def mark_all_changed(self) -> None:
        """Mark all machines as changed: any of them may be in another state."""
        self._jumped.update(dict.fromkeys(self._present))

    def changed_states(self) -> dict[str, str | None]:
        """Return the states of the machines that have changed since the last call."""
        jumped, self._jumped = self._jumped, {}
        jumped.update(dict.fromkeys(self._known.take_changed()))
        names = self.naming.names
        return {names[each]: _state(each) for each in jumped if each in self._known}

    def close(self) -> None:
        """Stop watching."""
        self._known.close()

    def _add(self, machine: Fsm[Any]) -> tuple[str, str | None]:
        nested = [found for found in self.naming.add([machine]) if found[1] is not machine]
        name = self.naming.names[machine]
        self._by_name[name] = machine
        self._known.add(machine, name)
        for inner_name, inner, _ in nested:
            self._known.add_nested(inner, inner_name, machine)
        return name, _state(machine)

    def _remove(self, machine: Fsm[Any]) -> str:
        name = self.naming.names[machine]
        del self._by_name[name]
        for each in self.naming.remove(machine):
            self._known.remove(each)
            self._forget(each)
        return name


def _state(machine: Fsm[Any]) -> str | None:
    state = machine.current_state
    return state.name if state is not None else None
