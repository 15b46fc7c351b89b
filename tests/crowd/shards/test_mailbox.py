"""Messages between processes arrive as they were, with and without shared memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import FileIO
from threading import Thread

import numpy as np
import pytest

from fsmkit.crowd.shards.processes import Mailbox, shared_memory


@pytest.fixture(params=["shared", "piped"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[Mailbox, Mailbox]]:
    there, here = os.pipe(), os.pipe()
    memory = shared_memory() if request.param == "shared" else None
    if request.param == "shared" and memory is None:
        pytest.skip("processes cannot share memory here")
    other = None if memory is None else FileIO(os.dup(memory.fileno()), "r+b")
    own = Mailbox(FileIO(here[0]), FileIO(there[1], "w"), memory)
    theirs = Mailbox(FileIO(there[0]), FileIO(here[1], "w"), other)
    yield own, theirs
    own.close()
    theirs.close()


def test_a_message_arrives_as_it_was(ends: tuple[Mailbox, Mailbox]) -> None:
    own, theirs = ends
    columns = {
        "x": np.arange(100_000) * 0.5,
        "none": np.zeros(0, np.int8),
        "flags": np.array([True, False]),
        "strided": np.arange(10)[::3],
    }
    for number in range(3):
        sender = Thread(target=own.send, args=(("do", number, columns),))
        sender.start()
        name, received, arrays = theirs.receive()
        sender.join()
        assert (name, received) == ("do", number)
        for key, column in columns.items():
            assert arrays[key].dtype == column.dtype
            assert arrays[key].tobytes() == column.tobytes()
            assert arrays[key].flags.writeable
        theirs.send(number)
        assert own.receive() == number


def test_the_end_of_the_other_one_is_seen(ends: tuple[Mailbox, Mailbox]) -> None:
    own, theirs = ends
    theirs.close()
    with pytest.raises(EOFError):
        own.receive()
    with pytest.raises(BrokenPipeError):
        own.send(1)
