"""DaskCluster: a connection to a Dask cluster, and the process of one that was started here."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Thread
from typing import Any, Final
from weakref import finalize

from fsmkit.crowd.arguments import integer
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.shards.dask_package import distributed
from fsmkit.crowd.this_computer import environment

PROGRAM: Final = "fsmkit.crowd.shards.dask_process"

SECONDS_TO_START: Final = 120.0
"""How long a cluster may take to start; it is about two seconds on an idle computer."""
SECONDS_TO_CONNECT: Final = 30.0
SECONDS_TO_ASK: Final = 10.0
"""How long a scheduler may take to say which workers it has."""
SECONDS_TO_END: Final = 15.0


class DaskCluster:
    """A client, and what was started for it."""

    def __init__(self, client: Any, *, is_ours: bool, process: Popen[bytes] | None = None) -> None:
        self.client = client
        self.process = process
        """The process of the cluster, if it was started here."""
        self._close = finalize(self, _close, client, process)
        if not is_ours:
            self._close.detach()

    @classmethod
    def of(cls, given: Any) -> DaskCluster:
        """Return the connection to a new cluster (a number), one at an address, or of a client.

        Raises CrowdError if it cannot be reached, or if a client is asynchronous.
        """
        workers = integer(given)
        if workers is not None:
            process = _started(workers)
            return cls(_connected(_address(process), process), is_ours=True, process=process)
        if isinstance(given, str):
            return cls(_connected(given, None), is_ours=True)
        if not isinstance(given, distributed.Client):
            raise CrowdError(
                "DaskShards must be given a number, a distributed.Client or an address, got "
                f"{given!r}."
            )
        if given.asynchronous or given.status != "running":
            kind = "asynchronous" if given.asynchronous else given.status
            raise CrowdError(
                f"The client of DaskShards must be synchronous and open, it is {kind}."
            )
        return cls(given, is_ours=False)

    def workers(self, seconds: float = SECONDS_TO_ASK) -> list[str]:
        """Return the addresses of the workers. Raises OSError if there is no answer in time."""
        asked = self.client.sync(self.client.scheduler.ncores, callback_timeout=seconds)
        return sorted(asked)

    def restart(self, addresses: Iterable[str]) -> None:
        """End the processes of workers, if the cluster was started here; others come in time."""
        if self.process is not None:
            with suppress(Exception):  # one that has just gone, or that does not answer
                self.client.restart_workers(
                    list(addresses), timeout=SECONDS_TO_ASK, raise_for_error=False
                )

    def close(self) -> None:
        """Close the connection, and end the cluster, if that was opened here."""
        self._close()


def _started(workers: int) -> Popen[bytes]:
    return Popen(
        [sys.executable, "-P", "-m", PROGRAM, str(workers)],
        stdin=PIPE,
        stdout=PIPE,
        env=environment(),
        start_new_session=True,  # Ctrl-C is for the driver, which ends it
    )


def _address(process: Popen[bytes]) -> str:
    """Return what the process prints."""
    lines: SimpleQueue[bytes] = SimpleQueue()
    assert process.stdout is not None
    Thread(
        target=lambda out: lines.put(out.readline()), args=(process.stdout,), daemon=True
    ).start()
    try:
        address = lines.get(timeout=SECONDS_TO_START).decode().strip()
    except Empty:
        address = ""
    if not address:
        _end(process)
        raise CrowdError(f"No Dask cluster could be started here: {process.returncode}.")
    return address


def _connected(address: str, process: Popen[bytes] | None) -> Any:
    try:
        return distributed.Client(
            address,
            timeout=SECONDS_TO_CONNECT,
            set_as_default=False,
            direct_to_workers=None if process is None else True,
        )
    except BaseException as error:
        if process is not None:
            _end(process)
        if isinstance(error, OSError | ValueError):
            raise CrowdError(f"The Dask cluster {address!r} cannot be reached: {error}") from None
        raise


def _close(client: Any, process: Popen[bytes] | None) -> None:
    with suppress(Exception):  # whatever is wrong with it, the process must be ended
        client.close(timeout=SECONDS_TO_ASK)
    if process is not None:
        _end(process)


def _end(process: Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(SECONDS_TO_END)
    except TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
