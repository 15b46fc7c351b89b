"""The errors of shards that users catch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsmkit.crowd.errors import CrowdError


class ShardMismatchError(CrowdError):
    """The version or the arithmetic of a worker differs from that of the driver."""


class ShardLostError(CrowdError):
    """A shard was lost, and no worker has taken its place in time."""

    def __init__(self, message: str, shard: int, checkpoint: Path | None) -> None:
        super().__init__(message)
        self.shard = shard
        """The number of the shard, from 0."""
        self.checkpoint = checkpoint
        """The manifest of the last checkpoint; None if there is none."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Have it pickled with all arguments, as when it is raised in another process."""
        return type(self), (str(self), self.shard, self.checkpoint), self.__dict__
