"""Asking those near each agent, by compiled code and with several threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import inf
from typing import Any, Final

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours import near_kernel
from fsmkit.crowd.neighbours.cell_order import CellOrder
from fsmkit.crowd.neighbours.question import REQUEST, Question, Request
from fsmkit.crowd.packages import np

MIN_AGENTS_PER_THREAD: Final = 16_384
"""The number of agents that are worth a thread of their own."""


def near(
    question: Question,
    position: Any,
    around: Any,
    asked: range,
    threads: int,
    *,
    max_candidates: float,
) -> tuple[Any, Any]:
    """Return the answers for the agents in `asked`: whole numbers, and floats.

    Raises CrowdError if agents have to be compared with more than `max_candidates` others each.
    """
    cells = CellOrder.of(position, question.size, around)
    if max_candidates < inf and cells.candidates > max_candidates:
        raise CrowdError(
            f"{question.name}: the agents are too close together: each has to be compared with "
            f"about {cells.candidates:,.0f} others. Give them their places before you declare what "
            "they see, or take a smaller size."
        )
    requests = np.array(sorted(question.requests, key=_choosing), REQUEST)  # equal ones in a row
    order = cells.order
    whole, real = question.room(len(asked))
    arguments: Any = (
        cells.shape, cells.starts, order, np.take(position, order, axis=1), around,
        question.size * question.size, question.agents.ids[order], question.flags[order],
        _in_order(question.values, order), _targets(len(order), asked)[order], requests,
        whole, real,
    )  # fmt: skip
    threads = max(1, min(threads, len(asked) // MIN_AGENTS_PER_THREAD))
    bounds = pairwise(len(order) * number // threads for number in range(threads + 1))
    parts = [(*each, cells.cell_of(each[0]), *arguments) for each in bounds]
    if threads == 1:
        near_kernel.near(*parts[0])
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda part: near_kernel.near(*part), parts))
    return whole, real


def _choosing(request: Request) -> tuple[int, float]:
    """Return what decides on the agents that count for a request."""
    return request.bit, request.limit


def _in_order(columns: Sequence[Any], order: Any) -> Any:
    """Return columns of int64 as rows, in that order of the agents."""
    rows = np.empty((len(columns), len(order)), np.int64)
    for row, column in zip(rows, columns, strict=True):
        np.take(column, order, out=row, mode="clip")  # "raise" would buffer it
    return rows


def _targets(agents: int, asked: range) -> Any:
    """Return the place of each agent's answers, -1 for one that nobody asks for."""
    targets = np.full(agents, -1)
    targets[asked.start : asked.stop] = np.arange(len(asked))
    return targets
