"""RayShards and DaskShards: shards on a cluster, whose package is imported when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fsmkit.core.checks.arguments import to_integer
from fsmkit.crowd.argument_checks import checked_integer, processors
from fsmkit.crowd.errors import CrowdError, too_few_processors
from fsmkit.crowd.shards.workers import check_count

if TYPE_CHECKING:
    from fsmkit.crowd.shards.dask_workers import DaskWorkers
    from fsmkit.crowd.shards.ray_workers import RayWorkers


@frozen
class DaskShards:
    """Shards on Dask: each is an actor, alone in the process of a worker.

    `DaskShards(4)` starts a cluster with four workers on this computer, which no other computer can
    reach. `DaskShards(client)` uses the cluster of a `distributed.Client`, with a shard in each
    worker, and `DaskShards("tcp://host:8786", 4)` the one with a scheduler at that address;
    `shards` says in how many workers. With `share_cpus` there may be more shards than processors or
    workers.

    Raises CrowdError unless the number is an integer >= 1, for an asynchronous client, and for
    anything but a number, a client or an address.

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
        if to_integer(self.cluster) is not None or isinstance(self.cluster, bool):
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
        from fsmkit.crowd.shards.dask_workers import DaskCluster, DaskWorkers

        own = to_integer(self.cluster)
        if own is not None and own > processors() and not self.share_cpus:
            raise too_few_processors(own, processors(), "this computer")
        cluster = DaskCluster.of(self.cluster)
        try:
            return DaskWorkers(cluster, self.count, share=self.share_cpus)
        except BaseException:
            cluster.close()
            raise

    def _workers(self) -> int:
        from fsmkit.crowd.shards.dask_workers import DaskCluster

        if isinstance(self.cluster, str):
            raise CrowdError(f"Say how many shards: DaskShards({self.cluster!r}, 4).")
        workers = len(DaskCluster.of(self.cluster).workers())
        if not workers:
            raise CrowdError("The Dask cluster of the client must have workers, it has none.")
        return workers


@frozen
class RayShards:
    """`count` shards on Ray, each an actor with its own processor.

    `address` is that of a running cluster, `"auto"` for one on this computer. Without it the shards
    are on the cluster that this process is connected to (by `ray.init`); else on the one that the
    environment variable `RAY_ADDRESS` names; else on one that is started on this computer, which
    no other computer can reach, and which ends with the last crowd on it.

    With `share_cpus` the actors ask for no processor, so that there may be more of them.
    Raises CrowdError unless the count is an integer >= 1 and the address a text.

    >>> RayShards(8)
    RayShards(count=8, address=None, share_cpus=False)
    """

    count: int = field(validator=check_count)
    address: str | None = field(default=None, kw_only=True)
    share_cpus: bool = field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.address, str | None):
            raise CrowdError(
                "The address of a Ray cluster must be a text, 'host:port' or 'auto', got "
                f"{self.address!r}."
            )

    def open(self) -> RayWorkers:
        """Connect to the cluster, or start one; return the workers.

        Raises ImportError if Ray is missing; CrowdError if the cluster cannot be reached, or has
        fewer free processors than shards. Warns if its processes have a low priority.
        """
        from fsmkit.crowd.shards.ray_workers import RayWorkers, joined

        cluster = joined(self.address, 0 if self.share_cpus else self.count)
        try:
            if not self.share_cpus:
                cluster.check_free(self.count)
            return RayWorkers(cluster, self.count, cpus=0 if self.share_cpus else 1)
        except BaseException:
            cluster.leave()
            raise
