"""A process of its own for each contestant.

So none is measured with another's objects on the heap, another's modules loaded, or the
interpreter's inline caches as another left them.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from traceback import format_exc
from typing import Any, Concatenate, ParamSpec, TypeVar

from contestant import Contestant, load

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class WorkError(Exception):
    """A contestant raised an error; the message is its traceback."""


class Worker:
    """A process that has loaded one contestant; ModuleNotFoundError where it cannot."""

    def __init__(self, name: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.name = name
        self._connection, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, name), daemon=True)
        self._process.start()
        other.close()
        if reason := self._connection.recv():
            self.close()
            raise ModuleNotFoundError(reason)

    def ask(
        self,
        function: Callable[Concatenate[Contestant, Parameters], Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """What `function` answers in that process, called with the contestant and `args`."""
        self._connection.send((function, args, kwargs))
        result, error = self._connection.recv()
        if error:
            raise WorkError(error)
        answer: Result = result
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._connection.close()
        self._process.join()


def serve(connection: Connection, name: str) -> None:
    """Loads a contestant and answers until the other end is closed."""
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
    """The result of a call and an empty text, or nothing and the text of the error."""
    try:
        return function(contestant, *args, **kwargs), ""
    except Exception:
        return None, format_exc()
