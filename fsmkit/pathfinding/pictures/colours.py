"""The colours of maps, light and dark."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from fsmkit.svg.theme import DARK, FONTS, LIGHT, Theme


@frozen
class MapColours:
    """The colours of a picture of a map."""

    theme: Theme
    """Those around the map."""
    ground: str
    wall: str
    rule: str
    """Of the lines between tiles."""
    costs: tuple[str, ...]
    """From the cheapest to the dearest; the first is the ground."""
    field: tuple[str, ...]
    """From near a goal to far away."""
    ways: tuple[str, ...]

    @property
    def root(self) -> str:
        """The selector for the picture."""
        return f".fsmkit-map.{self.theme.name}"

    def style_sheet(self) -> str:
        """Return the style sheet of the picture. It affects nothing else on the page."""
        theme = self.theme
        rules = {
            "": f"font:11px {FONTS};fill:{theme.soft}",
            ".page": f"fill:{theme.page}",
            ".title": f"font-size:15px;font-weight:600;fill:{theme.ink}",
            ".ground": f"fill:{self.ground}",
            ".tiles path": "fill:none;stroke-width:1;shape-rendering:crispEdges",
            ".swatch": f"stroke:{theme.line}",
            ".rule": f"stroke:{self.rule};fill:none;shape-rendering:crispEdges",
            ".row": "text-anchor:end",
            ".column": "text-anchor:middle",
            ".way": "fill:none;stroke-linejoin:round;stroke-linecap:round",
            ".halo": f"stroke:{theme.page};stroke-opacity:.75",
            ".arrows": f"stroke:{theme.ink};stroke-opacity:.75;fill:none;stroke-linecap:round",
            ".mark": f"stroke:{theme.page};stroke-width:1.5",
            ".hole": f"fill:{theme.page}",
            ".place": f"text-anchor:middle;font-weight:600;fill:{theme.ink};stroke:{theme.page};"
            "stroke-width:3;stroke-linejoin:round;paint-order:stroke",
            ".cross": f"stroke:{theme.error};stroke-width:2.5;stroke-linecap:round;fill:none",
            ".under": f"stroke:{theme.page};stroke-width:5.5;stroke-linecap:round;fill:none",
        }
        return "\n".join(f"{self.root} {names}".strip() + f"{{{r}}}" for names, r in rules.items())


LIGHT_MAP: Final = MapColours(
    LIGHT, ground="#f3f5f9", wall="#465468", rule="#e2e7ee",
    costs=("#f3f5f9", "#fbe9bf", "#f5d488", "#e9b850", "#d2952a", "#a86f14"),
    field=("#ddf3ee", "#c6e9e2", "#afded5", "#98d2c8", "#81c5bb", "#6bb7ad", "#56a89f", "#429890"),
    ways=("#1d4ed8", "#b5179e", "#15803d", "#c2410c", "#6d28d9", "#0e7490"),
)  # fmt: skip

DARK_MAP: Final = MapColours(
    DARK, ground="#202936", wall="#8593a5", rule="#2b3645",
    costs=("#202936", "#3f3825", "#5b4c25", "#7a6227", "#9c7a2b", "#c29432"),
    field=("#1d3538", "#1f4143", "#224d4e", "#265a59", "#2a6764", "#2f756f", "#35837b", "#3b9187"),
    ways=("#60a5fa", "#f472b6", "#4ade80", "#fb923c", "#c4a1ff", "#22d3ee"),
)  # fmt: skip
