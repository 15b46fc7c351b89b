"""The context of a machine, as the page shows it: its fields, or its text where it has none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from fsmkit.inspector.reading.values import LARGEST, PLAIN, name_of, public_fields, text_of

NUMBERED: Final = (list, tuple, deque)
"""Containers whose entries are shown by their number, unless they have names."""


def context_rows(context: object) -> Iterator[list[str]]:
    """Yield names and texts; the text of the whole has an empty name.

    Raises what the context itself raises when it is read.

    >>> list(context_rows({"hp": 3})), list(context_rows(["a", "b"]))
    ([['hp', '3']], [['', "['a', 'b']"], ['0', "'a'"], ['1', "'b'"]])
    """
    fields = public_fields(context)
    if fields is not context and not isinstance(context, PLAIN):
        if _says_more_than_its_fields(context, fields):
            yield ["", text_of(context)]
        names: Sequence[str] | None = getattr(type(context), "_fields", None)
        if isinstance(context, tuple) and names is not None:  # a namedtuple
            fields = dict(zip(names, context, strict=False))
        elif isinstance(context, NUMBERED):
            yield from _rows(enumerate(context), len(context))
    yield from _rows(fields.items(), len(fields))


def _says_more_than_its_fields(context: object, fields: Mapping[Any, object]) -> bool:
    """Return True for a container, and for an object without fields that has a text of its own."""
    if isinstance(context, (*NUMBERED, set, frozenset)):
        return True
    return not fields and type(context).__repr__ is not object.__repr__


def _rows(entries: Iterable[tuple[Any, object]], count: int) -> Iterator[list[str]]:
    for key, value in islice(entries, LARGEST):
        yield [name_of(key), text_of(value)]
    if count > LARGEST:
        yield ["…", f"and {count - LARGEST} more"]
