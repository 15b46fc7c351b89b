"""The time that an import adds to the start of a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from time import perf_counter


def seconds_to_run(statement: str, environment: Mapping[str, str] | None = None) -> float:
    """Return the wall time of a fresh interpreter that runs `statement` and ends.

    Python's own variables in `environment` and the current folder are ignored, so that the
    interpreter finds only what is installed.
    """
    begin = perf_counter()
    subprocess.run([sys.executable, "-I", "-c", statement], check=True, env=environment)
    return perf_counter() - begin
