"""Delivery of an engine's events to machines, for all adapters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmGroup


def offer(machines: Fsm[Any] | FsmGroup, event: str, data: object = None) -> None:
    """Offer `event` to a machine, or to every machine of a group.

    It is not an error if a machine does not know the event: keys and collisions are for all.
    """
    for machine in (machines,) if isinstance(machines, Fsm) else machines:
        machine.offer_event(event, data)


@define
class Touching:
    """The things that a thing touches, and the events to send when that begins and ends."""

    machines: Fsm[Any] | FsmGroup
    event: str
    ended: str | None
    others: dict[int, Any] = field(factory=dict, init=False)

    def update(self, others: Iterable[Any]) -> None:
        """Send the events for what has changed, now that `others` are touched."""
        before, now = self.others, {id(other): other for other in others}
        self.others = now
        if self.ended is not None:
            self._send(self.ended, (before[key] for key in before if key not in now))
        self._send(self.event, (now[key] for key in now if key not in before))

    def _send(self, event: str, others: Iterable[Any]) -> None:
        for other in others:
            offer(self.machines, event, other)
