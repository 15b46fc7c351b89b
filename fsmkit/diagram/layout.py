"""Runs Graphviz, which lays pictures out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from fsmkit import FsmError

PURE: Final = "graphviz-pure"

Draw: TypeAlias = Callable[[str], str]
"""Returns, as SVG, the picture that a text in the DOT language describes."""


def svg_of(dot: str) -> str:
    """Return the picture that `dot` describes, as Graphviz writes it."""
    return drawn_by(program(), "-Tsvg", dot=dot).decode()


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


def drawn_by(path: str, *options: str, dot: str) -> bytes:
    """Return what the Graphviz program at `path` makes of `dot`. Raises FsmError if it fails."""
    done = subprocess.run(
        [path, *options, "-q"], input=dot.encode(), capture_output=True, check=False
    )
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise FsmError(f"{path!r} failed to lay out the picture: {message or done.returncode}")
    return done.stdout
