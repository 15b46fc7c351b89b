"""Graph: which states can get to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

NodeT = TypeVar("NodeT")


def components(edges: Mapping[NodeT, Sequence[NodeT]]) -> list[list[NodeT]]:
    """Return the groups of nodes that all get to each other, those that lead nowhere else first.

    By Tarjan's algorithm (1972), without recursion.

    >>> components({"A": "B", "B": "C", "C": "BD", "D": ""})
    [['D'], ['C', 'B'], ['A']]
    """
    found: list[list[NodeT]] = []
    numbers: dict[NodeT, int] = {}
    lowest: dict[NodeT, int] = {}
    open_: dict[NodeT, None] = {}
    for root in edges:
        if root in numbers:
            continue
        numbers[root] = lowest[root] = len(numbers)
        open_[root] = None
        trail = [(root, iter(edges[root]))]
        while trail:
            node, following = trail[-1]
            other = next(following, None)
            if other is None:
                trail.pop()
                if trail:
                    before = trail[-1][0]
                    lowest[before] = min(lowest[before], lowest[node])
                if lowest[node] == numbers[node]:
                    found.append(_closed(open_, node))
            elif other not in numbers:
                numbers[other] = lowest[other] = len(numbers)
                open_[other] = None
                trail.append((other, iter(edges[other])))
            elif other in open_:
                lowest[node] = min(lowest[node], numbers[other])
    return found


def reached(starts: Iterable[NodeT], edges: Mapping[NodeT, Sequence[NodeT]]) -> set[NodeT]:
    """Return the nodes that can be reached from `starts`, and these.

    >>> sorted(reached("A", {"A": "B", "B": "", "C": "A"}))
    ['A', 'B']
    """
    found: set[NodeT] = set()
    waiting = list(starts)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(edges[node])
    return found


def _closed(open_: dict[NodeT, None], root: NodeT) -> list[NodeT]:
    """Take the nodes since `root` from those that are open."""
    group = []
    while True:
        node, _ = open_.popitem()
        group.append(node)
        if node == root:
            return group
