"""`every`: many small cases in one test, which costs much less than a test for each of them."""

import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from typing import Any


def every(
    names: str | tuple[str, ...], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with each of the cases, as `pytest.mark.parametrize` does, but as one test.

    It ends with the first case that fails, and names it. Fixtures are shared by the cases.
    """
    parameters = tuple(names.replace(",", " ").split()) if isinstance(names, str) else names
    is_one = isinstance(names, str) and "," not in names
    rows = [(case,) if is_one else tuple(case) for case in cases]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def call_with_each(**others: Any) -> None:
            for row in rows:
                case = dict(zip(parameters, row, strict=True))
                try:
                    test(**case, **others)
                except BaseException as error:
                    with suppress(Exception):  # some of the errors tested refuse notes
                        error.add_note(f"With {case}.")
                    raise

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in parameters]
        del call_with_each.__wrapped__
        call_with_each.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return call_with_each

    return decorate
