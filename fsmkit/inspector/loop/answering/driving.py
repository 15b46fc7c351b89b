"""Driving: the requests that let time pass, or not, and act on machines in the game's place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.loop.clock import FASTEST, SLOWEST, Clock
from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.reading.ways import prospect, refusal


@frozen
class Driving:
    """Pauses, steps and speeds up the machines, sends events and forces states."""

    inspected: Inspected
    clock: Clock
    is_held: Callable[[], bool]
    """Says if a machine is held at a breakpoint."""
    release: Callable[[], None]
    """Lets that machine go on."""
    await_nothing: Callable[[], None]
    """Ends the run to the next change."""

    def pause(self) -> None:
        """Hold back all updates."""
        self.clock.pause(by_page=True)
        self.await_nothing()

    def resume(self) -> None:
        """Let updates pass again, and the machine that is held go on."""
        self.clock.resume()
        self.release()

    def step(self) -> None:
        """Let one update pass, or the machine that is held go on, and pause."""
        self.await_nothing()
        if self.is_held():
            self.clock.pause(by_page=True)
            self.release()
        else:
            self.clock.step()

    def speed(self, factor: float) -> None:
        """Run that many times as fast as the game."""
        if not SLOWEST <= factor <= FASTEST:
            raise RequestError(f"The speed must be from {SLOWEST} to {FASTEST:g}, got {factor:g}.")
        self.clock.speed = factor

    def send(self, machine: str, event: str, data: object = None) -> Answer:
        """Send an event, and answer what became of it."""
        target = self.inspected.machine(machine)
        if not event:
            raise RequestError("The name of the event must not be empty.")
        reason = prospect(target, event)
        outcomes = _Outcomes(target, event)
        undo = target.observe(outcomes)
        try:
            target.offer_event(event, data)
        finally:
            undo()
        if outcomes.seen[:1] == ["refused"]:
            reason = refusal(target, event)
        return {"outcome": reason}

    def force(self, machine: str, state: str) -> None:
        """Start a machine in a state."""
        target = self.inspected.machine(machine)
        if state not in target.states:
            raise RequestError(f"{machine!r} has no state {state!r}.")
        target.start(state)


class _Outcomes:
    """Observes what becomes of an event."""

    def __init__(self, machine: Fsm[Any], event: str) -> None:
        self._sent = machine, event
        self.seen: list[str] = []

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        """Note the outcome."""
        if (fsm, event) == self._sent:
            self.seen.append(outcome)
