"""A Dask cluster on this computer: `python -m fsmkit.crowd.shards.dask_process WORKERS`.

Its workers import the main module of the process that starts them, which would be the script of the
user. So that is a process of its own. It prints the address of the scheduler, and ends, with
everything that it has started, when its input does: when the driver closes it or ends, however that
comes about.
"""

from __future__ import annotations

import logging
import sys
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, Final

from fsmkit.crowd.shards.dask_package import config, distributed

LOOK_INTERVAL: Final = 2.0
"""Seconds between two looks at whether a worker is missing."""

SETTINGS: Final = {
    "distributed.scheduler.worker-ttl": None,  # a worker may be busy for long
    # A worker that was killed is given up if no other has come by then. 15 seconds are too few on a
    # busy computer; and nobody would start another one, but for the look.
    "distributed.deploy.lost-worker-timeout": "60s",
}


def main(workers: int) -> None:
    """Run a cluster with so many processes."""
    ended = Event()
    with TemporaryDirectory(prefix="fsmkit-dask-", ignore_cleanup_errors=True) as folder:
        config.set({**SETTINGS, "temporary-directory": folder})
        cluster: Any = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,  # none: a worker may hold many agents
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
        with cluster:
            print(cluster.scheduler_address, flush=True)  # noqa: T201 - the driver waits for it
            Thread(target=_wait_for_the_end, args=(ended,), daemon=True).start()
            while not ended.wait(LOOK_INTERVAL):
                cluster.scale(workers)


def _wait_for_the_end(ended: Event) -> None:
    sys.stdin.buffer.read()
    ended.set()


if __name__ == "__main__":
    main(int(sys.argv[1]))
