"""Values as the page shows them: short texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from reprlib import Repr
from types import MemberDescriptorType
from typing import Any, Final

from fsmkit.core.words.notes import message_of
from fsmkit.core.words.parameters import shown

LONGEST: Final = 160
MOST_LETTERS: Final = 10 * LONGEST
"""Letters of a text that are looked at before it is shortened."""
LONGEST_ANSWER: Final = 2_000
"""Letters of an error that a request is answered with: it may say what to do."""
LARGEST: Final = 100
"""Entries up to which a container is read in full."""
ADDRESS: Final = re.compile(r"(?: object)? at 0x[0-9A-Fa-f]+")
LONG_FRACTION: Final = re.compile(r"(\d\.\d{4})\d+(?![\de])")
PLAIN: Final = (type(None), bool, int, float, complex, str, bytes)
CONTAINERS: Final = (list, tuple, set, frozenset, dict)


class _Beginnings(Repr):
    """Texts of the first entries of containers, in a time independent of their size."""

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        """Return the first entries as they come: the base class would sort all of them."""
        return super().repr_dict(dict(islice(x.items(), self.maxdict + 1)), level)

    def repr_set(self, x: set[Any], level: int) -> str:
        """Return some entries: the base class would sort all of them."""
        return super().repr_set(set(islice(x, self.maxset + 1)), level)

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        """Return some entries: the base class would sort all of them."""
        return super().repr_frozenset(frozenset(islice(x, self.maxfrozenset + 1)), level)

    def repr_instance(self, x: Any, level: int) -> str:
        """Return a large container of a derived class like one of its base class."""
        for kind in CONTAINERS:
            if isinstance(x, kind) and len(x) > LARGEST:
                inside: str = getattr(self, f"repr_{kind.__name__}")(x, level)
                return f"{type(x).__name__}({inside})"
        return super().repr_instance(x, level)


_repr: Final = _Beginnings()
_repr.maxlist = _repr.maxtuple = _repr.maxset = _repr.maxfrozenset = _repr.maxdict = 12
_repr.maxstring = _repr.maxother = _repr.maxlong = LONGEST


def text_of(value: object) -> str:
    """Return `value` as text, with at most four decimals. A failing `__repr__` does no harm.

    >>> text_of((1 / 3, "door"))
    "(0.3333, 'door')"
    """
    try:
        if isinstance(value, bytes):
            value = value[:LONGEST]
        is_cut = isinstance(value, CONTAINERS) or type(value) is str
        text = (_repr.repr(value) if is_cut else shown(value))[:MOST_LETTERS]
    except Exception as error:  # from a user's __repr__
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return shortened(LONG_FRACTION.sub(r"\1", ADDRESS.sub("", text)))


def error_text(error: BaseException, longest: int = LONGEST) -> str:
    """Return the type of an error and its message, shortened. A failing `__str__` does no harm.

    >>> error_text(KeyError("door"))
    "KeyError: 'door'"
    """
    name = type(error).__name__
    message = message_of(error)[: max(MOST_LETTERS, longest)]
    return shortened(ADDRESS.sub("", f"{name}: {message}" if message else name), longest)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return `text`, or the beginning of a longer one."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def name_of(key: object) -> str:
    """Return the key of a value as text.

    >>> name_of("door"), name_of((0, 1))
    ('door', '(0, 1)')
    """
    return key if isinstance(key, str) else text_of(key)


def public_fields(thing: object) -> Mapping[Any, object]:
    """Return the fields of `thing`, key -> value, without names that begin with an underscore.

    Properties are not read: they might have side effects. Raises what the thing itself raises.
    """
    if isinstance(thing, PLAIN):
        return {} if thing is None else {"": thing}
    if isinstance(thing, Mapping):
        return thing
    return {name: value for name, value in _fields(thing) if not name.startswith("_")}


def _fields(thing: object) -> Iterator[tuple[str, object]]:
    for kind in reversed(type(thing).__mro__):
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            slot = vars(kind).get(name)  # not what a subclass may have put over it
            if isinstance(slot, MemberDescriptorType):
                with suppress(AttributeError):  # it has no value
                    yield name, slot.__get__(thing)
    named = getattr(thing, "__dict__", {})
    yield from ((name, value) for name, value in named.items() if isinstance(name, str))
