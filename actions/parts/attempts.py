"""Attempts: steps that are all taken, whatever those before them raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def attempts(who: object) -> Iterator[Callable[..., None]]:
    """Yield a function that takes a step; what the steps raise is raised at the end.

    One error is raised itself, several as a group. An error of the block itself ends it and comes
    last.

    >>> with attempts("Cook") as attempt:
    ...     attempt(float, "two")
    ...     attempt(print, "goes on")
    Traceback (most recent call last):
    ...
    ValueError: could not convert string to float: 'two'
    """
    errors: list[BaseException] = []

    def attempt(step: Callable[..., object], *arguments: object) -> None:
        try:
            step(*arguments)
        except BaseException as error:
            errors.append(error)

    try:
        yield attempt
    except BaseException as error:
        errors.append(error)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise BaseExceptionGroup(f"{type(who).__name__}: several steps failed", errors)
