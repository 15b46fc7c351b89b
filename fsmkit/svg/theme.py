"""The one table of colours and fonts for every picture, chart and page, light and dark.

The inspector's page has the same colours in `colours.css`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"

PALETTE: Final = (
    "#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00",
    "#dddddd",
)  # fmt: skip
"""The fills of states, for dark letters: Paul Tol's light scheme, which is distinct for the
colour-blind too (https://personal.sron.nl/~pault)."""

LETTERS: Final = "#16202c"
"""The colour of names on the fills."""

STRIKE: Final = "#a3001e"
"""The colour of errors on the fills."""


@frozen(kw_only=True)
class Theme:
    name: str

    page: str
    """Behind everything."""
    lane: str
    """For a timeline, where a machine is not running."""
    card: str
    """For a state in a diagram, and the ground of a map."""
    panels: tuple[str, ...]
    """For nested machines, by depth; the last one is for all deeper ones."""

    ink: str
    soft: str
    """For secondary text."""
    line: str
    """For borders, and transitions never taken."""
    hair: str
    """For grids and rules."""
    edge: str
    """For arrows in a diagram."""

    start: str
    current: str
    current_card: str
    final: str

    error: str
    warning: str
    info: str

    strong: tuple[str, ...]
    """For lines in a chart, from Paul Tol's bright and vibrant schemes where the page is light."""
    routes: tuple[str, ...]
    """For paths on a map."""
    wall: str
    costs: tuple[str, ...]
    """For tiles, from the cheapest to the dearest; the first is the ground."""
    distances: tuple[str, ...]
    """For tiles, from near a goal to far away."""

    @property
    def severities(self) -> Mapping[str, str]:
        return {"error": self.error, "warning": self.warning, "info": self.info}

    def paper(self, depth: int) -> str:
        """Return the colour behind the states of a machine nested at `depth`; 0 is the page."""
        return self.panels[min(depth, len(self.panels)) - 1] if depth else self.page


LIGHT: Final = Theme(
    name="light",
    page="#f6f8fb", lane="#ebeff5", card="#ffffff", panels=("#ebeff5", "#e0e6ee", "#d5dde8"),
    ink="#16202c", soft="#566273", line="#c3cdd9", hair="#dfe5ec", edge="#8593a5",
    start="#0f9d6b", current="#2563eb", current_card="#e3edff", final="#7c3aed",
    error="#c1121f", warning="#8f5600", info="#0e7490",
    strong=(
        "#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#997700", "#ee7733", "#009988",
        "#777777",
    ),
    routes=("#1d4ed8", "#b5179e", "#15803d", "#c2410c", "#6d28d9", "#0e7490"),
    wall="#465468",
    costs=("#ffffff", "#fbe9bf", "#f5d488", "#e9b850", "#d2952a", "#a86f14"),
    distances=(
        "#ddf3ee", "#c6e9e2", "#afded5", "#98d2c8", "#81c5bb", "#6bb7ad", "#56a89f", "#429890",
    ),
)  # fmt: skip

DARK: Final = Theme(
    name="dark",
    page="#10151d", lane="#1b2430", card="#28323f", panels=("#161d27", "#1b2430", "#212b39"),
    ink="#e9eef5", soft="#a0adbd", line="#465468", hair="#263040", edge="#7d8b9e",
    start="#34d399", current="#60a5fa", current_card="#1c3a66", final="#b794f6",
    error="#ff6b6b", warning="#f5b94d", info="#67c7d9",
    strong=PALETTE,
    routes=("#60a5fa", "#f472b6", "#4ade80", "#fb923c", "#c4a1ff", "#22d3ee"),
    wall="#8593a5",
    costs=("#28323f", "#3f3825", "#5b4c25", "#7a6227", "#9c7a2b", "#c29432"),
    distances=(
        "#1d3538", "#1f4143", "#224d4e", "#265a59", "#2a6764", "#2f756f", "#35837b", "#3b9187",
    ),
)  # fmt: skip
