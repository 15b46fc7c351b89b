"""RayCluster: the connection of this process to a Ray cluster, its own or another's."""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Mapping
from socket import create_connection
from tempfile import mkdtemp
from time import monotonic, sleep
from typing import Final
from weakref import finalize

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.shards.ray_package import private_cluster, ray
from fsmkit.crowd.this_computer import processors, too_few

HOST_AND_PORT: Final = re.compile(r"[^/]+:\d{1,5}")

SECONDS_TO_CONNECT: Final = 10.0

SECONDS_TO_GET_FREE: Final = 3.0
"""How long processors may take to be free again after a crowd on them was closed."""


class RayCluster:
    """A connection of this process that is held by one crowd or more, and left by each."""

    def __init__(self, address: str | None, folder: str | None) -> None:
        self.address = address
        """None for a cluster that was started here."""
        self._crowds = 0
        self._close = finalize(self, _close, folder)  # at the end of the program at the latest

    def join(self) -> None:
        """Let one crowd more use it."""
        self._crowds += 1

    def leave(self) -> None:
        """Let one crowd less use it; the last one closes it."""
        self._crowds -= 1
        if not self._crowds and self in _OWN:
            _OWN.clear()
            self._close()

    def check_free(self, count: int) -> None:
        """Raise CrowdError unless so many processors are free: actors would wait for ever."""
        latest = monotonic() + SECONDS_TO_GET_FREE
        while (free := free_processors()) < count <= _processors(ray.cluster_resources()):
            if monotonic() > latest:
                break
            sleep(0.05)
        if free < count:
            raise too_few(count, free, "the Ray cluster")


class UsersCluster(RayCluster):
    """A connection that the user has made, and closes."""

    def __init__(self) -> None:
        super().__init__(None, None)
        self._close.detach()


_OWN: Final[list[RayCluster]] = []
"""The connection that was opened here, if there is one. Ray allows one in each process."""


def joined(address: str | None, fewest: int) -> RayCluster:
    """Return the connection of this process for one crowd more; open it if there is none.

    A cluster that is started here must have `fewest` processors. Raises CrowdError if it has not,
    if the connection cannot be made, or leads to another cluster already.
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
    cluster = _OWN[0] if _OWN else UsersCluster()
    cluster.join()
    return cluster


def _opened(address: str | None, fewest: int) -> RayCluster:
    if address is not None:
        try:
            _connect(address)
        except Exception as error:  # Ray raises this and that
            raise CrowdError(f"The Ray cluster {address!r} cannot be reached: {error}") from error
        return RayCluster(address, None)
    if fewest > processors():
        raise too_few(fewest, processors(), "this computer")
    folder = _short_folder()
    try:
        _start(folder)
    except BaseException as error:
        _close(folder)
        if isinstance(error, Exception):
            raise CrowdError(f"Ray cannot be started on this computer: {error}") from error
        raise
    return RayCluster(None, folder)


def free_processors() -> int:
    """Return the number of processors that no actor has."""
    return _processors(ray.available_resources())


def _processors(resources: Mapping[str, float]) -> int:
    return int(resources.get("CPU", 0))


def _cluster_address(address: str | None) -> str | None:
    """Return the address that Ray would take; None if a cluster has to be started."""
    named = address or os.environ.get("RAY_ADDRESS") or "local"
    return None if named == "local" else named


def _connect(address: str) -> None:
    """Connect this process to a cluster. Raises OSError, or what Ray finds wrong."""
    if HOST_AND_PORT.fullmatch(address):  # Ray would try again and again, for minutes
        host, _, port = address.rpartition(":")
        create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT).close()
    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)


def _start(folder: str) -> None:
    """Start a cluster, with a folder for its files. Raises what Ray finds wrong."""
    with private_cluster():
        ray.init(
            address="local",
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            _temp_dir=folder,
        )


def _short_folder() -> str:
    """Return a new folder for Ray's logs and sockets, whose paths must not be long."""
    at = os.environ.get("RAY_TMPDIR") or ("/tmp" if os.name == "posix" else None)
    return mkdtemp(prefix="fsmkit-ray-", dir=at)


def _close(folder: str | None) -> None:
    ray.shutdown()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
