"""Mailbox: messages between two processes, by two pipes and a piece of shared memory.

A message is a pickle, which goes through the pipe. Large arrays in it are written to the shared
memory, which both processes have open and which has no name: when they end, however that comes
about, it is gone. Where processes cannot share it, arrays go through the pipe as well.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from io import FileIO
from struct import Struct
from tempfile import TemporaryFile
from typing import Any, Final, Protocol

from fsmkit.crowd.packages import np

HEADER: Final = Struct("<QQ?")
"""The bytes of the pickle, the bytes of the arrays, and whether these are in shared memory."""

SIZES: Final = Struct("<Q")


class Pipe(Protocol):
    """An end of a pipe."""

    def read(self, size: int, /) -> bytes | None:
        """Return at most `size` bytes; none at the end."""
        ...

    def write(self, data: Any, /) -> int | None:
        """Write some of these bytes; return how many."""
        ...

    def close(self) -> None:
        """Close this end."""
        ...


class Mailbox:
    """One end of the connection; at any time only one of the two sends."""

    def __init__(self, incoming: Pipe, outgoing: Pipe, memory: FileIO | None) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._memory = memory

    def send(self, message: Any) -> None:
        """Send a message. Raises OSError if nobody is there to receive it."""
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
        views = [each.raw() for each in buffers]
        sizes = b"".join(SIZES.pack(view.nbytes) for view in views)
        is_shared = bool(views) and self._memory is not None
        if is_shared:
            self._share(views)
        head = HEADER.pack(len(data), len(sizes), is_shared)
        _write(self._outgoing, b"".join([head, sizes, data]))
        for view in () if is_shared else views:
            _write(self._outgoing, view)

    def receive(self) -> Any:
        """Wait for a message, and return it. Raises EOFError if the other one has ended."""
        length, count, is_shared = HEADER.unpack(self._read(HEADER.size))
        sizes = [size for (size,) in SIZES.iter_unpack(self._read(count))]
        data = self._read(length)
        buffers: list[Any] = [np.empty(size, np.uint8) for size in sizes]
        source = self._memory if is_shared else self._incoming
        if is_shared and self._memory is not None:
            self._memory.seek(0)
        for buffer in buffers:
            _fill(source, memoryview(buffer))
        if is_shared and self._memory is not None:
            self._memory.truncate(0)  # gives the memory back
        return pickle.loads(data, buffers=buffers)

    def close(self) -> None:
        """Close this end."""
        for each in (self._incoming, self._outgoing, self._memory):
            if each is not None:
                each.close()

    def _share(self, views: Sequence[memoryview]) -> None:
        assert self._memory is not None
        self._memory.seek(0)
        for view in views:
            _write(self._memory, view)

    def _read(self, size: int) -> bytes:
        data = bytearray(size)
        _fill(self._incoming, memoryview(data))
        return bytes(data)


def shared_memory() -> FileIO | None:
    """Return memory that a process can share with those that it starts; None on Windows."""
    if os.name != "posix":
        return None
    if hasattr(os, "memfd_create"):
        return FileIO(os.memfd_create("fsmkit-shard"), "r+b")
    with TemporaryFile(buffering=0) as file:  # it has no name, either
        return FileIO(os.dup(file.fileno()), "r+b")


def _write(file: Any, data: Any) -> None:
    view = memoryview(data).cast("B") if not isinstance(data, bytes) else memoryview(data)
    while view:
        view = view[file.write(view) :]


def _fill(file: Any, view: memoryview) -> None:
    while view:
        count = file.readinto(view)
        if not count:
            raise EOFError("The other process has ended.")
        view = view[count:]
