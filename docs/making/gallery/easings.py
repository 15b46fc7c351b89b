"""The curves of the easing functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from making.gallery.paper import Sheet, line
from making.places import DOCS, link

from fsmkit.editing.action_forms import easing_functions
from fsmkit.svg.theme import DARK, LIGHT, Theme

PICTURES: Final = DOCS / "_static" / "easings"
WIDTH: Final = 108.0
HEIGHT: Final = 84.0
STEPS: Final = 60


def table(page: Path, _arguments: str) -> tuple[str, dict[Path, str]]:
    """`easings`: all easing functions as small curves, each family in a row."""
    found = easing_functions()
    rows = [
        [name for name in found if name in (f"ease_{way}_{family}" for way in WAYS)]
        for family in dict.fromkeys(name.rpartition("_")[2] for name in found)
    ]
    lines = [
        "| " + " | ".join(f"{image(page, name)} `{name}`" for name in row) + " |" for row in rows
    ]
    head = ["| start | end | start and end |", "| --- | --- | --- |"]
    files = {path: text for name in found for path, text in pictures(name, found[name]).items()}
    return "\n".join([*head, *(each for each in lines if "ease_" in each)]), files


WAYS: Final = ("in", "out", "in_out")


def image(page: Path, name: str) -> str:
    """Return the curve of an easing as an image."""
    return f"![The curve of {name}]({link(page, PICTURES / f'{name}.svg')})"


def pictures(name: str, function: Callable[[float], float]) -> dict[Path, str]:
    """Return the two pictures of an easing, light and dark."""
    return {
        PICTURES / f"{name}.svg": curve(name, function, LIGHT),
        PICTURES / f"{name}_dark.svg": curve(name, function, DARK),
    }


def curve(name: str, function: Callable[[float], float], theme: Theme) -> str:
    """Return the curve of an easing, with lines at 0 and at 1."""

    def at(share: float, value: float) -> tuple[float, float]:
        return 10.0 + (WIDTH - 20.0) * share, 62.0 - 40.0 * value

    course = [at(n / STEPS, function(n / STEPS)) for n in range(STEPS + 1)]
    ends = [line([at(0.0, end), at(1.0, end)], "s dash") for end in (0.0, 1.0)]
    sheet = Sheet(theme, f"The curve of {name}", HEIGHT, WIDTH)
    return sheet.picture([*ends, line(course, "a")])
