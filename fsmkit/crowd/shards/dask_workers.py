"""DaskWorkers: the actors of a crowd on Dask."""

from __future__ import annotations

from time import monotonic, sleep
from typing import Any, Final

from attrs import define

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.shards.dask_cluster import DaskCluster
from fsmkit.crowd.shards.dask_package import distributed
from fsmkit.crowd.shards.host import ShardHost
from fsmkit.crowd.shards.workers import WorkerLostError
from fsmkit.crowd.this_computer import too_few

LOOK_INTERVAL: Final = 1.0
"""Seconds between two looks at whether a worker that has not answered is still there."""


@define
class Place:
    """The worker of one shard."""

    address: str
    made: Any
    """The future of the actor."""
    actor: Any = None
    question: tuple[str, tuple[Any, ...]] | None = None
    """What is to be asked when the actor has been made."""
    answer: Any = None
    """The future of the answer."""


class DaskWorkers:
    """The workers of one crowd. An actor has a worker of its own: Dask runs one at a time."""

    def __init__(self, cluster: DaskCluster, count: int, *, share: bool) -> None:
        self._cluster = cluster
        self._share = share
        self._places: list[Place | None] = [None] * count
        try:
            free = len(cluster.workers())
        except OSError as error:
            raise CrowdError(f"The Dask scheduler has not answered: {error}") from None
        if free < count and not (share and free):
            raise too_few(count, free, "the Dask cluster")

    def start(self, shard: int, seconds: float) -> None:
        """Make an actor, after giving up an earlier one. Raises WorkerLostError."""
        latest = monotonic() + seconds
        hung = self._given_up(shard)
        while (address := self._free(hung)) is None:
            if monotonic() > latest:
                raise WorkerLostError(f"No worker of the Dask cluster is free for shard {shard}.")
            sleep(0.05)
        made = self._cluster.client.submit(
            ShardHost, actor=True, pure=False, workers=[address], allow_other_workers=False
        )
        self._places[shard] = Place(address, made)

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        """Send the question, or have `collect` send it if the actor has not been made yet.

        Raises WorkerLostError.
        """
        place = self._place(shard)
        place.question, place.answer = (name, arguments), None
        if place.actor is not None:
            self._send(place)

    def collect(self, shard: int, seconds: float) -> Any:
        """Wait for the answer. Raises WorkerLostError, TimeoutError, CrowdError."""
        place, latest = self._place(shard), monotonic() + seconds
        if place.actor is None:
            self._waited(place, place.made, latest)
            with self._cluster.client.as_current():  # else it takes the client of another cluster
                place.actor = distributed.Actor(ShardHost, place.address, place.made.key)
        if place.answer is None:
            self._send(place)
        return self._waited(place, place.answer, latest)

    def close(self) -> None:
        """Give up all actors, and close the cluster if it was started here."""
        for place in filter(None, self._places):
            place.made.release()
        self._places = [None] * len(self._places)
        self._cluster.close()

    def _place(self, shard: int) -> Place:
        place = self._places[shard]
        if place is None:
            raise WorkerLostError(f"Shard {shard} has no worker.")
        return place

    def _send(self, place: Place) -> None:
        assert place.question is not None
        try:
            place.answer = place.actor.answer(*place.question)
        except (OSError, RuntimeError, ValueError) as error:  # Dask has no error of its own for it
            raise _lost(place, error) from None

    def _waited(self, place: Place, future: Any, latest: float) -> Any:
        """Wait for a future of Dask, which may wait for ever for a worker that is gone."""
        while True:
            left = latest - monotonic()
            try:
                return future.result(timeout=max(0.0, min(left, LOOK_INTERVAL)))
            except ImportError as error:
                raise CrowdError(
                    f"The Dask worker {place.address} cannot run fsmkit: {error}. Install the same "
                    "packages on all hosts."
                ) from error
            except TimeoutError:
                if left <= LOOK_INTERVAL:
                    raise TimeoutError(f"{place.address} has not answered.") from None
                self._check(place)
            except Exception as error:  # an actor never raises; Dask does, in many ways
                raise _lost(place, error) from None

    def _check(self, place: Place) -> None:
        """Raise WorkerLostError if the worker, or the whole cluster, is gone."""
        process = self._cluster.process
        if process is not None and process.poll() is not None:
            raise WorkerLostError("The Dask cluster was lost.")
        try:
            addresses = self._cluster.workers()
        except OSError:
            return  # the scheduler may be busy; the deadline of the caller holds
        if place.address not in addresses:
            raise _lost(place, "it left the cluster")

    def _given_up(self, shard: int) -> str | None:
        """Forget an earlier actor; return its worker, if that is still busy with a question."""
        place, self._places[shard] = self._places[shard], None
        if place is None:
            return None
        is_busy = place.answer is not None and not place.answer.done()
        place.made.release()
        if not is_busy:
            return None
        self._cluster.restart([place.address])
        return place.address

    def _free(self, hung: str | None) -> str | None:
        """Return the address of the worker with the fewest shards; None if all have one."""
        try:
            addresses = [each for each in self._cluster.workers() if each != hung]
        except OSError:
            return None
        shards = [place.address for place in self._places if place is not None]
        best = min(addresses, key=shards.count, default=None)
        return best if best is None or self._share or best not in shards else None


def _lost(place: Place, error: Exception | str) -> WorkerLostError:
    return WorkerLostError(f"The Dask worker {place.address} was lost: {error}")
