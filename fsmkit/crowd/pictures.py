"""The picture of a crowd: its machine, with the share of the agents in each state."""

from __future__ import annotations

from fsmkit.crowd.charts.counts import share_text
from fsmkit.crowd.crowd import Crowd
from fsmkit.diagram import to_svg


def share_svg(crowd: Crowd, *, dark: bool = False) -> str:
    """Draw the diagram of the machine as SVG; every state with its share of the running agents.

    Raises ImportError if Graphviz is not installed, see `fsmkit.diagram`.
    """
    counts = crowd.count()
    total = sum(counts.values())
    notes = {state: share_text(count, total) for state, count in counts.items()}
    return to_svg(crowd.machine, dark=dark, notes=notes)
