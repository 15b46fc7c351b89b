"""Workers: the processes that carry out trials, several at once; they run no line of the script.

Each is a `ProcessPoolExecutor` of one process: a process that is killed breaks its executor, and
with it only its own trial. A future brings the next messages of a trial, not the whole of it, so
that they arrive as they come.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice, repeat
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Thread
from types import ModuleType
from typing import Any, Final, TypeAlias

from fsmkit.core.words.notes import shown_error
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.studies.trials import Course, Ended, Message, Trial, carry_out, compile_loops

BATCH: Final = 1000
"""Samples that a process sends together; a snapshot, which is large, is sent by itself."""

SentMessages: TypeAlias = list[Message]


def messages(
    course: Course, trials: Sequence[Trial], count: int
) -> Generator[tuple[int, Message], None, None]:
    """Carry out trials in `count` processes; yield their messages, with the number of the trial.

    The messages of one trial come in their order, those of several trials mixed. A process that is
    killed ends its trial with an error, and another one takes its place. All processes are ended
    when the iteration is, however that comes about. Raises CrowdError if one cannot be started.
    """
    pending = deque(enumerate(trials))
    workers: list[TrialWorker] = []
    running: dict[Future[SentMessages], tuple[int, TrialWorker]] = {}
    try:
        for _ in range(count):
            workers.append(TrialWorker(course))  # noqa: PERF401  (all others end if one cannot start)
        compile_loops(course)  # once, while they start, and not in each of them
        for worker in workers:
            number, trial = pending.popleft()
            running[worker.advance(trial)] = number, worker
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                number, worker = running.pop(future)
                sent = worker.sent(future)
                if not isinstance(sent[-1], Ended):
                    running[worker.advance()] = number, worker
                elif pending:
                    if not worker.process.is_alive():
                        workers.append(worker := TrialWorker(course))
                    following, trial = pending.popleft()
                    running[worker.advance(trial)] = following, worker
                yield from zip(repeat(number), sent, strict=False)
    finally:
        for worker in workers:
            worker.end()


class TrialWorker:
    """An executor of one process, which carries out one trial after the other."""

    def __init__(self, course: Course) -> None:
        self._executor = ProcessPoolExecutor(1, TrialContext())
        self._begun = self._executor.submit(begin, course)
        [self.process] = self._executor._processes.values()
        # The executor has both ends of its pipes open. Whoever waits for the rest of a message from
        # a process that was killed, or for it to read one, would wait forever.
        executor: Any = self._executor
        executor._result_queue._writer.close()
        executor._call_queue._reader.close()

    def advance(self, trial: Trial | None = None) -> Future[SentMessages]:
        """Ask for the next messages, of a new trial or of the current one."""
        try:
            return self._executor.submit(advance, trial)
        except BrokenProcessPool as error:
            lost: Future[SentMessages] = Future()
            lost.set_exception(error)
            return lost

    def sent(self, future: Future[SentMessages]) -> SentMessages:
        """Return the messages that have come; of a process that was killed, the end of its trial.

        Raises CrowdError if it had not begun.
        """
        try:
            return future.result()
        except BrokenProcessPool:
            self.end()
        except Exception as error:
            return [Ended(error)]
        code = self.process.exitcode or 0
        fate = f"was ended by signal {-code}" if code < 0 else f"has ended with code {code}"
        if self._begun.exception() is not None:
            raise CrowdError(f"A process for the study could not be started: it {fate}.")
        return [Ended(CrowdError(f"Its process {fate}."))]

    def end(self) -> None:
        """End the process, and wait until it is gone."""
        self.process.kill()
        self._executor.shutdown()


class TrialProcess(SpawnProcess):
    """A process that never runs the user's script, is not interrupted, and ends with its parent."""

    def start(self) -> None:
        self.daemon = True  # a program that ends does not wait for it
        main = sys.modules["__main__"]
        nameless = ModuleType("__main__")  # the main module is not run again without name and file
        vars(nameless).update({**vars(main), "__spec__": None, "__file__": None})
        sys.modules["__main__"] = nameless
        masks = hasattr(signal, "pthread_sigmask")  # the process inherits the mask
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if masks else ()
        try:
            super().start()
        finally:
            sys.modules["__main__"] = main
            if masks:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def run(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # where there are no masks
        Thread(target=_end_with_parent, daemon=True).start()
        super().run()


def _end_with_parent() -> None:
    """End this process when the program has ended, even in the middle of a trial."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class TrialContext(SpawnContext):
    Process = TrialProcess


# In the process


class Stage:
    """What a process is carrying out."""

    course: Course
    messages: Iterator[Message]


def begin(course: Course) -> None:
    Stage.course = course


def advance(trial: Trial | None) -> SentMessages:
    """Return the next messages of a new trial, or of the current one."""
    if trial is not None:
        Stage.messages = carry_out(Stage.course, trial)
    size = 1 if Stage.course.measures is None else BATCH
    return [_sendable(message) for message in islice(Stage.messages, size)]


def _sendable(message: Message) -> Message:
    """Return a message that can be pickled: of an error that cannot, only its text."""
    if isinstance(message, Ended) and message.error is not None:
        try:
            pickle.loads(pickle.dumps(message.error))
        except Exception:
            return Ended(RuntimeError(shown_error(message.error)))
    return message
