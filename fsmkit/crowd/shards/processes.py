"""Processes: shards on this computer, which run no line of the user's script.

A message between two processes is a pickle, which goes through a pipe. Large arrays in it are
written to shared memory, which both processes have open and which has no name: when they end,
however that comes about, it is gone. Where processes cannot share it, arrays go through the pipe.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from contextlib import suppress
from io import FileIO
from pkgutil import resolve_name
from queue import Empty, SimpleQueue
from struct import Struct
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from threading import Thread
from time import monotonic, sleep
from typing import Any, Final

from fsmkit.crowd.errors import CrowdError, WorkerLostError
from fsmkit.crowd.packages import np
from fsmkit.terminal.frozen_program import environment, is_frozen

PROGRAM: Final = "import sys; from fsmkit.crowd.shards.processes import serve; serve(*sys.argv[1:])"

CHECK_INTERVAL: Final = 1.0
"""Seconds between two checks whether the driver is still there."""

HEADER: Final = Struct("<QQ?")
"""The bytes of the pickle, the bytes of the arrays' sizes, and whether shared memory has them."""

SIZES: Final = Struct("<Q")

ENDED: Final = sys.maxsize
"""Instead of the number of an answer: there will be no more."""

SECONDS_TO_END: Final = 10.0
"""How long to wait for a process that was killed; it takes milliseconds."""


class WorkerProcess:
    """A process, and the thread that talks to it, so that nobody waits forever for a pipe.

    The process has one instance of `kind`, a class without arguments; a question is a call of its
    method `answer`. Ctrl-C does not reach the process.
    """

    def __init__(self, kind: type) -> None:
        python = interpreter()
        memory = shared_memory()
        number = -1 if memory is None else memory.fileno()
        name = f"{kind.__module__}:{kind.__qualname__}"
        self.process = Popen(
            [python, "-P", "-c", PROGRAM, name, str(number), str(os.getpid())],
            stdin=PIPE,
            stdout=PIPE,
            bufsize=0,
            pass_fds=() if memory is None else (number,),
            env=environment(),
            start_new_session=True,
        )
        self._mailbox = Mailbox(self.process.stdout, self.process.stdin, memory)  # type: ignore[arg-type]
        self._asked = 0
        """The number of questions so far; the answer of each has its number."""
        self._questions: SimpleQueue[Any] = SimpleQueue()
        self._answers: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        """Numbers of questions, each with the answer."""
        self._thread = Thread(target=self._talk, daemon=True)
        self._thread.start()

    def ask(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Have the question sent; an answer that was not collected is dropped."""
        self._asked += 1
        self._questions.put((self._asked, (name, arguments)))

    def collect(self, seconds: float) -> Any:
        """Wait for the answer. Raises WorkerLostError, TimeoutError."""
        deadline = monotonic() + seconds
        number, answer = -1, None
        while number < self._asked:
            try:
                number, answer = self._answers.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                raise TimeoutError(f"Process {self.process.pid} has not answered.") from None
        if number == ENDED:
            self._answers.put((ENDED, None))  # for the next question too
            raise WorkerLostError(f"Process {self.process.pid} has ended.")
        return answer

    def end(self) -> None:
        """End the process, and wait until it and the thread are gone."""
        self.process.kill()
        self.process.wait(SECONDS_TO_END)
        self._questions.put(None)
        self._thread.join(SECONDS_TO_END)

    def _talk(self) -> None:
        """Send questions and put the answers, until the process has ended; then put that."""
        try:
            while (asked := self._questions.get()) is not None:
                number, question = asked
                self._mailbox.send(question)
                self._answers.put((number, self._mailbox.receive()))
        except (OSError, EOFError):
            pass
        finally:
            self._answers.put((ENDED, None))
            with suppress(OSError):
                self._mailbox.close()


def interpreter() -> str:
    """Return the path of Python. Raises CrowdError in a frozen program, which would run itself."""
    if is_frozen() or not sys.executable:
        raise CrowdError(
            "Shards in processes need a Python to run them, and a frozen program has none. Use "
            "InProcessShards, or a Crowd, which has threads."
        )
    return sys.executable


class Mailbox:
    """One end of the connection; at any time only one of the two sends."""

    def __init__(self, incoming: FileIO, outgoing: FileIO, memory: FileIO | None) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._memory = memory

    def send(self, message: Any) -> None:
        """Send a message. Raises OSError if the other process has ended."""
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
        views = [each.raw() for each in buffers]
        sizes = b"".join(SIZES.pack(view.nbytes) for view in views)
        shared = self._memory if views else None
        _write(self._outgoing, HEADER.pack(len(data), len(sizes), shared is not None) + sizes)
        if shared is not None:
            shared.seek(0)
        for view in views:
            _write(shared or self._outgoing, view)
        _write(self._outgoing, data)  # last: then everything is there

    def receive(self) -> Any:
        """Wait for a message, and return it. Raises EOFError if the other process has ended."""
        length, count, is_shared = HEADER.unpack(_read(self._incoming, HEADER.size))
        sizes = [size for (size,) in SIZES.iter_unpack(_read(self._incoming, count))]
        arrays = [] if is_shared else [_read(self._incoming, size) for size in sizes]
        data = _read(self._incoming, length)
        if is_shared:
            assert self._memory is not None
            self._memory.seek(0)
            arrays = [_read(self._memory, size) for size in sizes]
            self._memory.truncate(0)  # gives the memory back
        return pickle.loads(data, buffers=arrays)

    def close(self) -> None:
        for each in (self._incoming, self._outgoing, self._memory):
            if each is not None:
                each.close()


def shared_memory() -> FileIO | None:
    """Return memory that a process can share with those that it starts; None on Windows."""
    if os.name != "posix":
        return None
    if hasattr(os, "memfd_create"):
        return FileIO(os.memfd_create("fsmkit-shard"), "r+b")
    with TemporaryFile(buffering=0) as file:  # it has no name, either
        return FileIO(os.dup(file.fileno()), "r+b")


def _write(file: Any, data: Any) -> None:
    view = memoryview(data).cast("B")
    while view:
        view = view[file.write(view) :]


def _read(file: FileIO, size: int) -> memoryview:
    cells: Any = np.empty(size, np.uint8)
    data = memoryview(cells)
    view = data
    while view:
        count = file.readinto(view)
        if not count:
            raise EOFError("The other process has ended.")
        view = view[count:]
    return data


def serve(kind: str, memory: str, driver: str) -> None:
    """Answer questions until the driver closes its pipe or ends, however that comes about.

    `memory` is the file descriptor of the shared memory, or -1, `driver` the driver's process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    incoming, outgoing = FileIO(os.dup(0)), FileIO(os.dup(1), "w")
    os.dup2(2, 1)  # printed text must not get between the answers
    if os.name == "posix":
        Thread(target=_watch, args=(int(driver),), daemon=True).start()
    shared = None if memory == "-1" else FileIO(int(memory), "r+b")
    mailbox, worker = Mailbox(incoming, outgoing, shared), resolve_name(kind)()
    with suppress(EOFError, BrokenPipeError):
        while True:
            name, arguments = mailbox.receive()
            mailbox.send(worker.answer(name, arguments))


def _watch(driver: int) -> None:
    """End this process when the driver has ended, even in the middle of a long call."""
    while os.getppid() == driver:
        sleep(CHECK_INTERVAL)
    os._exit(1)
