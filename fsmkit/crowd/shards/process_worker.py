"""The program of a worker: `python -m fsmkit.crowd.shards.process_worker MEMORY DRIVER`.

`MEMORY` is the file descriptor of the shared memory, or -1; `DRIVER` the driver's process. It ends
when the driver closes its pipe or ends, however that comes about.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from io import FileIO
from threading import Thread
from time import sleep
from typing import Final

from fsmkit.crowd.shards.host import ShardHost
from fsmkit.crowd.shards.mailbox import Mailbox

LOOK_INTERVAL: Final = 1.0
"""Seconds between two looks at whether the driver is still there."""


def main(memory: int, driver: int) -> None:
    """Answer questions until the driver has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which ends this
    incoming, outgoing = FileIO(os.dup(0)), FileIO(os.dup(1), "w")
    os.dup2(2, 1)  # what anybody prints must not get between the answers
    if os.name == "posix":
        Thread(target=_watch, args=(driver,), daemon=True).start()
    mailbox = Mailbox(incoming, outgoing, FileIO(memory, "r+b") if memory >= 0 else None)
    host = ShardHost()
    with suppress(EOFError, BrokenPipeError):
        while True:
            mailbox.send(host.answer(*mailbox.receive()))


def _watch(driver: int) -> None:
    """End this process when the driver has ended, even in the middle of a long call."""
    while os.getppid() == driver:
        sleep(LOOK_INTERVAL)
    os._exit(1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
