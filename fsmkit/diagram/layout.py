"""Runs Graphviz, which finds a place for everything."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path
from typing import Final

from fsmkit import FsmError

PURE: Final = "graphviz-pure"

FEW_ARROWS: Final = 100
"""Pictures with no more take as long as they take, so that they are the same on any computer."""

PATIENCE: Final = 0.8
"""Seconds that others may take before they count as a tangle."""

TANGLE: Final = (
    "-Kfdp", "-Goverlap=prism", "-Gsplines=line", "-GK=2", "-Gsep=+24", "-Goutputorder=edgesfirst",
)  # fmt: skip
"""What makes a readable picture, soon, of states that lead all over the place: a cloud of them."""

RESOLUTION: Final = 192.0
"""Dots per inch of a PNG: twice as many as an ordinary screen has."""

PIXELS: Final = 16e6
"""About as many as a PNG may have; of larger pictures the resolution is lower."""


def svg_of(dot: str) -> str:
    """The picture that `dot` describes, as Graphviz writes it."""
    svg, _ = _laid_out(program(), dot)
    return svg


def png_of(dot: str) -> bytes:
    """The picture that `dot` describes in pixels.

    graphviz-pure has no letters but its own. With others in the text, a `dot` is taken if there is
    one; else they are written as their numbers.
    """
    chosen = program()
    if not _has_letters(chosen, dot):
        chosen = shutil.which("dot") or chosen
    if not _has_letters(chosen, dot):
        dot = "".join(c if _is_known(c) else f"\\\\u{ord(c):04x}" for c in dot)
    svg, options = _laid_out(chosen, dot)
    return _run([chosen, "-Tpng", f"-Gdpi={_resolution(svg):.0f}", *options], dot)


def program() -> str:
    """The path of the Graphviz program. Raises ImportError, which says how to get one."""
    beside = os.pathsep.join([sysconfig.get_path("scripts"), str(Path(sys.executable).parent)])
    found = shutil.which(PURE, path=beside) or shutil.which(PURE) or shutil.which("dot")
    if found is None:
        raise ImportError(
            "Pictures as SVG and PNG are laid out by Graphviz, and there is none. Install it with "
            "`pip install 'fsmkit[diagram]'`, or install a Graphviz of your system, so that there "
            "is a `dot` on the PATH. to_mermaid(), to_dot() and to_text() need neither."
        )
    return found


def _laid_out(path: str, dot: str) -> tuple[str, tuple[str, ...]]:
    """The SVG, and the options that it took.

    States in layers, as they follow each other, are the best picture of nearly every machine. But
    two hundred with arrows to any other would take minutes, so that a cloud of them is begun, too.
    """
    if dot.count(" -> ") <= FEW_ARROWS:
        return _run([path, "-Tsvg"], dot).decode(), ()
    with ThreadPoolExecutor() as pool:
        cloud = pool.submit(_run, [path, "-Tsvg", *TANGLE], dot)
        try:
            return _run([path, "-Tsvg"], dot, timeout=PATIENCE).decode(), ()
        except subprocess.TimeoutExpired:
            return cloud.result().decode(), TANGLE


def _run(command: list[str], dot: str, timeout: float | None = None) -> bytes:
    done = subprocess.run(
        [*command, "-q"], input=dot.encode(), capture_output=True, check=False, timeout=timeout
    )
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip()
        raise FsmError(f"{command[0]!r} failed to lay out the picture: {told or done.returncode}")
    return done.stdout


def _resolution(svg: str) -> float:
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    square_inches = float(size[1]) * float(size[2]) / 72.0**2 if size else 0.0
    return min(RESOLUTION, sqrt(PIXELS / square_inches)) if square_inches else RESOLUTION


def _has_letters(path: str, dot: str) -> bool:
    return Path(path).stem != PURE or all(map(_is_known, dot))


def _is_known(letter: str) -> bool:
    """Whether graphviz-pure has the letter: Latin, Greek, Cyrillic and some signs."""
    return letter < "\u0530" or letter in "…–—‘’“”„•→←↑↓×·"
