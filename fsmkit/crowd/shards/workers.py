"""Shards and Workers: what an engine must offer, so that a crowd can run on it.

An engine starts processes, each with one `ShardHost`, and carries questions and answers between
them and the driver, which is the process with the `ShardedCrowd`. It knows nothing of crowds. All
that it carries is plain data that can be pickled.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from fsmkit.crowd.errors import CrowdError


class WorkerLostError(CrowdError):
    """The process of a shard has ended, or cannot be reached any more."""


@runtime_checkable
class Shards(Protocol):
    """Says how many shards there are, and where: `ProcessShards(4)`."""

    @property
    def count(self) -> int:
        """The number of shards."""
        ...

    def open(self) -> Workers:
        """Return the workers, none of which has been started.

        Raises CrowdError at once if there are fewer free processors than shards, ImportError if a
        package is missing.
        """
        ...


class Workers(Protocol):
    """The workers of one crowd. A worker is a `ShardHost` in a process of its own."""

    def start(self, shard: int, seconds: float) -> None:
        """Start the worker of a shard, or a new one in place of one that was lost.

        What remains of an earlier one is ended first, without waiting for its answers. The worker
        need not be ready when this returns: `collect` waits for it. Raises WorkerLostError if none
        can be had now, after at most `seconds`; the crowd tries again for a while.
        """
        ...

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        """Have the worker call `ShardHost.answer(name, arguments)`, and do not wait.

        If the answer to the last question was not collected, because the user has interrupted it,
        it is dropped; the worker still does one question after the other. Raises WorkerLostError;
        it may as well be raised by `collect`.
        """
        ...

    def collect(self, shard: int, seconds: float) -> Any:
        """Wait for the answer to the last question, and return it.

        Raises WorkerLostError as soon as the worker is gone, TimeoutError after `seconds`.
        """
        ...

    def close(self) -> None:
        """End all workers, whatever they are doing, and whatever else was started."""
        ...
