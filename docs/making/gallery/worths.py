"""The curves that turn a number into a score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from making.gallery.easings import curve
from making.places import DOCS, link

from fsmkit import curves
from fsmkit.svg.theme import DARK, LIGHT

PICTURES: Final = DOCS / "_static" / "curves"

SHOWN: Final[dict[str, tuple[str, Callable[[float], float]]]] = {
    "linear": ("linear(x)", curves.linear),
    "linear_falling": ("linear(x, low=1, high=0)", lambda x: curves.linear(x, low=1, high=0)),
    "quadratic": ("quadratic(x)", curves.quadratic),
    "quadratic_root": ("quadratic(x, exponent=0.5)", lambda x: curves.quadratic(x, exponent=0.5)),
    "logistic": ("logistic(x)", curves.logistic),
    "logistic_falling": ("logistic(x, steepness=-10)", lambda x: curves.logistic(x, steepness=-10)),
    "step": ("step(x)", curves.step),
    "inverse": ("inverse(x, half=0.25)", lambda x: curves.inverse(x, half=0.25)),
}
"""Name of the picture -> the call that it shows, and what that returns for a number from 0 to 1."""


def table(page: Path, _arguments: str) -> tuple[str, dict[Path, str]]:
    """`curves`: the curves of `fsmkit.curves`, as x goes from 0 to 1, two in a row."""
    cells = [
        f"![The curve of {call}]({link(page, PICTURES / f'{name}.svg')}) `{call}`"
        for name, (call, _) in SHOWN.items()
    ]
    rows = [f"| {one} | {other} |" for one, other in zip(cells[::2], cells[1::2], strict=True)]
    return "\n".join(["| | |", "| --- | --- |", *rows]), pictures()


def pictures() -> dict[Path, str]:
    """Return the pictures of all curves, light and dark."""
    return {
        PICTURES / f"{name}{suffix}.svg": curve(call, function, theme)
        for name, (call, function) in SHOWN.items()
        for suffix, theme in (("", LIGHT), ("_dark", DARK))
    }
