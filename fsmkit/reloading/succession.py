"""Succession: which new machine comes after which old one, and how it takes its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.recording.snapshots.fields import parameters_of
from fsmkit.reloading.pairing import Pairing
from fsmkit.reloading.plan import Plan
from fsmkit.reloading.steps import Steps, raised
from fsmkit.reloading.things import TakenOver, Things
from fsmkit.reloading.values import Values
from fsmkit.tooling.nesting import members

MachinesT = TypeVar("MachinesT", bound="Fsm[Any] | FsmGroup")


class Succession:
    """The machines that are there, and those that a build function has returned for them.

    Those of groups are paired by name, namesakes by order. `things` are those of the old machines.
    Raises TypeError unless `built` holds machines, FsmError for a group in the place of one.
    """

    def __init__(self, machines: Fsm[Any] | FsmGroup, built: Any, things: Things) -> None:
        self.is_of_group = isinstance(machines, FsmGroup)
        """True if the group stays the same and gets other machines."""
        self._machines = machines
        self._built = built
        if isinstance(machines, Fsm) and not isinstance(built, Fsm):
            raise FsmError(f"It must return an Fsm as before, got {built!r}.")
        before, self.new = members(machines), members(built)
        if isinstance(machines, Fsm):
            self.pairs = [(machines, built)]
        else:
            titles = dict(_titled(self.new))
            self.pairs = [(old, titles[t]) for t, old in _titled(before) if t in titles]
        paired = {machine for pair in self.pairs for machine in pair}
        self._gone = [machine for machine in before if machine not in paired]
        self._added = [machine for machine in self.new if machine not in paired]
        self._was_running = any(machine.is_running for machine in before)
        starts = " and starts" if self._was_running else ""
        self._pairing = Pairing(self.pairs)
        self._steps = self._plan(things)
        self.notes = [
            *(f"{machine.name} no longer exists: it is stopped." for machine in self._gone),
            *(f"{machine.name} is new{starts}." for machine in self._added),
            *dict.fromkeys(self._steps.notes),
        ]

    @property
    def summary(self) -> str:
        """Where the machines go on, in a sentence."""
        if len(self.pairs) > 1:
            return f"{len(self.pairs)} machines go on."
        for old, _ in self.pairs:
            if old.current_state is None:
                return f"{old.name} is built anew; it is not running."
            state = self._pairing.new(old.current_state)
            if state is not None:
                return f"{old.name} goes on in {state.name!r}, at {old.time_in_state:.2f} s."
            return f"{old.name} is built anew."
        return "The group has other machines now."

    def prepare(self) -> None:
        """Bring the new machines to where the old ones are; what that raises is raised.

        Then the old machines can go on, as if there were no new ones.
        """
        self._steps.carry_out()

    def complete(self) -> Iterator[Exception]:
        """End what does not go on and begin what begins anew; yield what is raised meanwhile."""
        machines, built = self._machines, self._built
        if isinstance(machines, FsmGroup):
            for machine in machines:
                machines.remove(machine)
            for machine in self.new:
                if isinstance(built, FsmGroup):
                    built.remove(machine)
                machines.add(machine)
        for machine in self._gone:
            yield from raised(machine.stop)
        yield from self._steps.drop_old()
        for machine in self._added if self._was_running else ():
            if not machine.is_running:
                yield from raised(machine.start)

    def _plan(self, things: Things) -> Steps:
        pairing, taken = self._pairing, TakenOver(things)
        for old, new in self.pairs:
            taken.pair(old.context, new.context)
        for action, successor in pairing.actions:
            given = parameters_of(successor)
            for name, value in parameters_of(action).items():
                taken.pair(value, given.get(name))
        values = Values([old for old, _ in self.pairs], pairing, taken)
        steps = Steps(taken)
        plan = Plan(pairing, values, things, steps)
        for old, new in self.pairs:
            plan.add(old, new)
        return steps


def _titled(machines: Iterable[Fsm[Any]]) -> Iterator[tuple[tuple[str, int], Fsm[Any]]]:
    """Yield each machine with its name and its number among its namesakes."""
    counts: dict[str, int] = {}
    for machine in machines:
        counts[machine.name] = counts.get(machine.name, 0) + 1
        yield (machine.name, counts[machine.name]), machine
