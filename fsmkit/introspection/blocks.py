"""Blocks: context managers written as generators, which let errors of users pass unchanged."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import wraps
from types import TracebackType
from typing import Generic, ParamSpec, TypeVar, cast

ParametersT = ParamSpec("ParametersT")
GivenT = TypeVar("GivenT")


class _Block(Generic[GivenT]):
    def __init__(self, steps: Iterator[GivenT]) -> None:
        self._steps = cast("Generator[GivenT, None, None]", steps)

    def __enter__(self) -> GivenT:
        return next(self._steps)

    def __exit__(
        self, _kind: object, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            next(self._steps, None)
            return
        try:
            self._steps.throw(error)
        except BaseException as raised:
            # A generator turns a StopIteration that passes through it into a RuntimeError.
            is_turned = issubclass(type(error), StopIteration) and raised.__cause__ is error
            if raised is not error and not is_turned:
                raise
            BaseException.with_traceback(error, traceback)


def block(
    function: Callable[ParametersT, Iterator[GivenT]],
) -> Callable[ParametersT, _Block[GivenT]]:
    """Make a context manager of a generator function that lets every error go on.

    `contextlib.contextmanager` does so too, but writes to the error, which a frozen dataclass
    refuses: its own error would take the place of the user's.

    >>> @block
    ... def noted():
    ...     try:
    ...         yield "name"
    ...     finally:
    ...         print("done")
    >>> with noted() as name:
    ...     print(name)
    name
    done
    """

    @wraps(function)
    def begin(*arguments: ParametersT.args, **named: ParametersT.kwargs) -> _Block[GivenT]:
        return _Block(function(*arguments, **named))

    return begin
