"""The process of a worker: carries out runs, one after the other.

It reads pickles from its input: a Course, then Runs. It writes pickles to its output: READY, then
for each run its Moments and an Ended. When its input ends it does so at once, also in the middle of
a run: so no worker remains, however the process that started it has ended.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

from attrs import frozen

from fsmkit.core.words.notes import shown_error
from fsmkit.crowd.studies.population import Population
from fsmkit.crowd.studies.run import Course, Run

READY: Final = "ready"


@frozen(eq=False)
class Ended:
    """The end of a run, with the error that it ended with."""

    error: Exception | None = None


def carry_out(course: Course, run: Run) -> Iterator[Any]:
    """Yield the moments of a run, and its end. Raises nothing."""
    error: Exception | None = None
    try:
        yield from Population(course, run).moments()
    except Exception as raised:
        error = Exception.with_traceback(raised, None)
    yield Ended(error)


def main() -> None:
    """Work until the input ends."""
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not get between the pickles
    course: Course = _loaded(source)
    runs: SimpleQueue[Run] = SimpleQueue()
    Thread(target=_read, args=(source, runs.put), daemon=True).start()
    _write(READY, target)
    while True:
        for message in carry_out(course, runs.get()):
            _write(message, target)


def _read(source: Any, put: Callable[[Run], None]) -> None:
    while True:
        put(_loaded(source))


def _loaded(source: Any) -> Any:
    """Return the next pickle. If there is none, or it is cut short, the process ends."""
    try:
        return pickle.load(source)
    except (EOFError, pickle.UnpicklingError):
        os._exit(0)


def _write(message: Any, target: Any) -> None:
    try:
        pickle.dump(_sendable(message), target, protocol=5)
        target.flush()
    except BrokenPipeError:  # nobody is there to read it
        os._exit(0)


def _sendable(message: Any) -> Any:
    """Return a message that can be pickled: of an error that cannot, only its text."""
    if isinstance(message, Ended) and message.error is not None:
        try:
            pickle.loads(pickle.dumps(message.error))
        except Exception:
            return Ended(RuntimeError(shown_error(message.error)))
    return message
