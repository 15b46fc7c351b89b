"""NextChange: lets the machines run until one of them changes state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fsmkit import Fsm, FsmState
from fsmkit.inspector.loop.stops.halt import Halt, Reason
from fsmkit.inspector.loop.stops.observation import Observation


class NextChange:
    """Observes machines, and those nested in them, until the first change of state.

    A stop is a change as well. The change before which the loop is held at first does not count.
    """

    def __init__(self) -> None:
        self.awaited: str | None = None
        """What is awaited: the name of the machine, empty for any; None if nothing is."""
        self._observation = Observation(self)
        self._skipped: Fsm[Any] | None = None
        self._sources: dict[Fsm[Any], str] = {}
        """The state that a machine has just exited."""
        self._found: tuple[Fsm[Any], str, str] | None = None

    def begin(self, name: str, machines: Iterable[Fsm[Any]], held: Halt | None) -> None:
        """Wait for the next change of one of `machines`, called `name`."""
        self.cancel()
        self.awaited = name
        if held is not None and held.target is not None and not held.is_begun:
            self._skipped = held.machine
        self._observation.keep_to(machines)

    def follow(self, machines: Iterable[Fsm[Any]]) -> None:
        """Observe the machines that are there now."""
        self._observation.keep_to(machines)

    def cancel(self) -> None:
        """Wait no more."""
        self.awaited = self._skipped = self._found = None
        self._sources.clear()
        self._observation.keep_to(())

    def forget(self, machine: Fsm[Any]) -> None:
        """Forget a machine that has left."""
        self._observation.drop(machine)
        self._sources.pop(machine, None)

    def take(self, names: dict[Fsm[Any], str]) -> Reason | None:
        """Return the change that has happened, and wait no more; None if there was none."""
        for machine, source in self._sources.items():
            if machine.current_state is None:
                self._found = self._found or (machine, source, "stopped")
        self._sources.clear()
        if self._found is None:
            return None
        machine, source, target = self._found
        self.cancel()
        text = f"{source} → {target}" if source else f"start in {target}"
        return Reason("change", names.get(machine, machine.name), "the next change", text)

    @property
    def has_come(self) -> bool:
        """True once there was a change, until it is taken."""
        return self._found is not None

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note where a change comes from."""
        self._sources[fsm] = state.name

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note where a change comes from."""
        self._sources[fsm] = state.name

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], _event: str | None) -> None:
        """Note the first change."""
        source = self._sources.pop(fsm, "")
        if fsm is self._skipped:
            self._skipped = None
        elif self._found is None:
            self._found = fsm, source, state.name

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note the first change."""
        self.state_entered(fsm, state, None)
