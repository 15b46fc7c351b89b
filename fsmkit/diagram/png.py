"""PNG pictures: what has laid them out draws them, or resvg where letters are missing.

graphviz-pure brings fonts of its own, so that a PNG is the same on every computer. They have Latin,
Greek and Cyrillic letters. A picture with others is laid out as SVG, and drawn with the fonts of
the computer.
"""

from __future__ import annotations

import re
import shutil
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Final

from fsmkit.diagram.labels import FIXED_AREA
from fsmkit.diagram.layout import PURE, drawn_by, program
from fsmkit.diagram.lifting import with_labels_on_top

RESOLUTION: Final = 192.0
"""Dots per inch of a PNG: twice those of an ordinary screen."""

MAX_PIXELS: Final = 16e6
"""The approximate limit for a PNG; larger pictures get a lower resolution."""

SIZE: Final = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')

KNOWN: Final = "…–—‘’“”„•→←↑↓×·●"
"""What the fonts of graphviz-pure have beside Latin, Greek and Cyrillic letters."""

FAMILY: Final = re.compile(r'font-family="[^"]*"')
FAMILIES: Final = (
    "Helvetica, Arial, Liberation Sans, Arimo, Nimbus Sans, Noto Sans, DejaVu Sans, sans-serif"
)
"""Fonts with letters of the widths that were laid out, or nearly so; the first one is taken that
the computer has. Letters that it lacks come from any other font."""

STRETCH: Final = 'font-stretch="semi-condensed"'
"""The letters of the last two are too wide, unless there are narrower ones."""

NO_LETTER: Final = "\U0010fff0"
"""A character that no font has."""

PARTS_OF_LETTERS: Final = ("Cf", "Mn", "Me")
"""The categories of characters that are part of a letter beside them."""

MOST_NAMED: Final = 12
"""The letters that a warning shows."""


def png_of(dot: str) -> bytes:
    """Return the picture that `dot` describes as a PNG.

    Letters that nothing here can draw are written as their code points, with a UserWarning.
    """
    chosen = program()
    strange = {letter for letter in dot if not _is_known(letter)}
    if not strange or Path(chosen).stem != PURE:
        return _by_graphviz(chosen, dot)
    if _can_draw_letters():
        missing = without_font(strange)
        dot = _without_letters(dot, missing, "Install a font that has them, such as Noto Sans")
        return _by_resvg(chosen, dot) if strange > missing else _by_graphviz(chosen, dot)
    if other := shutil.which("dot"):
        return _by_graphviz(other, dot)
    advice = "Install `pip install 'fsmkit[diagram]'`, and a font that has them"
    return _by_graphviz(chosen, _without_letters(dot, strange, advice))


def without_font(letters: Iterable[str]) -> set[str]:
    """Return the letters that no font of the computer has.

    One letter of a script stands for all: a font has a script, or it has not.
    """
    scripts: dict[str, list[str]] = {}
    for letter in sorted(letters):
        scripts.setdefault(unicodedata.name(letter, "").partition(" ")[0], []).append(letter)
    return {letter for same in scripts.values() if not _is_drawn(same) for letter in same}


def _is_drawn(letters: Sequence[str]) -> bool:
    whole = (each for each in letters if unicodedata.category(each) not in PARTS_OF_LETTERS)
    return all(map(_has_font, islice(whole, 1)))


def _by_graphviz(path: str, dot: str) -> bytes:
    dots = f"-Gdpi={_resolution(drawn_by(path, '-Tsvg', dot=dot).decode()):.0f}"
    return drawn_by(path, "-Tpng", dots, dot=dot)


def _by_resvg(path: str, dot: str) -> bytes:
    svg = with_labels_on_top(drawn_by(path, "-Tsvg", dot=dot).decode())
    return _rendered(FAMILY.sub(f'font-family="{FAMILIES}" {STRETCH}', svg), _resolution(svg))


def _rendered(svg: str, dots_per_inch: float) -> bytes:
    from resvg_py import svg_to_bytes  # an extra

    return svg_to_bytes(svg_string=svg, dpi=dots_per_inch)


def _can_draw_letters() -> bool:
    """Return True if there is resvg, and a font."""
    try:
        return _letter("A") != _letter("")
    except ImportError:
        return False


def _has_font(letter: str) -> bool:
    return _letter(letter) not in (_letter(""), _letter(NO_LETTER))


@cache
def _letter(letter: str) -> bytes:
    """Return a picture of a letter."""
    size = 'xmlns="http://www.w3.org/2000/svg" width="40pt" height="40pt"'
    text = f'<text x="5" y="30" font-family="{FAMILIES}" font-size="20">{escape(letter)}</text>'
    return _rendered(f"<svg {size}>{text}</svg>", 72.0)


def _without_letters(dot: str, letters: set[str], advice: str) -> str:
    """Write `letters` as code points. If there are any, warn, with what to do about it."""
    if not letters:
        return dot
    some = "".join(sorted(letters)[:MOST_NAMED]) + "…" * (len(letters) > MOST_NAMED)
    warnings.warn(
        f"The PNG has code points in place of letters that cannot be drawn here: {some}. {advice}, "
        "or write an SVG, which is drawn with the fonts of whoever looks at it.",
        stacklevel=4,
    )
    dot = dot.replace(FIXED_AREA, "")  # code points need more room than the letters
    return "".join(f"\\\\u{ord(c):04x}" if c in letters else c for c in dot)


def _resolution(svg: str) -> float:
    size = SIZE.search(svg)
    square_inches = float(size[1]) * float(size[2]) / 72.0**2 if size else 0.0
    return min(RESOLUTION, sqrt(MAX_PIXELS / square_inches)) if square_inches else RESOLUTION


def _is_known(letter: str) -> bool:
    """Return True if graphviz-pure has the letter: Latin, Greek, Cyrillic and some signs."""
    return letter < "\u0530" or letter in KNOWN
