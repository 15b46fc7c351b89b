"""RayWorkers: the actors of a crowd on a Ray cluster, which may be started on this computer.

Ray, an optional package, is imported here and nowhere else.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from socket import create_connection
from tempfile import mkdtemp
from time import monotonic, sleep
from typing import Any, Final
from weakref import finalize

from fsmkit.crowd.argument_checks import processors
from fsmkit.crowd.errors import CrowdError, WorkerLostError, too_few_processors
from fsmkit.crowd.shards.workers import Description, ShardWorker, Workers, describe

try:
    import ray
    from ray import exceptions
    from ray._private import ray_constants
except ImportError as error:
    raise ImportError("RayShards needs Ray: pip install 'fsmkit[ray]'.") from error

SETTINGS: Final[Mapping[str, str | None]] = {
    "RAY_worker_niceness": "0",  # 15 by default: shards would starve on a busy computer
    # Else the cluster can be reached from other computers. The name misleads: it holds everywhere.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "PYTHONBREAKPOINT": None,  # Ray sets it, and breakpoint() would open Ray's debugger
}
"""The environment of the processes of a cluster."""

CONSTANTS: Final[Mapping[str, bool]] = {
    "ENABLE_RAY_CLUSTER": False,  # as above, for this process
    # Else `uv run` has Ray copy the working directory, and make another environment for workers.
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": False,
}
"""Settings that Ray read from the environment when it was imported, perhaps by the user."""

HOST_AND_PORT: Final = re.compile(r"[^/]+:\d{1,5}")

SECONDS_TO_CONNECT: Final = 10.0

SECONDS_TO_GET_FREE: Final = 3.0
"""How long processors may take to become free after a crowd on them was closed."""


class RayWorkers(Workers):
    def __init__(self, cluster: RayCluster, count: int, cpus: int) -> None:
        super().__init__(count)
        self._cluster: RayCluster | None = cluster
        self._cpus = cpus
        self._kind = ray.remote(num_cpus=cpus, max_restarts=0, max_task_retries=0)(ShardWorker)
        self._was_started = [False] * count

    def _started(self, shard: int, seconds: float) -> RayActor:
        latest = monotonic() + seconds
        # An actor without a processor would wait forever, silently.
        while self._was_started[shard] and free_processors() < self._cpus:
            if monotonic() > latest:
                raise WorkerLostError(f"No CPU of the Ray cluster is free for shard {shard}.")
            sleep(0.05)
        self._was_started[shard] = True
        return RayActor(self._kind.remote(), shard)

    def close(self) -> None:
        if self._cluster is not None:
            super().close()
            self._cluster.leave()
            self._cluster = None


class RayActor:
    def __init__(self, actor: Any, shard: int) -> None:
        self._actor = actor
        self._shard = shard
        self._answer: Any = None

    def ask(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._answer = self._actor.answer.remote(name, arguments)

    def collect(self, seconds: float) -> Any:
        try:
            reply: Any = ray.get(self._answer, timeout=max(0.0, seconds))
        except exceptions.GetTimeoutError:
            raise TimeoutError(f"The actor of shard {self._shard} has not answered.") from None
        except exceptions.RayTaskError as error:
            last_line = str(error).strip().splitlines()[-1]
            raise CrowdError(
                f"The actor of shard {self._shard} cannot run fsmkit: {last_line}. Install the "
                "same packages on all hosts."
            ) from error
        except exceptions.RayError as error:
            raise WorkerLostError(f"The actor of shard {self._shard} was lost: {error}") from None
        if isinstance(reply.value, Description):
            _check_niceness(reply.value.niceness)
        return reply

    def end(self) -> None:
        if ray.is_initialized():
            ray.kill(self._actor)


def _check_niceness(theirs: int) -> None:
    if theirs > describe().niceness:
        warnings.warn(
            f"Ray's workers run at niceness {theirs}, so other programs go first. Start Ray with "
            "RAY_worker_niceness=0 in its environment.",
            RuntimeWarning,
            stacklevel=2,
        )


class RayCluster:
    """The connection of this process to a Ray cluster, which one crowd or more have joined."""

    def __init__(self, address: str | None, folder: str | None, *, is_ours: bool = True) -> None:
        self.address = address
        """None for a cluster that was started here."""
        self.crowds = 0
        """The number of crowds that have joined it."""
        self._close = finalize(self, _close, folder)  # at the end of the program at the latest
        if not is_ours:
            self._close.detach()

    def leave(self) -> None:
        """Leave it with one crowd; the last one closes it, unless the user has opened it."""
        self.crowds -= 1
        if not self.crowds and self in _OWN:
            _OWN.clear()
            self._close()

    def check_free(self, count: int) -> None:
        """Raise CrowdError unless that many processors are free: actors would wait forever."""
        latest = monotonic() + SECONDS_TO_GET_FREE
        while (free := free_processors()) < count <= _processors(ray.cluster_resources()):
            if monotonic() > latest:
                break
            sleep(0.05)
        if free < count:
            raise too_few_processors(count, free, "the Ray cluster")


_OWN: Final[list[RayCluster]] = []
"""The connection that was opened here, if there is one. Ray allows one in each process."""


def joined(address: str | None, fewest: int) -> RayCluster:
    """Join the connection of this process with a crowd; open it if there is none.

    A cluster that is started here must have `fewest` processors. Raises CrowdError if it has fewer,
    if the connection cannot be made, and if there is one to another cluster.
    """
    if not ray.is_initialized():
        _OWN.clear()  # the user has closed it
        _OWN.append(_opened(_cluster_address(address), fewest))
    elif not _OWN and address is not None:
        raise CrowdError(
            f"This process is connected to Ray already. Leave out the address {address!r}, or "
            "call ray.shutdown() first."
        )
    elif _OWN and _OWN[0].address != _cluster_address(address):
        raise CrowdError(
            f"This process has crowds on the Ray cluster {_OWN[0].address or 'of its own'}, and "
            "Ray connects a process to one only. Close them first."
        )
    cluster = _OWN[0] if _OWN else RayCluster(None, None, is_ours=False)
    cluster.crowds += 1
    return cluster


def _opened(address: str | None, fewest: int) -> RayCluster:
    if address is not None:
        try:
            _connect(address)
        except Exception as error:  # Ray raises errors of many kinds
            raise CrowdError(f"The Ray cluster {address!r} cannot be reached: {error}") from error
        return RayCluster(address, None)
    if fewest > processors():
        raise too_few_processors(fewest, processors(), "this computer")
    # Ray's logs and sockets are there, whose paths must not be long.
    at = os.environ.get("RAY_TMPDIR") or ("/tmp" if os.name == "posix" else None)
    folder = mkdtemp(prefix="fsmkit-ray-", dir=at)
    try:
        _start(folder)
    except BaseException as error:
        _close(folder)
        if isinstance(error, Exception):
            raise CrowdError(f"Ray cannot be started on this computer: {error}") from error
        raise
    return RayCluster(None, folder)


def free_processors() -> int:
    return _processors(ray.available_resources())


def _processors(resources: Mapping[str, float]) -> int:
    return int(resources.get("CPU", 0))


def _cluster_address(address: str | None) -> str | None:
    named = address or os.environ.get("RAY_ADDRESS") or "local"
    return None if named == "local" else named


def _connect(address: str) -> None:
    if HOST_AND_PORT.fullmatch(address):  # Ray would retry for minutes
        host, _, port = address.rpartition(":")
        create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT).close()
    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)


def _start(folder: str) -> None:
    """Start a cluster that only this computer can reach."""
    constants = ray_constants.__dict__
    known = {name: value for name, value in CONSTANTS.items() if name in constants}
    with _replaced(constants, known), _replaced(os.environ, SETTINGS):
        ray.init(
            address="local",
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            _temp_dir=folder,
        )


def _close(folder: str | None) -> None:
    ray.shutdown()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _replaced(values: MutableMapping[str, Any], new: Mapping[str, Any]) -> Iterator[None]:
    """Replace some values in a block; for one of None only undo the changes made to it."""
    before = {name: values[name] for name in new if name in values}
    values.update({name: value for name, value in new.items() if value is not None})
    try:
        yield
    finally:
        for name in new:
            values.pop(name, None)
        values.update(before)
