"""Values as the page shows them: short texts, whatever they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from reprlib import Repr
from typing import Final

from fsmkit.parameters import shown

LONGEST: Final = 160
ADDRESS: Final = re.compile(r"(?: object)? at 0x[0-9A-Fa-f]+")
LONG_FRACTION: Final = re.compile(r"(\d\.\d{4})\d+(?![\de])")
PLAIN: Final = (type(None), bool, int, float, complex, str, bytes)
CONTAINERS: Final = (list, tuple, set, frozenset, dict)

_repr: Final = Repr()
_repr.maxlist = _repr.maxtuple = _repr.maxset = _repr.maxfrozenset = _repr.maxdict = 12
_repr.maxstring = _repr.maxother = _repr.maxlong = LONGEST


def text_of(value: object) -> str:
    """`value` for a reader, with four decimals at most. A `__repr__` may fail as it likes.

    >>> text_of((1 / 3, "door"))
    "(0.3333, 'door')"
    """
    try:
        text = _repr.repr(value) if isinstance(value, CONTAINERS) else shown(value)
    except Exception as error:  # a __repr__ of the user's
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    text = LONG_FRACTION.sub(r"\1", ADDRESS.sub("", text))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def public_fields(thing: object) -> dict[str, object]:
    """Name -> value of what it keeps, without what begins with an underscore.

    Properties are not asked: they might do something.
    """
    if isinstance(thing, PLAIN):
        return {} if thing is None else {"": thing}
    if isinstance(thing, Mapping):
        return {str(name): value for name, value in thing.items()}
    return {name: value for name, value in _kept(thing) if not name.startswith("_")}


def _kept(thing: object) -> Iterator[tuple[str, object]]:
    for kind in reversed(type(thing).__mro__):
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                yield name, getattr(thing, name)
    yield from getattr(thing, "__dict__", {}).items()
