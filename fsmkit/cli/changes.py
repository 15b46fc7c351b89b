"""Changes: the changes of state of several machines, and the time spent in each state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm, FsmState
from fsmkit.tooling.blocks import block
from fsmkit.tooling.nesting import MachineNames

START: Final = "(start)"
STOP: Final = "(stop)"
RUNNING: Final = "(running)"


@frozen
class Change:
    """A change of state, in names. `source` or `target` is empty when there is no such state."""

    step: int
    machine: str
    source: str
    event: str
    """The cause: an event (and its data), or in brackets `(start)`, `(stop)`, `(running)`."""
    target: str


class Changes:
    """An observer of several machines and of those nested in them.

    `now` returns the number of the present step, the unit of time here; `report` is called with
    every change.

    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESSED", fsm.add_state("On"))
    >>> changes = Changes(now=lambda: 0, report=lambda c: print(c.source, c.event, c.target))
    >>> changes.watch(fsm)
    >>> fsm.start("Off")
     (start) Off
    >>> fsm.send_event("PRESSED")
    Off PRESSED On
    True
    """

    def __init__(self, now: Callable[[], int], report: Callable[[Change], object]) -> None:
        self.now = now
        self.report = report
        self._machine_names = MachineNames()
        self.names = self._machine_names.names
        """Watched machine -> its unique name."""
        self.steps: dict[Fsm[Any], dict[str, int]] = {}
        """Machine -> the number of steps spent in each state, up to the last `count`."""
        self._since: dict[Fsm[Any], int] = {}
        self._exited: dict[Fsm[Any], str] = {}
        self._events: dict[Fsm[Any], str] = {}
        self._shown: dict[str, str] = {}
        """Event -> how it is reported, if not by its name."""

    def watch(self, machine: Fsm[Any]) -> None:
        """Watch `machine` and the machines nested in it, unless they are watched already."""
        for _, found, _ in self._machine_names.add([machine]):
            self.steps[found] = dict.fromkeys(found.states, 0)
            self._since[found] = self.now()
            found.observe(self)

    @block
    def showing(self, event: str, shown: str) -> Iterator[None]:
        """Report `event` as `shown` meanwhile."""
        self._shown[event] = shown
        try:
            yield
        finally:
            del self._shown[event]

    def report_running(self, machine: Fsm[Any]) -> None:
        """Report the state that `machine` was in before it was watched."""
        if machine.current_state is not None:
            self._report(machine, "", RUNNING, machine.current_state.name)

    def report_stopped(self) -> None:
        """Report machines that have exited a state since and not entered another one."""
        exited, self._exited = self._exited, {}
        for machine, state in exited.items():
            self._report(machine, state, STOP, "")

    def exchange(self, old: Iterable[Fsm[Any]], new: Iterable[Fsm[Any]]) -> None:
        """Watch other machines in the place of those that are gone; the same names go on."""
        self.count()
        spent: dict[str, dict[str, int]] = {}
        for machine in old:
            name_of = dict(self.names)
            for gone in self._machine_names.remove(machine):
                spent[name_of[gone]] = self.steps.pop(gone)
                self._exited.pop(gone, None)
        for machine in new:
            self.watch(machine)
        for machine, name in self.names.items():
            if name in spent:
                self.steps[machine] |= spent[name]

    def count(self) -> None:
        """Count the time in the present states up to now."""
        for machine in self.names:
            if machine.current_state is not None:
                self._count(machine, machine.current_state.name)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Report the change."""
        self._since[fsm] = self.now()
        self._report(fsm, self._exited.pop(fsm, ""), event or START, state.name)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Count the time spent there. The current state comes before those that are suspended."""
        self._count(fsm, state.name)
        self._exited.setdefault(fsm, state.name)

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Count the time up to here; while it is suspended, the state is not the current one."""
        self.state_exited(fsm, state)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Report the change, with the event that led back."""
        self.state_entered(fsm, state, self._events.get(fsm))

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        """Keep the event that decided the last change."""
        if outcome == "changed":
            self._events[fsm] = event

    def _report(self, machine: Fsm[Any], source: str, event: str, target: str) -> None:
        shown = self._shown.get(event, event)
        self.report(Change(self.now(), self.names[machine], source, shown, target))

    def _count(self, machine: Fsm[Any], state: str) -> None:
        spent = self.steps[machine]
        spent[state] = spent.get(state, 0) + self.now() - self._since[machine]
        self._since[machine] = self.now()
