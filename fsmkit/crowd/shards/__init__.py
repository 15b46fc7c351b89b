"""A crowd in shards: the agents of one crowd in several processes, on one machine or on many."""

from fsmkit.crowd.shards.cluster_shards import DaskShards, RayShards
from fsmkit.crowd.shards.shard_errors import ShardLostError, ShardMismatchError
from fsmkit.crowd.shards.sharded_crowd import ShardedCrowd
from fsmkit.crowd.shards.workers import InProcessShards, ProcessShards

__all__ = [
    "DaskShards",
    "InProcessShards",
    "ProcessShards",
    "RayShards",
    "ShardLostError",
    "ShardMismatchError",
    "ShardedCrowd",
]
