"""The picture of a crowd: its machine, with the share of the agents that are in each state."""

from __future__ import annotations

from fsmkit.crowd.charts.counts import share_text
from fsmkit.crowd.crowd import Crowd
from fsmkit.diagram import to_svg


def share_svg(crowd: Crowd, *, dark: bool = False) -> str:
    """The diagram of the machine, in SVG; every state with its share of the agents that run.

    Raises ImportError if there is no Graphviz, see `fsmkit.diagram`.
    """
    counts = crowd.count()
    total = sum(counts.values())
    notes = {state: share_text(count, total) for state, count in counts.items()}
    return to_svg(crowd.machine, dark=dark, notes=notes)
