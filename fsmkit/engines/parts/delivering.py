"""Delivery of an engine's events to machines, for all adapters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from attrs import define, field

from fsmkit import Fsm, FsmGroup

Machines: TypeAlias = Fsm[Any] | FsmGroup
"""A machine, or a group of them."""

Hearers: TypeAlias = Machines | Callable[[Any], Machines | None]
"""Who hears of what happens to a thing: always the same, or a function from the thing to them."""


def offer(machines: Machines, event: str, data: object = None) -> None:
    """Offer `event` to a machine, or to every machine of a group.

    It is not an error if a machine does not know the event: keys and collisions are for all.
    """
    for machine in (machines,) if isinstance(machines, Fsm) else machines:
        machine.offer_event(event, data)


@define(eq=False)
class Touching:
    """The pairs of things that touch, and the events to send when that begins and ends.

    A function from a thing to its machine (`hearers`) is asked for the first of the pair, and its
    machine gets the other one as data; so does a fixed machine that hears of one thing alone. With
    `many` things a fixed machine could not tell whom it is about, and gets the pair. Of several
    pairs that begin to touch at once, those do not count whose things an earlier event has removed,
    by `is_gone`.
    """

    hearers: Hearers
    event: str
    ended: str | None = None
    many: bool = False
    is_gone: Callable[[Any], bool] = field(default=lambda _: False, kw_only=True)
    pairs: dict[tuple[int, int], tuple[Any, Any]] = field(factory=dict, init=False)

    def update(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Send the events for what has changed, now that these things touch."""
        before = self.pairs
        now = {(id(one), id(other)): (one, other) for one, other in pairs if one is not other}
        self.pairs = now
        if self.ended is not None:
            for key in [key for key in before if key not in now]:
                self._send(self.ended, *before[key])
        for key in [key for key in now if key not in before]:
            if any(map(self.is_gone, now[key])):
                del now[key]
            else:
                self._send(self.event, *now[key])

    def _send(self, event: str, one: Any, other: Any) -> None:
        if isinstance(self.hearers, Fsm | FsmGroup):
            offer(self.hearers, event, (one, other) if self.many else other)
        elif (machines := self.hearers(one)) is not None:
            offer(machines, event, other)
