"""A chart as a whole SVG picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from fsmkit.svg.elements import element
from fsmkit.svg.theme import Theme


class Drawable(Protocol):
    """A chart: its size in pixels, and its elements."""

    width: float
    height: float

    def elements(self) -> Iterable[str]:
        """Yield the elements."""
        ...


def picture(chart: Drawable, theme: Theme, rules: Mapping[str, str], label: str) -> str:
    """Return the picture; `rules` are those of its own for style, `label` says what it shows."""
    root = f".fsmkit-timeline.{theme.name}"
    own = "".join(f"\n{root} {names}{{{rule}}}" for names, rule in rules.items())
    return element(
        "svg", "\n",
        element("style", theme.style_sheet() + own), "\n",
        "\n".join(chart.elements()), "\n",
        xmlns="http://www.w3.org/2000/svg",
        class_=f"fsmkit-timeline {theme.name}",
        role="img",
        aria_label=label,
        viewBox=f"0 0 {chart.width:g} {chart.height:g}",
        width=chart.width,
        height=chart.height,
        style="max-width:100%;height:auto",
    ) + "\n"  # fmt: skip
