"""The requests of pages that show a crowd."""

from __future__ import annotations

from typing import Any, NoReturn

from attrs import frozen

from fsmkit.crowd import CrowdError
from fsmkit.inspector.crowd.comparison import Comparison
from fsmkit.inspector.crowd.inspected_crowd import InspectedCrowd
from fsmkit.inspector.loop.answering.driving import Driving
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.reading.colours import StateColours
from fsmkit.inspector.reading.ways import prospect


@frozen
class CrowdLooking:
    """Singles out agents, and says what an event would do."""

    inspected: InspectedCrowd

    def agent(self, index: int) -> Answer:
        """Single out the agent of that index, and answer with its name."""
        size = len(self.inspected.crowd)
        if not 0 <= index < size:
            known = f"they go from 0 to {size - 1}" if size else "the crowd is empty"
            raise RequestError(f"There is no agent {index}: {known}.")
        return self._singled_out(index)

    def find_agent(self, field: str, operator: str, value: object) -> Answer:
        """Single out the first agent of which this is true, past those that are already."""
        mask = Comparison(field, operator, value).mask(self.inspected.crowd)
        (found,) = mask.nonzero()
        if not len(found):
            raise RequestError(f"There is no agent with {field} {operator} {value}.")
        fresh = next((i for i in found if not self.inspected.is_singled_out(int(i))), found[0])
        return {**self._singled_out(int(fresh)), "count": len(found)}

    def _singled_out(self, index: int) -> Answer:
        name = self.inspected.single_out(index)
        return {"machine": name, "state": self.inspected.agent(name).state}

    def let_go(self, machine: str) -> None:
        """Show an agent no longer."""
        self.inspected.let_go(machine)

    def colours(self) -> Answer:
        """Answer with the number of the colour of each state."""
        colours = StateColours()
        colours.add(self.inspected.crowd.layout.machine.states)
        return {"colours": colours.numbers}

    def ask(self, machine: str, event: str) -> Answer:
        """Answer what an event would do now."""
        crowd = self.inspected.crowd
        if machine != self.inspected.first:
            index = self.inspected.agent(machine).index
            return {"why": prospect(crowd.fsm(index), event) if index is not None else ""}
        if event in crowd.layout.machine.global_transitions:
            return {"why": f"Every running agent may take {event!r}, whatever its state."}
        counts, states = crowd.count(), crowd.layout.machine.states.values()
        taking = [state.name for state in states if event in state.transitions]
        if not taking:
            return {"why": f"Nothing: no state knows {event!r}."}
        number = sum(counts[name] for name in taking)
        return {"why": f"Up to {number:,} agents take {event!r}: those in {', '.join(taking)}."}


class CrowdStopping:
    """Refuses what would wait for ever: nothing is told of the changes of agents."""

    def set_breakpoint(self, **_wanted: object) -> NoReturn:
        """Raise RequestError."""
        self._refuse()

    def run_to_change(self, **_wanted: object) -> NoReturn:
        """Raise RequestError."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise RequestError(
            "The agents of a crowd run in compiled code, which nothing stops at a change. Take one "
            "out with crowd.fsm(index), and inspect that machine."
        )


@frozen
class CrowdDriving(Driving):
    """Pauses and speeds up the crowd, sends events and forces states: of one agent or of all."""

    rows: InspectedCrowd

    def send(self, machine: str, event: str, data: object = None) -> Answer:
        """Send an event, and answer how many have changed their state."""
        if data is not None:
            raise RequestError("The events of a crowd carry no data. Leave the field empty.")
        moved = self._carry_out(lambda crowd, where: crowd.send_event(event, where), machine)
        if machine != self.rows.first:
            return {"outcome": "It has changed its state." if moved else "It did nothing."}
        self.rows.whole.note_event(event, moved)
        size = len(self.rows.crowd)
        return {"outcome": f"{moved:,} of {size:,} agents have changed their state."}

    def force(self, machine: str, state: str) -> None:
        """Start one agent or all in a state."""
        if state not in self.rows.crowd.layout.machine.states:
            raise RequestError(f"{machine!r} has no state {state!r}.")
        self._carry_out(lambda crowd, where: crowd.start(state, where), machine)

    def _carry_out(self, call: Any, machine: str) -> Any:
        where = None
        if machine != self.rows.first:
            where = [self.rows.agent(machine).index]
        try:
            return call(self.rows.crowd, where)
        except CrowdError as error:
            raise RequestError(str(error)) from None
        finally:
            self.rows.after_update()
