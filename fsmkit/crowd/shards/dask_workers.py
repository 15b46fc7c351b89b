"""DaskWorkers: the actors of a crowd on a Dask cluster, which may be started on this computer.

Dask is imported here and nowhere else. The workers of a cluster import the main module of the
process that starts them, which would be the user's script; so a separate process starts them.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryDirectory
from threading import Event, Thread, Timer
from time import monotonic, sleep
from typing import Any, Final
from weakref import finalize

from fsmkit.core.checks.arguments import to_integer
from fsmkit.crowd.errors import CrowdError, WorkerLostError, too_few_processors
from fsmkit.crowd.shards.processes import interpreter
from fsmkit.crowd.shards.workers import ShardWorker, Workers
from fsmkit.terminal.frozen_program import environment

try:
    import distributed
    from dask import config
except ImportError as error:
    raise ImportError("DaskShards needs Dask: pip install 'fsmkit[dask]'.") from error

PROGRAM: Final = (
    "import sys; from fsmkit.crowd.shards.dask_workers import serve; serve(int(sys.argv[1]))"
)

SECONDS_TO_START: Final = 120.0
"""How long a cluster may take to start; it is about two seconds on an idle computer."""
SECONDS_TO_CONNECT: Final = 30.0
SECONDS_TO_ASK: Final = 10.0
"""How long a scheduler may take to list its workers."""
SECONDS_TO_END: Final = 15.0

CHECK_INTERVAL: Final = 1.0
"""Seconds between two checks whether a worker that has not answered is still there."""

SCALE_INTERVAL: Final = 2.0
"""Seconds between two checks whether a worker of a cluster is missing."""

SETTINGS: Final = {
    "distributed.scheduler.worker-ttl": None,  # a worker may be busy for long
    # A worker that was killed is given up if no other has come by then. 15 seconds are too few on a
    # busy computer; and another one is started only by the check.
    "distributed.deploy.lost-worker-timeout": "60s",
}


class DaskWorkers(Workers):
    def __init__(self, cluster: DaskCluster, count: int, *, share: bool) -> None:
        super().__init__(count)
        self._cluster = cluster
        self._share = share
        self._hung: str | None = None
        """The address of a worker that was given up as hung."""
        try:
            free = len(cluster.workers())
        except OSError as error:
            raise CrowdError(f"The Dask scheduler has not answered: {error}") from None
        if free < count and not (share and free):
            raise too_few_processors(count, free, "the Dask cluster")

    def _started(self, shard: int, seconds: float) -> DaskActor:
        latest = monotonic() + seconds
        while (address := self._free()) is None:
            if monotonic() > latest:
                raise WorkerLostError(f"No worker of the Dask cluster is free for shard {shard}.")
            sleep(0.05)
        return DaskActor(self._cluster, address)

    def lose(self, shard: int) -> None:
        actor: DaskActor | None = self._workers[shard]
        self._hung = actor.address if actor is not None and actor.is_busy() else None
        super().lose(shard)
        if self._hung is not None:
            self._cluster.restart(self._hung)

    def close(self) -> None:
        for shard in range(len(self._workers)):
            super().lose(shard)
        self._cluster.close()

    def _free(self) -> str | None:
        """Return the address of the worker with the fewest shards; None if all have one."""
        try:
            addresses = [each for each in self._cluster.workers() if each != self._hung]
        except OSError:
            return None
        shards = [actor.address for actor in self._workers if actor is not None]
        best = min(addresses, key=shards.count, default=None)
        return best if best is None or self._share or best not in shards else None


class DaskActor:
    """The worker of one shard, as an actor in the worker of the cluster at `address`."""

    def __init__(self, cluster: DaskCluster, address: str) -> None:
        self.address = address
        self._cluster = cluster
        self._made = cluster.client.submit(
            ShardWorker, actor=True, pure=False, workers=[address], allow_other_workers=False
        )
        """The future of the actor."""
        self._handle: Any = None
        self._question: tuple[str, tuple[Any, ...]] = "", ()
        """To be asked once the actor has been made."""
        self._answer: Any = None
        """The future of the answer."""

    def ask(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._question, self._answer = (name, arguments), None
        if self._handle is not None:
            self._send()

    def collect(self, seconds: float) -> Any:
        latest = monotonic() + seconds
        if self._handle is None:
            self._waited(self._made, latest)
            with self._cluster.client.as_current():  # else it takes the client of another cluster
                self._handle = distributed.Actor(ShardWorker, self.address, self._made.key)
        if self._answer is None:
            self._send()
        return self._waited(self._answer, latest)

    def is_busy(self) -> bool:
        return self._answer is not None and not self._answer.done()

    def end(self) -> None:
        self._made.release()

    def _send(self) -> None:
        try:
            self._answer = self._handle.answer(*self._question)
        except (OSError, RuntimeError, ValueError) as error:  # Dask has no error of its own for it
            raise self._lost(error) from None

    def _waited(self, future: Any, latest: float) -> Any:
        """Wait for a future of Dask, which would wait forever for a worker that is gone."""
        while True:
            left = latest - monotonic()
            try:
                return future.result(timeout=max(0.0, min(left, CHECK_INTERVAL)))
            except ImportError as error:
                raise CrowdError(
                    f"The Dask worker {self.address} cannot run fsmkit: {error}. Install the same "
                    "packages on all hosts."
                ) from error
            except TimeoutError:
                if left <= CHECK_INTERVAL:
                    raise TimeoutError(f"{self.address} has not answered.") from None
                self._check()
            except Exception as error:  # an actor never raises; Dask does, in many ways
                raise self._lost(error) from None

    def _check(self) -> None:
        process = self._cluster.process
        if process is not None and process.poll() is not None:
            raise WorkerLostError("The Dask cluster was lost.")
        try:
            addresses = self._cluster.workers()
        except OSError:
            return  # the scheduler may be busy; the deadline of the caller holds
        if self.address not in addresses:
            raise self._lost("it left the cluster")

    def _lost(self, error: Exception | str) -> WorkerLostError:
        return WorkerLostError(f"The Dask worker {self.address} was lost: {error}")


class DaskCluster:
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
        workers = to_integer(given)
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

    def workers(self) -> list[str]:
        """Return the addresses of the workers. Raises OSError without an answer in time."""
        asked = self.client.sync(self.client.scheduler.ncores, callback_timeout=SECONDS_TO_ASK)
        return sorted(asked)

    def restart(self, address: str) -> None:
        """End the process of a worker, if the cluster was started here; it replaces it."""
        if self.process is not None:
            with suppress(Exception):  # one that has just left, or does not answer
                self.client.restart_workers(
                    [address], timeout=SECONDS_TO_ASK, raise_for_error=False
                )

    def close(self) -> None:
        self._close()


def _started(workers: int) -> Popen[bytes]:
    return Popen(
        [interpreter(), "-P", "-c", PROGRAM, str(workers)],
        stdin=PIPE,
        stdout=PIPE,
        env=environment(),
        start_new_session=True,  # Ctrl-C is for the driver, which ends this
    )


def _address(process: Popen[bytes]) -> str:
    assert process.stdout is not None
    limit = Timer(SECONDS_TO_START, process.kill)
    limit.start()
    address = process.stdout.readline().decode().strip()
    limit.cancel()
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
    with suppress(Exception):  # whatever fails here, the process must be ended
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


def serve(workers: int) -> None:
    """Run a cluster with that many processes until the input ends; print its address.

    The input ends when the driver closes it or ends for any reason.
    """
    ended = Event()
    with TemporaryDirectory(prefix="fsmkit-dask-", ignore_cleanup_errors=True) as folder:
        config.set({**SETTINGS, "temporary-directory": folder})
        cluster: Any = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,  # no limit: a worker may hold many agents
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
        with cluster:
            print(cluster.scheduler_address, flush=True)  # noqa: T201 - the driver waits for it
            Thread(target=_wait_for_end, args=(ended,), daemon=True).start()
            while not ended.wait(SCALE_INTERVAL):
                cluster.scale(workers)


def _wait_for_end(ended: Event) -> None:
    sys.stdin.buffer.read()
    ended.set()
