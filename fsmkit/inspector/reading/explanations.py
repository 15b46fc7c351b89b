"""Explanations: why the agents on display do what they do, asked a few times a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard

from fsmkit import Fsm
from fsmkit.inspector.reading.explained import Row, explained, facts_of, unread
from fsmkit.inspector.reading.values import error_text

if TYPE_CHECKING:
    from fsmkit.goap import GoapAgent

Names: TypeAlias = Mapping[Fsm[Any], str]

INTERVAL: Final = 0.25
"""Seconds from one reading to the next at the least, on the clock of the wall."""

SHARE: Final = 0.05
"""The part of the time that readings may take: slow sensors are read less often."""

LASTING: Final = 2.0
"""Seconds for which a reading is kept that no page has asked for again."""


def agents_among(machines: Iterable[Fsm[Any]]) -> list[GoapAgent[Any]]:
    """Return the machines that plan, and can say why they do what they do."""
    return [machine for machine in machines if _is_agent(machine)]


def _is_agent(machine: Fsm[Any]) -> TypeGuard[GoapAgent[Any]]:
    goap = sys.modules.get("fsmkit.goap")  # where nobody has imported it there are none
    return goap is not None and isinstance(machine, goap.GoapAgent)


class Explanations:
    """Tells why the agents among some machines do what they do, as data for the page.

    To tell that, an agent asks its sensors and the functions of its goals, which belong to the
    game. So they are asked between two updates only, while a page shows the machines, and not
    more often than `INTERVAL` and `SHARE` say. What they raise is told, and not raised.
    """

    def __init__(self, machines: Callable[[], Iterable[Fsm[Any]]], names: Names) -> None:
        self._machines = machines
        self._names = names
        self._rows: dict[Fsm[Any], Row] = {}
        self._is_wanted = False
        self._wanted_at = 0.0
        self._due_at = 0.0

    def rows(self) -> list[Row]:
        """Return what was read last of each agent, in the order of the machines."""
        return [self._rows.get(agent) or unread(self._names[agent]) for agent in self._agents()]

    def want(self) -> None:
        """Note that a page shows them."""
        self._is_wanted, self._wanted_at = True, monotonic()

    def read_if_due(self) -> None:
        """Read the agents anew, if a page shows them and it is time. Called between two updates."""
        begun = monotonic()
        if self._is_wanted and begun >= self._due_at:
            self._is_wanted = False
            self._rows = {agent: self._read(agent) for agent in self._agents()}
            taken = monotonic() - begun
            self._due_at = begun + max(INTERVAL, taken / SHARE)
        elif self._rows and begun > self._wanted_at + LASTING:
            self._rows = {}

    def forget(self) -> None:
        """Drop what was read: the machines are in other states without having changed to them."""
        self._rows, self._due_at = {}, 0.0

    def _agents(self) -> list[GoapAgent[Any]]:
        return agents_among(self._machines())

    def _read(self, agent: GoapAgent[Any]) -> Row:
        row: Row = {"machine": self._names[agent], "read": agent.time}
        try:
            world = agent.sense()
            return {**row, **explained(agent.why(world)), **facts_of(world, agent.sensors)}
        except Exception as error:  # from the agent's own class, or from what it holds
            return {**row, "error": error_text(error)}
