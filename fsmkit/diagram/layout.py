"""Runs Graphviz, which lays pictures out."""

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

MAX_LAYERED_EDGES: Final = 100
"""Pictures with no more edges have no time limit, so they are the same on any computer."""

LAYERED_TIMEOUT: Final = 0.8
"""Seconds that others may take before they are drawn as a cloud."""

CLOUD_OPTIONS: Final = (
    "-Kfdp", "-Goverlap=prism", "-Gsplines=line", "-GK=2", "-Gsep=+24", "-Goutputorder=edgesfirst",
)  # fmt: skip
"""The options that quickly draw densely connected states as a readable cloud."""

RESOLUTION: Final = 192.0
"""Dots per inch of a PNG: twice those of an ordinary screen."""

MAX_PIXELS: Final = 16e6
"""The approximate limit for a PNG; larger pictures get a lower resolution."""


def svg_of(dot: str) -> str:
    """Return the picture that `dot` describes, as Graphviz writes it."""
    svg, _ = _laid_out(program(), dot)
    return svg


def png_of(dot: str) -> bytes:
    """Return the picture that `dot` describes as a PNG.

    graphviz-pure has a limited set of letters. If the text has others, a `dot` program is used if
    there is one; otherwise they are written as their code points.
    """
    chosen = program()
    if not _has_letters(chosen, dot):
        chosen = shutil.which("dot") or chosen
    if not _has_letters(chosen, dot):
        dot = "".join(c if _is_known(c) else f"\\\\u{ord(c):04x}" for c in dot)
    svg, options = _laid_out(chosen, dot)
    return _run([chosen, "-Tpng", f"-Gdpi={_resolution(svg):.0f}", *options], dot)


def program() -> str:
    """Return the path of the Graphviz program. Raises ImportError if there is none."""
    beside = os.pathsep.join([sysconfig.get_path("scripts"), str(Path(sys.executable).parent)])
    found = shutil.which(PURE, path=beside) or shutil.which(PURE) or shutil.which("dot")
    if found is None:
        raise ImportError(
            "SVG and PNG pictures need Graphviz, and it is not installed. Install it with "
            "`pip install 'fsmkit[diagram]'`, or install Graphviz on your system, so that there "
            "is a `dot` on the PATH. to_mermaid(), to_dot() and to_text() need neither."
        )
    return found


def _laid_out(path: str, dot: str) -> tuple[str, tuple[str, ...]]:
    """Return the SVG, and the options that were used.

    States in layers, in the order of their transitions, are the best picture of nearly every
    machine. But two hundred densely connected states would take minutes, so a cloud is begun too.
    """
    if dot.count(" -> ") <= MAX_LAYERED_EDGES:
        return _run([path, "-Tsvg"], dot).decode(), ()
    with ThreadPoolExecutor() as pool:
        cloud = pool.submit(_run, [path, "-Tsvg", *CLOUD_OPTIONS], dot)
        try:
            return _run([path, "-Tsvg"], dot, timeout=LAYERED_TIMEOUT).decode(), ()
        except subprocess.TimeoutExpired:
            return cloud.result().decode(), CLOUD_OPTIONS


def _run(command: list[str], dot: str, timeout: float | None = None) -> bytes:
    done = subprocess.run(
        [*command, "-q"], input=dot.encode(), capture_output=True, check=False, timeout=timeout
    )
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise FsmError(
            f"{command[0]!r} failed to lay out the picture: {message or done.returncode}"
        )
    return done.stdout


def _resolution(svg: str) -> float:
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    square_inches = float(size[1]) * float(size[2]) / 72.0**2 if size else 0.0
    return min(RESOLUTION, sqrt(MAX_PIXELS / square_inches)) if square_inches else RESOLUTION


def _has_letters(path: str, dot: str) -> bool:
    return Path(path).stem != PURE or all(map(_is_known, dot))


def _is_known(letter: str) -> bool:
    """Return True if graphviz-pure has the letter: Latin, Greek, Cyrillic and some signs."""
    return letter < "\u0530" or letter in "…–—‘’“”„•→←↑↓×·"
