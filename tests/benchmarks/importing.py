"""How much longer a fresh interpreter takes to start because of an import."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter


def seconds_to_run(statement: str) -> float:
    """Wall time of a fresh interpreter that runs `statement` and ends.

    The interpreter is isolated from the environment and the current folder, so that it finds only
    what is installed.
    """
    begin = perf_counter()
    subprocess.run([sys.executable, "-I", "-c", statement], check=True)
    return perf_counter() - begin
