"""Cast: the machines that are inspected, by name, and the states they are in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsmkit import Fsm, FsmGroup, FsmState
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.tooling.nesting import MachineNames, members


class Cast:
    """Keeps track of who is there, and of who has changed the state since the last look.

    `forget` is called with each machine that has left.
    """

    def __init__(self, machines: Fsm[Any] | FsmGroup, forget: Callable[[Fsm[Any]], object]) -> None:
        self.machines = machines
        self.roster = MachineNames()
        self._forget = forget
        self._present: tuple[Fsm[Any], ...] = ()
        self._by_name: dict[str, Fsm[Any]] = {}
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}
        self._changed: dict[Fsm[Any], None] = {}
        self.look()

    @property
    def only(self) -> str | None:
        """The name of the first machine, which is the only one as a rule; None if there is none."""
        return next(iter(self._by_name), None)

    @property
    def states(self) -> list[tuple[str, str | None]]:
        """The name and the state of every machine. From any thread."""
        return [(name, _state(machine)) for name, machine in tuple(self._by_name.items())]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name or name in self.roster.names.values()

    def machine(self, name: str) -> Fsm[Any]:
        """The machine of that name, or the one inside another. Raises RequestError."""
        if name in self._by_name:
            return self._by_name[name]
        for machine, other in self.roster.names.items():
            if other == name:
                return machine
        raise RequestError(f"There is no machine {name!r} any more.")

    def look(self) -> tuple[list[tuple[str, str | None]], list[str]]:
        """See who has joined, with their states, and who has left."""
        present = members(self.machines)
        if present == self._present:
            return [], []
        staying = set(present)
        left = [self._remove(machine) for machine in self._present if machine not in staying]
        self._present = present
        joined = [self._add(machine) for machine in present if machine not in self._undo]
        return joined, left

    def look_again(self) -> None:
        """Any of them may be in another state."""
        self._changed.update(dict.fromkeys(self._present))

    def changed_states(self) -> dict[str, str | None]:
        """The states of those that have changed theirs since this was asked last."""
        changed, self._changed = self._changed, {}
        return {self.roster.names[each]: _state(each) for each in changed if each in self._undo}

    def close(self) -> None:
        """Watch no more."""
        for undo in self._undo.values():
            undo()
        self._undo = {}

    def state_left(self, fsm: Fsm[Any], _state: FsmState[Any]) -> None:
        """Note it."""
        self._changed[fsm] = None

    def state_entered(self, fsm: Fsm[Any], _state: FsmState[Any], _event: str | None) -> None:
        """Note it."""
        self._changed[fsm] = None

    def _add(self, machine: Fsm[Any]) -> tuple[str, str | None]:
        list(self.roster.add([machine]))
        name = self.roster.names[machine]
        self._by_name[name] = machine
        self._undo[machine] = machine.observe(self)
        return name, _state(machine)

    def _remove(self, machine: Fsm[Any]) -> str:
        name = self.roster.names[machine]
        self._undo.pop(machine)()
        del self._by_name[name]
        for each in self.roster.remove(machine):
            self._forget(each)
        return name


def _state(machine: Fsm[Any]) -> str | None:
    state = machine.current_state
    return state.name if state is not None else None
