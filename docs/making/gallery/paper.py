"""What the strips are drawn with: a small sheet, its colours and its letters."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians, sin
from typing import Final, TypeAlias

from attrs import frozen

from fsmkit.svg.elements import element, words
from fsmkit.svg.theme import DARK, FONTS, LETTERS, LIGHT, PALETTE, Theme

Point: TypeAlias = tuple[float, float]

WIDTH: Final = 320.0
HEIGHT: Final = 120.0
MARGIN: Final = 10.0

COLOURS: Final = {
    "light": ("#1f6fb8", "#c2501f", "#2b7d54"),
    "dark": ("#6cb2f0", "#f0935f", "#63c795"),
}
"""What is shown, what it is about or what ends it, and a third; all legible as letters."""

CHARACTER: Final = 6.8
"""The width of a letter, on average."""


@frozen
class Sheet:
    """The sheet that a strip is drawn on, without what is on it."""

    theme: Theme
    alt: str
    height: float = HEIGHT
    width: float = WIDTH

    def picture(self, parts: Iterable[str]) -> str:
        """Return the picture with these parts on it."""
        w, h = self.width, self.height
        page = element("rect", class_="page", x=0.5, y=0.5, width=w - 1, height=h - 1, rx=5)
        size = f'viewBox="0 0 {w:g} {h:g}" width="{w:g}" height="{h:g}"'
        label = f'role="img" aria-label="{words(self.alt)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {label}>'
        style = f"<style>\n{self._style_sheet()}\n</style>"
        return "\n".join([head, style, page, *parts, "</svg>\n"])

    def _style_sheet(self) -> str:
        theme = self.theme
        first, second, third = COLOURS[theme.name]
        drawn = {"a": first, "b": second, "c": third, "s": theme.soft, "g": theme.hair}
        rules = {
            "svg": f"font:11px {FONTS};fill:none",
            "text": f"fill:{theme.ink}",
            ".page": f"fill:{theme.page};stroke:{theme.hair}",
            ".lane": f"fill:{theme.lane}",
            **{f".{name}": f"stroke:{colour};fill:none" for name, colour in drawn.items()},
            **{f".f{name}": f"fill:{colour};stroke:none" for name, colour in drawn.items()},
            "text.t": f"fill:{theme.soft}",
            "text.m": "text-anchor:middle",
            "text.e": "text-anchor:end",
            "text.w": f"fill:{theme.warning}",
            "path,polyline": "stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round",
            ".thin": "stroke-width:1",
            ".dash": "stroke-width:1;stroke-dasharray:3 3",
            ".crisp": "shape-rendering:crispEdges",
            ".walls": f"fill:{theme.lane};stroke:{theme.soft}",
            ".held": "stroke-width:4",
            ".ring": f"fill:{theme.page};stroke-width:1.8",
            "text.state": f"fill:{LETTERS};text-anchor:middle;font-weight:500",
            **{f".p{number}": f"fill:{fill}" for number, fill in enumerate(PALETTE)},
        }
        return "\n".join(f"{names}{{{rule}}}" for names, rule in rules.items())


BOTH: Final = (LIGHT, DARK)


def line(points: Iterable[Point], look: str) -> str:
    """Return a line through the points."""
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="{look}" points="{text}"/>'


def dot(point: Point, look: str, r: float = 3.5) -> str:
    """Return a dot."""
    return element("circle", class_=look, cx=point[0], cy=point[1], r=r)


def text(point: Point, content: str, look: str = "") -> str:
    """Return letters that begin, end or are centred at a point."""
    return element("text", words(content), class_=look, x=point[0], y=point[1])


def cross(point: Point, look: str, size: float = 3.5) -> str:
    """Return a cross."""
    x, y = point
    return "".join(
        line([(x - size, y - size * sign), (x + size, y + size * sign)], look) for sign in (1, -1)
    )


def arrow(point: Point, degrees: float, look: str, size: float = 7.0) -> str:
    """Return an arrow head at a point, which points to that direction, counterclockwise."""
    x, y = point
    corners = [(size, 0.0), (-size * 0.6, size * 0.55), (-size * 0.6, -size * 0.55)]
    c, s = cos(radians(degrees)), sin(radians(degrees))
    turned = [(x + a * c - b * s, y - (a * s + b * c)) for a, b in corners]
    return f'<polygon class="{look}" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in turned)}"/>'


def width_of(content: str) -> float:
    """Return about how wide letters are."""
    return len(content) * CHARACTER
