"""InProcessShards: shards in the driver's own process, for tests and for debugging."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from fsmkit.crowd.arguments import checked_integer
from fsmkit.crowd.shards.host import Answer, ShardHost
from fsmkit.crowd.shards.workers import WorkerLostError


@frozen
class InProcessShards:
    """`count` shards, one after the other in this process. Nothing is gained, but for debugging.

    >>> InProcessShards(2).count
    2
    """

    count: int

    def __attrs_post_init__(self) -> None:
        checked_integer(self.count, "The number of shards", least=1)

    def open(self) -> InProcessWorkers:
        """Return the workers."""
        return InProcessWorkers(self.count)


class InProcessWorkers:
    """The workers of one crowd."""

    def __init__(self, count: int) -> None:
        self._hosts: list[ShardHost | None] = [None] * count
        self._answers: list[Answer | None] = [None] * count

    def start(self, shard: int, seconds: float) -> None:  # noqa: ARG002 - it never waits
        """Make a new host."""
        self._hosts[shard], self._answers[shard] = ShardHost(), None

    def lose(self, shard: int) -> None:
        """Lose a worker, as if its process had been killed."""
        self._hosts[shard] = None

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        """Answer at once; `collect` returns it. Raises WorkerLostError."""
        host = self._hosts[shard]
        if host is None:
            raise WorkerLostError(f"Shard {shard} was lost.")
        self._answers[shard] = host.answer(name, arguments)

    def collect(self, shard: int, seconds: float) -> Answer:  # noqa: ARG002 - it never waits
        """Return the answer. Raises WorkerLostError."""
        answer = self._answers[shard]
        if self._hosts[shard] is None or answer is None:
            raise WorkerLostError(f"Shard {shard} was lost.")
        return answer

    def close(self) -> None:
        """Forget all hosts."""
        self._hosts = [None] * len(self._hosts)
