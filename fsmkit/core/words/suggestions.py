"""Suggestions: what may be meant by a name that is not known."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from fsmkit.core.words.quoting import quote

MOST_NAMES: Final = 5
"""How many places a sentence names; of more it says only how many they are."""


def similar(name: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that is most like `name`, whatever the case; None if none is.

    >>> similar("OPNE", ["CLOSE", "OPEN"]), similar("patrol", ["Patrol"]), similar("X", ["Patrol"])
    ('OPEN', 'Patrol', None)
    """
    from difflib import get_close_matches  # here, because it is slow to import and seldom needed

    plain = {other.casefold(): other for other in known}
    return next((plain[close] for close in get_close_matches(name.casefold(), plain, 1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `Did you mean ...? ` with the most similar one; empty if there is none."""
    known = list(known)
    for other in known:
        if _normal(other) == _normal(name):
            return (
                f"{quote(other)} looks the same but consists of other Unicode characters, "
                f"{other!a} and not {name!a}: normalize both, as by "
                "unicodedata.normalize('NFC', name). "
            )
    meant = similar(name, known)
    return "" if meant is None else f"Did you mean {quote(meant)}? "


def listed(places: list[str]) -> str:
    """Return a few places as a list, of many how many more they are."""
    if len(places) <= MOST_NAMES:
        return ", ".join(places)
    return f"{', '.join(places[:MOST_NAMES])} and {len(places) - MOST_NAMES} more"


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name)
