"""The one theme: the inspector's page has its colours, and its letters are legible."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

import pytest
from every import every

from fsmkit.svg.theme import DARK, LETTERS, LIGHT, PALETTE, Theme

CSS: Final = (files("fsmkit.inspector") / "page/parts/colours.css").read_text()

PAIRS: Final = {
    name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\);", CSS)
}

ROLES: Final = (
    "page", "lane", "card", "ink", "soft", "line", "hair", "edge", "start", "current",
    "current-card", "final", "warning",
)  # fmt: skip


@every("role", ROLES)
def test_the_page_has_the_colours_of_the_theme(role: str) -> None:
    attribute = role.replace("-", "_")
    assert PAIRS[role] == [getattr(LIGHT, attribute), getattr(DARK, attribute)]


def test_the_page_has_them_under_other_names_too() -> None:
    panels = [PAIRS[name] for name in ("panel", "panel-2", "panel-3")]
    assert panels == [list(pair) for pair in zip(LIGHT.panels, DARK.panels, strict=True)]
    assert PAIRS["danger"] == [LIGHT.error, DARK.error]


def test_the_page_has_the_fills_of_states() -> None:
    assert tuple(re.findall(r"--state-\d: (#\w+);", CSS)) == PALETTE


@every("theme", [LIGHT, DARK])
@every("role", ["ink", "soft", "warning", "error", "info"])
def test_letters_are_legible_on_the_page_and_in_lanes(theme: Theme, role: str) -> None:
    for paper in (theme.page, theme.lane):
        assert contrast(getattr(theme, role), paper) >= 4.5


@pytest.mark.parametrize("fill", PALETTE)
def test_names_are_legible_on_the_fills(fill: str) -> None:
    assert contrast(LETTERS, fill) >= 4.5


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG defines it."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (linear(each) for each in shares)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def linear(share: float) -> float:
    return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4
