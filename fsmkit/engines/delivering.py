"""How the adapters hand an engine's events to machines."""

from __future__ import annotations

from typing import Any

from fsmkit import Fsm, FsmGroup


def offer(machines: Fsm[Any] | FsmGroup, event: str, data: object = None) -> None:
    """Offer `event` to a machine, or to every machine of a group.

    One that does not know the event is at no fault, since keys and collisions are wired for all.
    """
    for machine in (machines,) if isinstance(machines, Fsm) else machines:
        machine.offer_event(event, data)
