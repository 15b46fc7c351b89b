"""The themes of pictures, light and dark, and their fonts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

FONT: Final = "Helvetica"
"""Graphviz knows the width of its letters. Arial and Liberation Sans, which replace it where it is
missing, have the same widths."""

TITLE_SIZE: Final = 18
PANEL_SIZE: Final = 12
NAME_SIZE: Final = 14
EVENT_SIZE: Final = 11
ACTION_SIZE: Final = 10


@frozen
class Theme:
    """The colours of a picture."""

    name: str
    page: str
    card: str
    """Of a state."""
    panels: tuple[str, ...]
    """Of nested machines, by depth; the last one is for all deeper ones."""
    line: str
    edge: str
    ink: str
    soft: str
    """Of secondary text."""
    start: str
    current: str
    current_card: str
    final: str
    never: str
    """Of what was never done."""
    severities: Mapping[str, str]

    def paper(self, depth: int) -> str:
        """Return the colour behind what is drawn in a machine nested at `depth`; 0 is the page."""
        return self.panel(depth) if depth else self.page

    def panel(self, depth: int) -> str:
        """Return the colour of a machine nested at `depth`."""
        return self.panels[min(depth, len(self.panels)) - 1]


LIGHT: Final = Theme(
    "light",
    page="#f6f8fb", card="#ffffff", panels=("#ebeff5", "#e0e6ee", "#d5dde8"),
    line="#c3cdd9", edge="#8593a5", ink="#16202c", soft="#566273",
    start="#0f9d6b", current="#2563eb", current_card="#e3edff", final="#7c3aed",
    never="#c3cdd9", severities={"error": "#c1121f", "warning": "#c2760c", "info": "#0e7490"},
)  # fmt: skip

DARK: Final = Theme(
    "dark",
    page="#10151d", card="#28323f", panels=("#161d27", "#1b2430", "#212b39"),
    line="#465468", edge="#7d8b9e", ink="#e9eef5", soft="#a0adbd",
    start="#34d399", current="#60a5fa", current_card="#1c3a66", final="#b794f6",
    never="#3f4b5c", severities={"error": "#ff6b6b", "warning": "#f5b94d", "info": "#67c7d9"},
)  # fmt: skip
