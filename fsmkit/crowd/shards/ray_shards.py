"""RayShards: shards in the processes of a Ray cluster. Ray itself is imported when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from fsmkit.crowd.arguments import checked_integer
from fsmkit.crowd.errors import CrowdError

if TYPE_CHECKING:
    from fsmkit.crowd.shards.ray_workers import RayWorkers


@frozen
class RayShards:
    """`count` shards on Ray, each an actor with a processor of its own.

    `address` is that of a running cluster, `"auto"` for one on this computer. Without it the shards
    are on the cluster that this process is connected to (by `ray.init`); else on the one that the
    environment variable `RAY_ADDRESS` names; else on one that is started on this computer, which
    no other computer can reach, and which ends with the last crowd on it.

    With `share_cpus` the actors ask for no processor, so that there may be more of them.
    Raises CrowdError for a count that is no integer >= 1, and for an address that is no text.

    >>> RayShards(8)
    RayShards(count=8, address=None, share_cpus=False)
    """

    count: int
    address: str | None = field(default=None, kw_only=True)
    share_cpus: bool = field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        checked_integer(self.count, "The number of shards", least=1)
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
        from fsmkit.crowd.shards.ray_cluster import joined
        from fsmkit.crowd.shards.ray_workers import RayWorkers

        cluster = joined(self.address, 0 if self.share_cpus else self.count)
        try:
            if not self.share_cpus:
                cluster.check_free(self.count)
            return RayWorkers(cluster, self.count, cpus=0 if self.share_cpus else 1)
        except BaseException:
            cluster.leave()
            raise
