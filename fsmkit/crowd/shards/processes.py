"""ProcessShards: shards in processes on this computer."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen
from threading import Thread
from time import monotonic
from typing import Any, Final

from attrs import field, frozen

from fsmkit.crowd.arguments import checked_integer
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.shards.mailbox import Mailbox, shared_memory
from fsmkit.crowd.shards.workers import WorkerLostError
from fsmkit.crowd.this_computer import environment, processors

PROGRAM: Final = "fsmkit.crowd.shards.process_worker"

ENDED: Final = sys.maxsize
"""In place of the number of an answer: there will be no more."""

SECONDS_TO_END: Final = 10.0
"""How long to wait for a process that was killed; it takes milliseconds."""


@frozen
class ProcessShards:
    """`count` shards in processes on this computer; columns pass through shared memory.

    With `share_cpus` there may be more of them than processors, which makes nothing faster. Raises
    CrowdError for a count that is no integer >= 1.

    >>> ProcessShards(2)
    ProcessShards(count=2, share_cpus=False)
    """

    count: int
    share_cpus: bool = field(default=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        checked_integer(self.count, "The number of shards", least=1)

    def open(self) -> ProcessWorkers:
        """Return the workers. Raises CrowdError if there are fewer processors than shards."""
        free = processors()
        if self.count > free and not self.share_cpus:
            raise CrowdError(
                f"{self.count} shards, {free} free CPUs. Take fewer, or let them share: "
                f"ProcessShards({self.count}, share_cpus=True)."
            )
        return ProcessWorkers(self.count)


class ProcessWorkers:
    """The processes of one crowd."""

    def __init__(self, count: int) -> None:
        self._workers: list[WorkerProcess | None] = [None] * count

    @property
    def pids(self) -> list[int | None]:
        """The ids of the processes."""
        return [None if each is None else each.pid for each in self._workers]

    def start(self, shard: int, seconds: float) -> None:  # noqa: ARG002 - it never waits
        """Start a process, after ending an earlier one. Raises WorkerLostError."""
        self._end(shard)
        try:
            self._workers[shard] = WorkerProcess()
        except OSError as error:
            raise WorkerLostError(f"No process can be started for shard {shard}: {error}") from None

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        """Send the question. Raises WorkerLostError."""
        self._worker(shard).ask((name, arguments))

    def collect(self, shard: int, seconds: float) -> Any:
        """Wait for the answer. Raises WorkerLostError, TimeoutError."""
        return self._worker(shard).collect(seconds)

    def close(self) -> None:
        """End all processes."""
        for shard in range(len(self._workers)):
            self._end(shard)

    def _worker(self, shard: int) -> WorkerProcess:
        worker = self._workers[shard]
        if worker is None:
            raise WorkerLostError(f"Shard {shard} has no process.")
        return worker

    def _end(self, shard: int) -> None:
        worker, self._workers[shard] = self._workers[shard], None
        if worker is not None:
            worker.end()


class WorkerProcess:
    """A process, and the thread that talks with it, so that nobody waits for a pipe for ever."""

    def __init__(self) -> None:
        memory = shared_memory()
        number = -1 if memory is None else memory.fileno()
        self._process = Popen(
            [sys.executable, "-P", "-m", PROGRAM, str(number), str(os.getpid())],
            stdin=PIPE,
            stdout=PIPE,
            bufsize=0,
            pass_fds=() if memory is None else (number,),
            env=environment(),
        )
        mailbox = Mailbox(self._process.stdout, self._process.stdin, memory)  # type: ignore[arg-type]
        self._asked = 0
        """The number of questions so far; the answer of each has its number."""
        self._questions: SimpleQueue[Any] = SimpleQueue()
        self._answers: SimpleQueue[Any] = SimpleQueue()
        arguments = (mailbox, self._questions, self._answers)
        self._thread = Thread(target=_talk, args=arguments, daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def ask(self, question: Any) -> None:
        """Have the question sent; an answer that was not collected is dropped."""
        self._asked += 1
        self._questions.put((self._asked, question))

    def collect(self, seconds: float) -> Any:
        """Wait for the answer. Raises WorkerLostError, TimeoutError."""
        deadline = monotonic() + seconds
        number, answer = -1, None
        while number < self._asked:
            try:
                number, answer = self._answers.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                raise TimeoutError(f"Process {self.pid} has not answered.") from None
        if number == ENDED:
            self._answers.put((ENDED, None))  # it has ended for all who ask
            raise WorkerLostError(f"Process {self.pid} has ended.")
        return answer

    def end(self) -> None:
        """End the process, and wait until it and the thread are gone."""
        self._process.kill()
        self._process.wait(SECONDS_TO_END)
        self._questions.put(None)
        self._thread.join(SECONDS_TO_END)


def _talk(mailbox: Mailbox, questions: SimpleQueue[Any], answers: SimpleQueue[Any]) -> None:
    """Send questions and put the answers, until the process has ended; then put that."""
    try:
        while (asked := questions.get()) is not None:
            number, question = asked
            mailbox.send(question)
            answers.put((number, mailbox.receive()))
    except (OSError, EOFError):
        pass
    finally:
        answers.put((ENDED, None))
        with suppress(OSError):
            mailbox.close()
