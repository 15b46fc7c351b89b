"""DaskShards: shards in the workers of a Dask cluster. Dask is imported when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fsmkit.crowd.arguments import checked_integer, integer
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.this_computer import processors, too_few

if TYPE_CHECKING:
    from fsmkit.crowd.shards.dask_workers import DaskWorkers


@frozen
class DaskShards:
    """Shards on Dask, each an actor, and the only one in a worker's process.

    `DaskShards(4)` starts a cluster with four workers on this computer, which no other computer can
    reach. `DaskShards(client)` uses the cluster of a `distributed.Client`, with a shard in each
    worker, and `DaskShards("tcp://host:8786", 4)` the one with a scheduler at that address;
    `shards` says in how many workers. With `share_cpus` there may be more shards than processors or
    workers.

    Raises CrowdError for a number that is no integer >= 1, for an asynchronous client, and for what
    is neither a number, nor a client, nor an address.

    >>> DaskShards(4).count
    4
    """

    cluster: Any
    """The number of workers to start, a client, or an address."""
    shards: int | None = None
    share_cpus: bool = field(default=False, kw_only=True)
    count: int = field(init=False)
    """The number of shards."""

    def __attrs_post_init__(self) -> None:
        shards = self.shards
        if integer(self.cluster) is not None or isinstance(self.cluster, bool):
            checked_integer(self.cluster, "The number of shards", least=1)
            if shards is not None:
                raise CrowdError(
                    f"The number of shards is given twice: {self.cluster} and {shards!r}."
                )
            shards = self.cluster
        elif shards is None:
            shards = self._workers()
        object.__setattr__(self, "count", checked_integer(shards, "The number of shards", least=1))

    def open(self) -> DaskWorkers:
        """Connect to the cluster, or start one; return the workers.

        Raises ImportError if Dask is missing; CrowdError if the cluster cannot be reached, or has
        fewer workers without a shard than there are shards.
        """
        from fsmkit.crowd.shards.dask_cluster import DaskCluster
        from fsmkit.crowd.shards.dask_workers import DaskWorkers

        own = integer(self.cluster)
        if own is not None and own > processors() and not self.share_cpus:
            raise too_few(own, processors(), "this computer")
        cluster = DaskCluster.of(self.cluster)
        try:
            return DaskWorkers(cluster, self.count, share=self.share_cpus)
        except BaseException:
            cluster.close()
            raise

    def _workers(self) -> int:
        """Return the number of workers of the client's cluster."""
        from fsmkit.crowd.shards.dask_cluster import DaskCluster

        if isinstance(self.cluster, str):
            raise CrowdError(f"Say how many shards: DaskShards({self.cluster!r}, 4).")
        workers = len(DaskCluster.of(self.cluster).workers())
        if not workers:
            raise CrowdError("The Dask cluster of the client must have workers, it has none.")
        return workers
