"""Attempts: steps that are all taken, whatever those before them raise."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class attempts:  # noqa: N801  # reads as a verb in `with`, as contextlib.suppress does
    """A block with a function that takes a step; what the steps raise is raised at the end.

    One error is raised itself, several as a group. An error of the block itself ends it and comes
    last. (No `contextmanager`: that one writes to the error, which a frozen dataclass refuses.)

    >>> with attempts("Cook") as attempt:
    ...     attempt(float, "two")
    ...     attempt(print, "goes on")
    Traceback (most recent call last):
    ...
    ValueError: could not convert string to float: 'two'
    """

    def __init__(self, who: object) -> None:
        self._who = who
        self._errors: list[BaseException] = []

    def __enter__(self) -> Callable[..., None]:
        return self._attempt

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if error is not None and not self._errors:
            return  # it goes on by itself
        errors = self._errors if error is None else [*self._errors, error]
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise BaseExceptionGroup(f"{type(self._who).__name__}: several steps failed", errors)

    def _attempt(self, step: Callable[..., object], *arguments: object) -> None:
        try:
            step(*arguments)
        except BaseException as error:
            self._errors.append(error)
