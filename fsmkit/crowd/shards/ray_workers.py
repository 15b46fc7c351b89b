"""RayWorkers: the actors of a crowd on Ray."""

from __future__ import annotations

import os
import warnings
from time import monotonic, sleep
from typing import Any

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.shards.host import Answer, ShardHost
from fsmkit.crowd.shards.ray_cluster import RayCluster, free_processors
from fsmkit.crowd.shards.ray_package import Actor, exceptions, ray
from fsmkit.crowd.shards.workers import WorkerLostError


class RayHost:
    """A shard's host as an actor."""

    def __init__(self) -> None:
        self._host = ShardHost()

    def answer(self, name: str, arguments: tuple[Any, ...]) -> Answer:
        """Answer a question."""
        return self._host.answer(name, arguments)

    def niceness(self) -> int:
        """Return how far the process stands back for others: 0 not at all, 19 for everybody."""
        return niceness()


class RayWorkers:
    """The workers of one crowd."""

    def __init__(self, cluster: RayCluster, count: int, cpus: int) -> None:
        self._cluster: RayCluster | None = cluster
        self._cpus = cpus
        self._kind = ray.remote(num_cpus=cpus, max_restarts=0, max_task_retries=0)(RayHost)
        self._actors: list[Actor] = [None] * count
        self._answers: list[Any] = [None] * count
        self._niceness: dict[int, Any] = {}
        """The shards whose niceness has not been looked at."""

    def start(self, shard: int, seconds: float) -> None:
        """Make an actor, after ending an earlier one. Raises WorkerLostError."""
        if self._actors[shard] is not None:
            self._end(shard)
            self._wait_for_processor(shard, seconds)
        self._actors[shard] = self._kind.remote()
        self._niceness[shard] = self._actors[shard].niceness.remote()

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        """Send the question."""
        self._answers[shard] = self._actors[shard].answer.remote(name, arguments)

    def collect(self, shard: int, seconds: float) -> Any:
        """Wait for the answer. Raises WorkerLostError, TimeoutError, CrowdError."""
        answer = _got(self._answers[shard], shard, seconds)
        if shard in self._niceness:
            _check_niceness(_got(self._niceness.pop(shard), shard, seconds))
        return answer

    def close(self) -> None:
        """End all actors, and leave the cluster."""
        if self._cluster is not None:
            for shard in range(len(self._actors)):
                self._end(shard)
            self._cluster.leave()
            self._cluster = None

    def _end(self, shard: int) -> None:
        actor, self._actors[shard] = self._actors[shard], None
        self._answers[shard] = None
        if actor is not None and ray.is_initialized():
            ray.kill(actor)

    def _wait_for_processor(self, shard: int, seconds: float) -> None:
        """An actor for which there is no processor would wait for ever, and say nothing."""
        latest = monotonic() + seconds
        while free_processors() < self._cpus:
            if monotonic() > latest:
                raise WorkerLostError(f"No CPU of the Ray cluster is free for shard {shard}.")
            sleep(0.05)


def niceness() -> int:
    """Return the niceness of this process; 0 where there is no such thing."""
    return os.nice(0) if hasattr(os, "nice") else 0


def _got(reference: Any, shard: int, seconds: float) -> Any:
    try:
        return ray.get(reference, timeout=max(0.0, seconds))
    except exceptions.GetTimeoutError:
        raise TimeoutError(f"The actor of shard {shard} has not answered.") from None
    except exceptions.RayTaskError as error:
        raise CrowdError(
            f"The actor of shard {shard} cannot run fsmkit: {_last_line(error)}. Install the same "
            "packages on all hosts."
        ) from error
    except exceptions.RayError as error:
        raise WorkerLostError(f"The actor of shard {shard} was lost: {error}") from None


def _check_niceness(theirs: int) -> None:
    if theirs > niceness():
        warnings.warn(
            f"Ray's workers run at niceness {theirs}, so other programs go first. Start Ray with "
            "RAY_worker_niceness=0 in its environment.",
            RuntimeWarning,
            stacklevel=2,
        )


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1]
