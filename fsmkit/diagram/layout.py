"""Runs Graphviz, which finds a place for everything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Final

from fsmkit import FsmError

PURE: Final = "graphviz-pure"
SCALE: Final = "192"
"""Dots per inch of a PNG: twice as many as an ordinary screen has."""

FEW_ARROWS: Final = 100
PATIENCE: Final = 0.7
"""Seconds that more arrows than those may take. A tangle is then drawn in haste: two hundred states
with an arrow each to any other took minutes otherwise, and take two seconds so."""

IN_HASTE: Final = ("-Gnslimit=2", "-Gnslimit1=2", "-Gmclimit=0.3", "-Gsplines=line")


def svg_of(dot: str) -> str:
    """The picture that `dot` describes, as Graphviz writes it."""
    return _run(program(), "svg", dot).decode()


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
    return _run(chosen, "png", dot, f"-Gdpi={SCALE}")


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


def _run(path: str, format_: str, dot: str, *options: str) -> bytes:
    command = [path, f"-T{format_}", "-q", *options]
    patience = PATIENCE if dot.count(" -> ") > FEW_ARROWS else None
    try:
        done = subprocess.run(
            command, input=dot.encode(), capture_output=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        done = subprocess.run(
            [*command, *IN_HASTE], input=dot.encode(), capture_output=True, check=False
        )
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip()
        raise FsmError(f"{path!r} failed to lay out the picture: {told or done.returncode}")
    return done.stdout


def _has_letters(path: str, dot: str) -> bool:
    return Path(path).stem != PURE or all(map(_is_known, dot))


def _is_known(letter: str) -> bool:
    """Whether graphviz-pure has the letter: Latin, Greek, Cyrillic and some signs."""
    return letter < "\u0530" or letter in "…–—‘’“”„•→←↑↓×·"
