"""Ray, an optional package: imported here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

try:
    import ray
    from ray import exceptions
    from ray._private import ray_constants
except ImportError as error:
    raise ImportError("RayShards needs Ray: pip install 'fsmkit[ray]'.") from error

__all__ = ["Actor", "exceptions", "private_cluster", "ray"]

Actor: TypeAlias = Any
"""The driver's handle of an actor. Ray makes its methods at run time."""

SETTINGS: Final[Mapping[str, str | None]] = {
    "RAY_worker_niceness": "0",  # 15 by default: shards would starve on a busy computer
    # Else the cluster can be reached from other computers. The name misleads: it holds everywhere.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "PYTHONBREAKPOINT": None,  # Ray sets it, and breakpoint() would open Ray's debugger
}
"""What the processes of a cluster read from their environment."""

CONSTANTS: Final[Mapping[str, bool]] = {
    "ENABLE_RAY_CLUSTER": False,  # as above, for this process
    # Else `uv run` has Ray copy the working directory, and make another environment for workers.
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": False,
}
"""What Ray read from the environment when it was imported, perhaps by the user long ago."""


@contextmanager
def private_cluster() -> Iterator[None]:
    """Have `ray.init` start a cluster that only this computer can reach, with these settings."""
    constants = ray_constants.__dict__
    known = {name: value for name, value in CONSTANTS.items() if name in constants}
    with _replaced(constants, known), _replaced(os.environ, SETTINGS):
        yield


@contextmanager
def _replaced(values: MutableMapping[str, Any], new: Mapping[str, Any]) -> Iterator[None]:
    """Replace some values for a while; None stands for what may change, but not for longer."""
    before = {name: values[name] for name in new if name in values}
    values.update({name: value for name, value in new.items() if value is not None})
    try:
        yield
    finally:
        for name in new:
            values.pop(name, None)
        values.update(before)
