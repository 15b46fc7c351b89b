"""MomentGraph: which moments lead to which, and what follows from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from fsmkit.exploring.walk import Node


class MomentGraph:
    """The moments of a walk; `is_sure` is False for those that may lead to unknown ones."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self._before: defaultdict[int, set[int]] = defaultdict(set)
        for node in nodes:
            for successor in node.successors:
                self._before[successor].add(node.number)
        self._unsure = self._leading_to(node.number for node in nodes if not node.is_expanded)

    def is_sure(self, node: Node) -> bool:
        """Return True if all that a moment leads to, at whatever distance, was tried."""
        return node.number not in self._unsure

    def stuck(self, machine: int) -> list[Node]:
        """Return the moments from which a machine never comes into another state.

        One that is left within a step does, even if the machine is back in it when all has settled.
        A step that raises something may lead anywhere.
        """
        nodes = self.nodes
        leaving = [
            node.number
            for node in nodes
            if node.fails
            or machine in node.moved
            or any(
                nodes[each].configuration[machine] != node.configuration[machine]
                for each in node.successors
            )
        ]
        free = self._leading_to(leaving, machine)
        return [node for node in nodes if node.number not in free]

    def _leading_to(self, numbers: Iterable[int], machine: int | None = None) -> set[int]:
        """Return the moments that lead to one of these, within one state of `machine` if given."""
        found = set(numbers)
        waiting = list(found)
        while waiting:
            number = waiting.pop()
            for before in self._before[number]:
                if before in found:
                    continue
                if machine is None or (
                    self.nodes[before].configuration[machine]
                    == self.nodes[number].configuration[machine]
                ):
                    found.add(before)
                    waiting.append(before)
        return found
