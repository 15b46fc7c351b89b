"""This computer, as processes of ours find it: its processors, and their environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from fsmkit.crowd.errors import CrowdError


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def environment() -> dict[str, str]:
    """Return the environment of a process of ours, which finds the same packages as this one."""
    folders = [each or str(Path.cwd()) for each in sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def too_few(shards: int, free: int, where: str) -> CrowdError:
    """Return the error for more shards than free processors."""
    return CrowdError(
        f"{shards} shards, {free} free CPUs on {where}. Take fewer, start more workers, or let "
        "them share: share_cpus=True."
    )
