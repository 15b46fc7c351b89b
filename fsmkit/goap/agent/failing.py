"""What becomes of several errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def errors_of(calls: Iterable[Callable[[], object]]) -> list[BaseException]:
    """The errors of `calls`, each of which is made whatever became of the others."""
    errors: list[BaseException] = []
    for call in calls:
        try:
            call()
        except BaseException as error:
            errors.append(error)
    return errors


def raise_together(errors: Sequence[BaseException]) -> None:
    """Raise `errors`: none not at all, one as it is, several as a group."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise BaseExceptionGroup("several failed", errors)
