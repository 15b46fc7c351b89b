"""Processes: runs in several processes at once, which end with the study."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from queue import Queue
from threading import Event, Thread
from typing import Any, Final

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.studies.population import compile_loops
from fsmkit.crowd.studies.run import Course, Run
from fsmkit.crowd.studies.worker import READY, Ended

COMMAND: Final = (
    "import sys; sys.path += [each for each in sys.argv[1:] if each not in sys.path]; "
    "from fsmkit.crowd.studies.worker import main; main()"
)
"""It imports fsmkit from where it is here, and no module of the user."""


def messages(
    course: Course, runs: Sequence[Run], count: int
) -> Generator[tuple[int, Any], None, None]:
    """Carry out runs in `count` processes; yield what they say, with the number of the run.

    The messages of one run come in their order, those of several runs mixed. A process that is
    killed ends its run with an error, and another one takes its place. All of them are ended when
    the iteration is, however that comes about. Raises CrowdError if none can be started.
    """
    waiting = deque(enumerate(runs))
    arrived: Queue[tuple[int, Any]] = Queue(maxsize=2 * count)  # snapshots are large
    is_compiled = Event()
    workers = [Worker(course, waiting, arrived, is_compiled) for _ in range(count)]
    try:
        for worker in workers:
            worker.begin()
        compile_loops(course)  # once, while they start, and not in each of them
        is_compiled.set()
        ended = 0
        while ended < len(runs):
            number, message = arrived.get()
            if number < 0:
                raise message
            ended += isinstance(message, Ended)
            yield number, message
    finally:
        for worker in workers:
            worker.has_ended = True
        is_compiled.set()
        for worker in workers:
            worker.end()


class Worker:
    """A process that carries out runs, and the thread that talks to it."""

    def __init__(
        self,
        course: Course,
        waiting: deque[tuple[int, Run]],
        arrived: Queue[tuple[int, Any]],
        is_compiled: Event,
    ) -> None:
        self._course = course
        self._waiting = waiting
        self._arrived = arrived
        self._is_compiled = is_compiled
        self._process: subprocess.Popen[bytes] | None = None
        self.has_ended = False
        """True if no further run is to be begun."""
        self._thread = Thread(target=self._work, daemon=True)

    def begin(self) -> None:
        """Start the process and the thread."""
        self._process = _process()
        self._thread.start()

    def end(self) -> None:
        """End both. What the process was doing is lost."""
        self.has_ended = True
        if self._process is not None:
            self._process.kill()
        while self._thread.is_alive():
            while not self._arrived.empty():  # it may be waiting for room
                self._arrived.get()
            self._thread.join(0.01)
        if self._process is not None:
            _close(self._process)

    def _work(self) -> None:
        try:
            self._greet()
            self._is_compiled.wait()
            while self._waiting and not self.has_ended:
                try:
                    number, run = self._waiting.popleft()
                except IndexError:  # another thread has taken the last one
                    return
                self._carry_out(number, run)
        except Exception as error:
            self._arrived.put((-1, error))

    def _greet(self) -> None:
        """Send the course, and wait until the process is ready. Raises CrowdError."""
        try:
            self._send(self._course)
            if self._received() == READY:
                return
        except (EOFError, OSError):
            pass
        raise CrowdError(f"A process for the study could not be started: it {self._how()}.")

    def _carry_out(self, number: int, run: Run) -> None:
        try:
            self._send(run)
            message = None
            while not isinstance(message, Ended):
                message = self._received()
                self._arrived.put((number, message))
        except (EOFError, OSError, pickle.UnpicklingError):
            self._arrived.put((number, Ended(CrowdError(f"Its process {self._how()}."))))
            self._replace()

    def _replace(self) -> None:
        """Start another process in place of one that has ended."""
        if self.has_ended or not self._waiting:
            return
        assert self._process is not None
        _close(self._process)
        self._process = _process()
        if self.has_ended:  # meanwhile
            self._process.kill()
        self._greet()

    def _send(self, what: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        pickle.dump(what, self._process.stdin, protocol=5)
        self._process.stdin.flush()

    def _received(self) -> Any:
        assert self._process is not None
        assert self._process.stdout is not None
        return pickle.load(self._process.stdout)

    def _how(self) -> str:
        """Return how the process has ended."""
        assert self._process is not None
        code = self._process.wait()
        return f"was ended by signal {-code}" if code < 0 else f"has ended with code {code}"


def _process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", COMMAND, *filter(None, sys.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0 if os.name == "posix" else None,  # Ctrl-C is for this process alone
    )


def _close(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that is ending, and close its pipes."""
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with suppress(OSError):  # what was not sent yet has nobody to read it
            pipe.close()
