"""Runs Graphviz, which lays pictures out: as SVG, with labels above all arrows, and as PNG.

graphviz-pure brings its own fonts, so a PNG is the same on every computer. They have Latin, Greek
and Cyrillic letters. A picture with other letters is laid out as SVG, and drawn by resvg with the
fonts of the computer.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Final, TypeAlias

from fsmkit import FsmError
from fsmkit.diagram.labels import FIXED_AREA
from fsmkit.terminal.frozen_program import is_frozen

PURE: Final = "graphviz-pure"

NO_WINDOW: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
"""On Windows, a game without a console would otherwise open one for a moment."""

Draw: TypeAlias = Callable[[str], str]
"""Returns the SVG picture of a text in the DOT language."""

ARROW: Final = re.compile(
    r'(<g id="[^"]*" class="edge (?:transition|extends)[^"]*">\n'
    r"(<title>[^<]*</title>\n)(?:<[^t][^>]*>\n)*?)"
    r'(<polygon [^>]*stroke="(?:none|transparent)".*?)(?=</g>)',
    re.DOTALL,
)
"""An arrow: its tooltip, its line and its head, and then its label with its own background."""


def svg_of(dot: str) -> str:
    return drawn_by(program(), "-Tsvg", dot=dot).decode()


def program() -> str:
    """Return the path of the Graphviz program. Raises ImportError if it is missing."""
    found = installed_program() or shutil.which(PURE) or shutil.which("dot")
    if found is None:
        raise ImportError(_IS_LEFT_OUT if is_frozen() else _IS_MISSING)
    return found


def installed_program() -> str | None:
    """Return the path of graphviz-pure if it came with the extra, or lies in a frozen program."""
    folders = [sysconfig.get_path("scripts"), Path(sys.executable).parent]
    if is_frozen():
        folders.append(Path(__file__).parents[2])
    return shutil.which(PURE, path=os.pathsep.join(map(str, folders)))


_IS_MISSING: Final = (
    "SVG and PNG pictures need Graphviz, which is not installed. Install it with "
    "`pip install 'fsmkit[diagram]'`, or install Graphviz on your system, with its `dot` "
    "on the PATH. to_mermaid(), to_dot() and to_text() need neither."
)
_IS_LEFT_OUT: Final = (
    "SVG and PNG pictures need Graphviz, which is not in this program. Build it again where "
    "`fsmkit[diagram]` is installed: PyInstaller then includes it, for other tools see the page "
    '"Ship your game". A `dot` on the PATH will do as well. to_mermaid(), to_dot() and to_text() '
    "need neither."
)


def drawn_by(path: str, *options: str, dot: str) -> bytes:
    """Return the output of the Graphviz program at `path`. Raises FsmError if it fails."""
    done = subprocess.run(
        [path, *options, "-q"],
        input=dot.encode(), capture_output=True, check=False, creationflags=NO_WINDOW,
    )  # fmt: skip
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise FsmError(f"{path!r} failed to lay out the picture: {message or done.returncode}")
    return done.stdout


def with_labels_on_top(svg: str) -> str:
    """Return the picture with the labels of arrows in groups of their own, after all arrows."""
    labels: list[str] = []

    def lift(arrow: re.Match[str]) -> str:
        labels.append(f'<g class="label">\n{arrow[2]}{arrow[3]}</g>\n')
        return arrow[1]

    svg = ARROW.sub(lift, svg)
    if not labels:
        return svg
    end = svg.rindex("</g>")
    return f"{svg[:end]}{''.join(labels)}{svg[end:]}"


# PNG

RESOLUTION: Final = 192.0
"""Dots per inch of a PNG: twice those of an ordinary screen."""

MAX_PIXELS: Final = 16e6
"""The approximate limit for a PNG; larger pictures get a lower resolution."""

SIZE: Final = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')

KNOWN: Final = "…–—‘’“”„•→←↑↓×·●"
"""Characters of graphviz-pure's fonts beside Latin, Greek and Cyrillic letters."""

FAMILY: Final = re.compile(r'font-family="[^"]*"')
FAMILIES: Final = (
    "Helvetica, Arial, Liberation Sans, Arimo, Nimbus Sans, Noto Sans, DejaVu Sans, sans-serif"
)
"""Fonts with letters of the widths that were laid out, or nearly so; the first available one is
used. Letters that it lacks come from any other font."""

STRETCH: Final = 'font-stretch="semi-condensed"'
"""The letters of the last two are too wide, unless there are narrower ones."""

NO_LETTER: Final = "\U0010fff0"
"""A character that no font has."""

PARTS_OF_LETTERS: Final = ("Cf", "Mn", "Me")
"""The categories of characters that are part of a letter beside them."""

MOST_NAMED: Final = 12
"""The letters that a warning shows."""


def png_of(dot: str, dots_per_inch: float | None = None) -> bytes:
    """Return the picture that `dot` describes as a PNG, by default large enough for print.

    Letters that cannot be drawn here are written as their code points, with a UserWarning.
    """
    chosen = program()
    strange = {letter for letter in dot if not _is_known(letter)}
    if not strange or Path(chosen).stem != PURE:
        return _by_graphviz(chosen, dot, dots_per_inch)
    if _can_draw_letters():
        missing = without_font(strange)
        dot = _without_letters(dot, missing, "Install a font that has them, such as Noto Sans")
        draw = _by_resvg if strange > missing else _by_graphviz
        return draw(chosen, dot, dots_per_inch)
    if other := shutil.which("dot"):
        return _by_graphviz(other, dot, dots_per_inch)
    advice = "Install `pip install 'fsmkit[diagram]'`, and a font that has them"
    return _by_graphviz(chosen, _without_letters(dot, strange, advice), dots_per_inch)


def without_font(letters: Iterable[str]) -> set[str]:
    """Return the letters that no font of the computer has.

    One letter of a script stands for all: a font has all of a script or nothing.
    """
    scripts: dict[str, list[str]] = {}
    for letter in sorted(letters):
        scripts.setdefault(unicodedata.name(letter, "").partition(" ")[0], []).append(letter)
    return {letter for same in scripts.values() if not _is_drawn(same) for letter in same}


def _is_drawn(letters: Sequence[str]) -> bool:
    whole = (each for each in letters if unicodedata.category(each) not in PARTS_OF_LETTERS)
    return all(map(_has_font, islice(whole, 1)))


def _by_graphviz(path: str, dot: str, dots_per_inch: float | None = None) -> bytes:
    dots = dots_per_inch or _resolution(drawn_by(path, "-Tsvg", dot=dot).decode())
    return drawn_by(path, "-Tpng", f"-Gdpi={dots:.0f}", dot=dot)


def _by_resvg(path: str, dot: str, dots_per_inch: float | None = None) -> bytes:
    svg = with_labels_on_top(drawn_by(path, "-Tsvg", dot=dot).decode())
    svg = FAMILY.sub(f'font-family="{FAMILIES}" {STRETCH}', svg)
    return _rendered(svg, dots_per_inch or _resolution(svg))


def _rendered(svg: str, dots_per_inch: float) -> bytes:
    from resvg_py import svg_to_bytes  # an extra

    return svg_to_bytes(svg_string=svg, dpi=dots_per_inch)


def _can_draw_letters() -> bool:
    try:
        return _letter("A") != _letter("")
    except ImportError:
        return False


def _has_font(letter: str) -> bool:
    return _letter(letter) not in (_letter(""), _letter(NO_LETTER))


@cache
def _letter(letter: str) -> bytes:
    size = 'xmlns="http://www.w3.org/2000/svg" width="40pt" height="40pt"'
    text = f'<text x="5" y="30" font-family="{FAMILIES}" font-size="20">{escape(letter)}</text>'
    return _rendered(f"<svg {size}>{text}</svg>", 72.0)


def _without_letters(dot: str, letters: set[str], advice: str) -> str:
    """Write `letters` as code points. If there are any, warn, with advice."""
    if not letters:
        return dot
    some = "".join(sorted(letters)[:MOST_NAMED]) + "…" * (len(letters) > MOST_NAMED)
    warnings.warn(
        f"The PNG has code points in place of letters that cannot be drawn here: {some}. {advice}, "
        "or write an SVG, which is drawn with the fonts of the viewer.",
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
