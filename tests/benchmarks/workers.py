"""A process of its own for each contestant.

So none is measured with another's objects on the heap, another's modules loaded, or the
interpreter's inline caches as another left them.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from traceback import format_exc
from typing import Any, Concatenate, ParamSpec, TypeVar

from contestant import Contestant, environment_of, load

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class WorkError(Exception):
    """A contestant raised an error; the message is its traceback."""


class Worker:
    """A process that has loaded one contestant; ModuleNotFoundError if it cannot."""

    def __init__(self, name: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.name = name
        self._connection, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, name), daemon=True)
        self._process.start()
        other.close()
        try:
            reason = self._connection.recv()
        except (EOFError, OSError):
            raise WorkError(self._end()) from None
        if reason:
            self.close()
            raise ModuleNotFoundError(reason)

    def ask(
        self,
        function: Callable[Concatenate[Contestant, Parameters], Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """Call `function` in that process with the contestant and `args`; return its result."""
        try:
            self._connection.send((function, args, kwargs))
            result, error = self._connection.recv()
        except (EOFError, OSError):  # it has crashed
            raise WorkError(self._end()) from None
        if error:
            raise WorkError(error)
        answer: Result = result
        return answer

    def _end(self) -> str:
        """Say how the process ended that no longer answers."""
        self.close()
        return f"{self.name}: its process ended with exit code {self._process.exitcode}"

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join()


def serve(connection: Connection, name: str) -> None:
    """Load a contestant and answer until the other end is closed."""
    os.environ.clear()
    os.environ.update(environment_of(name))
    try:
        contestant = load(name)
    except ModuleNotFoundError as error:
        connection.send(str(error))
        return
    connection.send("")
    while True:
        try:
            function, args, kwargs = connection.recv()
        except EOFError:
            return
        connection.send(answer(contestant, function, args, kwargs))


def answer(
    contestant: Contestant,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, str]:
    """Return the result of a call and an empty text, or nothing and the text of the error."""
    try:
        return function(contestant, *args, **kwargs), ""
    except Exception:
        return None, format_exc()
