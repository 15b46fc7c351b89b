"""Requests about the map: where everybody is, and what is below them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.live.requests.page_request import PageAnswer
from fsmkit.inspector.reading.world_map import WorldMap


@frozen
class MapRequests:
    map: WorldMap
    now: Callable[[], float]
    machine: Callable[[str], Fsm[Any] | None]
    """Returns the machine of a name; None for an agent of a crowd. Raises RequestError."""

    def positions(
        self, roll: int, states: int, since: float, until: float | None = None
    ) -> PageAnswer:
        return self.map.positions(self.now(), roll, states, since, until)

    def tiles(
        self, machine: str, number: int | None = None, version: int | None = None
    ) -> PageAnswer:
        return {"tiles": self.map.tiles(self.machine(machine), (number, version))}
