"""Pictures of a crowd: its machine with the share of the agents in each state, and bars as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from fsmkit.diagram import to_svg
from fsmkit.terminal.console import Console, padded, width

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd
    from fsmkit.crowd.shards import ShardedCrowd

BAR_COLUMNS: Final = 40
AGENTS: Final = "agents"
SHARE: Final = 7
"""The greatest width of a share, in columns."""


def share_svg(crowd: Crowd | ShardedCrowd, *, dark: bool = False) -> str:
    """Draw the diagram of the machine as SVG; every state with its share of the running agents.

    Raises ImportError if Graphviz is not installed, see `fsmkit.diagram`.
    """
    counts = crowd.count()
    total = sum(counts.values())
    notes = {state: share_text(count, total) for state, count in counts.items()}
    return to_svg(crowd.machine, dark=dark, notes=notes)


def print_counts(console: Console, counts: Mapping[str, int]) -> None:
    """Print the number of agents in each state, and their share of all.

    >>> import sys
    >>> print_counts(Console(sys.stdout), {"Patrol": 750, "Chase": 250})
      state   agents    share
      Patrol     750   75.0 %  ██████████████████████████████
      Chase      250   25.0 %  ██████████
    """
    total = sum(counts.values())
    names = max(width(console.shown(name)) for name in ("state", *counts))
    digits = max(len(AGENTS), *(len(f"{count:,}") for count in counts.values()))
    headings = f"  {padded('state', names)}  {AGENTS:>{digits}}  {'share':>{SHARE}}"
    console.line(console.styled(headings, "faint"))
    for state, count in counts.items():
        name = padded(console.shown(state), names)
        bar = console.bar(count / total if total else 0.0, BAR_COLUMNS)
        share = share_text(count, total)
        console.line(
            f"  {name}  {count:{digits},}  {share:>{SHARE}}  {console.styled(bar, 'cyan')}"
        )


def share_text(count: int, total: int) -> str:
    """Return the share of `total` in percent; 0 and 100 are exact, never rounded.

    >>> share_text(981, 1000), share_text(0, 1000), share_text(1, 1_000_000)
    ('98.1 %', '0.0 %', '<0.1 %')
    >>> share_text(999_999, 1_000_000), share_text(7, 7), share_text(0, 0)
    ('>99.9 %', '100.0 %', '0.0 %')
    """
    share = 100.0 * count / total if total else 0.0
    if 0.0 < share < 0.1:
        return "<0.1 %"
    if 99.9 < share < 100.0:
        return ">99.9 %"
    return f"{share:.1f} %"
