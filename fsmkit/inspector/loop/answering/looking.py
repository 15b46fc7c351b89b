"""Looking: the requests that change nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection

from attrs import field, frozen

from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.loop.subscribers import Subscribers
from fsmkit.inspector.reading.chart import Extent, machines_of
from fsmkit.inspector.reading.colours import StateColours
from fsmkit.inspector.reading.ways import prospect
from fsmkit.recording import snapshot
from fsmkit.tooling.nesting import members


@frozen
class Looking:
    """Shows machines: as they are, as they were, and what an event would do."""

    inspected: Inspected
    subscribers: Subscribers
    is_held: Callable[[], bool]
    """Says if a machine is held at a breakpoint."""
    _colours: StateColours = field(factory=StateColours, init=False)

    def select(self, machine: str, page: Mailbox) -> None:
        """Send this machine in full to that page."""
        if self.is_held() and not self.subscribers.is_watched(machine):
            raise RequestError("The machine is at a breakpoint: resume before selecting others.")
        self.subscribers.watched(machine)
        page.select(machine)

    def ask(self, machine: str, event: str) -> Answer:
        """Answer what an event would do now."""
        return {"why": prospect(self.inspected.machine(machine), event)}

    def colours(self) -> Answer:
        """Answer with the number of the colour of each state."""
        for machine in members(self.inspected.machines):
            if self._colours.add(machine.states):
                for inner in machines_of(machine):
                    self._colours.add(inner.states)
        return {"colours": dict(self._colours.numbers)}

    def follow_all(self, on: bool, page: Mailbox) -> None:
        """Report what all machines do to that page, or stop."""
        page.follow_all(on)

    def follow_sends(self, on: bool, page: Mailbox) -> None:
        """Report what machines send each other to that page, or stop."""
        page.follow_sends(on)
        self.subscribers.note_wishes()

    def moment(self, machine: str, time: float) -> Answer:
        """Answer with the machine as it was then."""
        moment = self.subscribers.watched(machine).moment(time)
        if moment is None:
            raise RequestError(f"What {machine!r} did at {time:.2f} s is not known.")
        return {"moment": moment}

    def graph(self, machine: str, around: Collection[str] = (), radius: int = 0) -> Answer:
        """Answer with the graph to draw; only the server asks for it."""
        return {"graph": self.subscribers.watched(machine).drawing(Extent(around, radius))}

    def snapshot(self, machine: str | None) -> Answer:
        """Answer with a snapshot of one machine or of all; only the server asks for it."""
        target = self.inspected.machines if machine is None else self.inspected.machine(machine)
        return {"snapshot": snapshot(target)}
