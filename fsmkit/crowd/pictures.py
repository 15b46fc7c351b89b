"""The picture of a crowd: its machine, with the share of the agents in each state."""

from __future__ import annotations

from typing import Protocol

from fsmkit.crowd.charts.counts import share_text
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.diagram import to_svg


class Shown(Protocol):
    """A crowd, as far as its picture needs it: a `Crowd` or a `ShardedCrowd`."""

    machine: CrowdFsm

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        ...


def share_svg(crowd: Shown, *, dark: bool = False) -> str:
    """Draw the diagram of the machine as SVG; every state with its share of the running agents.

    Raises ImportError if Graphviz is not installed, see `fsmkit.diagram`.
    """
    counts = crowd.count()
    total = sum(counts.values())
    notes = {state: share_text(count, total) for state, count in counts.items()}
    return to_svg(crowd.machine, dark=dark, notes=notes)
