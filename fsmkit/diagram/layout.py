"""Runs Graphviz, which lays pictures out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from math import sqrt
from pathlib import Path
from typing import Final

from fsmkit import FsmError

PURE: Final = "graphviz-pure"

RESOLUTION: Final = 192.0
"""Dots per inch of a PNG: twice those of an ordinary screen."""

MAX_PIXELS: Final = 16e6
"""The approximate limit for a PNG; larger pictures get a lower resolution."""


def svg_of(dot: str) -> str:
    """Return the picture that `dot` describes, as Graphviz writes it."""
    return _run([program(), "-Tsvg"], dot).decode()


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
    svg = _run([chosen, "-Tsvg"], dot).decode()
    return _run([chosen, "-Tpng", f"-Gdpi={_resolution(svg):.0f}"], dot)


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


def _run(command: list[str], dot: str) -> bytes:
    done = subprocess.run([*command, "-q"], input=dot.encode(), capture_output=True, check=False)
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
    return letter < "\u0530" or letter in "…–—‘’“”„•→←↑↓×·●►"
