"""A crowd in shards: the agents of one crowd in several processes, on one machine or on many."""

from fsmkit.crowd.shards.dask_shards import DaskShards
from fsmkit.crowd.shards.errors import ShardLostError, ShardMismatchError
from fsmkit.crowd.shards.in_process import InProcessShards
from fsmkit.crowd.shards.processes import ProcessShards
from fsmkit.crowd.shards.ray_shards import RayShards
from fsmkit.crowd.shards.sharded_crowd import ShardedCrowd

__all__ = [
    "DaskShards",
    "InProcessShards",
    "ProcessShards",
    "RayShards",
    "ShardLostError",
    "ShardMismatchError",
    "ShardedCrowd",
]
