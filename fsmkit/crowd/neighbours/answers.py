"""Answers: what is to be written for each agent, from what is known of all of them.

`answers` is a pure function of plain data, so agents may be asked for anywhere: another process
needs a declaration and the columns in `Declaration.read` of the whole crowd, no matter in which
order, and gets to the same bits.
"""

from __future__ import annotations

from math import inf
from typing import Any

from fsmkit.crowd.neighbours import near_compiled, near_python
from fsmkit.crowd.neighbours.agents import Agents
from fsmkit.crowd.neighbours.cell_order import wrapped
from fsmkit.crowd.neighbours.declaration import AtPlaces, Declaration, InSpace, Nearest, Quantity
from fsmkit.crowd.neighbours.extent import Extent
from fsmkit.crowd.neighbours.line import on_line
from fsmkit.crowd.neighbours.place_table import ask_at_places, at_places, table_of
from fsmkit.crowd.neighbours.question import Question, ask, chosen
from fsmkit.crowd.packages import np


def answers(
    declaration: Declaration,
    agents: Agents,
    asked: slice = slice(None),
    *,
    is_compiled: bool = True,
    threads: int = 1,
    max_candidates: float = inf,
) -> dict[str, Any]:
    """Return field -> its new values for the agents in `asked`; `agents` are the whole crowd.

    Raises CrowdError for coordinates and values that are not finite, and if agents have to be
    compared with more than `max_candidates` others each, on average; only compiled code asks.
    """
    extent = Extent.of(declaration, agents)
    if isinstance(declaration, AtPlaces):
        question = ask_at_places(declaration, agents, extent)
        table = table_of(declaration, question)
        if len(range(len(agents))[asked]) < len(agents):
            question = ask_at_places(declaration, agents.part(asked), extent)
        return at_places(declaration, question, table)
    assert isinstance(declaration, InSpace)
    return _Space(declaration, agents, extent, range(len(agents))[asked]).answers(
        is_compiled, threads, max_candidates
    )


class _Space:
    """The agents in their world."""

    def __init__(self, declaration: InSpace, agents: Agents, extent: Extent, asked: range) -> None:
        self._declaration = declaration
        self._agents = agents
        self._extent = extent
        self._asked = asked
        missing = 3 - len(declaration.coordinates)
        self._around = np.array([*declaration.around, *[inf] * missing])
        self._position = np.zeros((3, len(agents)))
        for row, name, length in zip(
            self._position, declaration.coordinates, declaration.around, strict=False
        ):
            coordinate = agents.finite(name, f"{declaration.name} has it as a coordinate, so it")
            row[:] = wrapped(coordinate, length)

    def answers(self, is_compiled: bool, threads: int, max_candidates: float) -> dict[str, Any]:
        """Return field -> its new values."""
        quantities = self._declaration.quantities
        along = [each for each in quantities if isinstance(each, Nearest) and each.side]
        others = [each for each in quantities if each not in along]
        found: dict[str, Any] = {}
        if others:
            found |= self._near(others, is_compiled, threads, max_candidates)
        for each in along:
            found |= self._along(each)
        return found

    def _near(
        self, quantities: list[Quantity], is_compiled: bool, threads: int, max_candidates: float
    ) -> dict[str, Any]:
        question = self._question(quantities)
        if not self._asked:
            whole, real = question.room(0)
        elif is_compiled:
            whole, real = near_compiled.near(
                question,
                self._position,
                self._around,
                self._asked,
                threads,
                max_candidates=max_candidates,
            )
        else:
            whole, real = near_python.near(
                question, self._position, self._around.tolist(), self._asked
            )
        found: dict[str, Any] = {}
        for number, quantity in enumerate(quantities):
            found |= question.answer(number, quantity, whole, real)
        return found

    def _along(self, quantity: Nearest) -> dict[str, Any]:
        """Return the answers for the nearest ahead, or behind."""
        mask = chosen(self._agents, quantity.where)
        who, way = on_line(
            self._agents, self._position[0], mask, quantity.side, float(self._around[0])
        )
        part = slice(self._asked.start, self._asked.stop)
        who, way = who[part], way[part]
        too_far = way > min(quantity.within, self._declaration.size)
        who[too_far], way[too_far] = -1, inf
        return self._question([]).nearest(quantity, who, way)

    def _question(self, quantities: list[Quantity]) -> Question:
        declaration = self._declaration
        return ask(self._agents, declaration.name, quantities, declaration.size, self._extent)
