"""Suggestions: known names that an unknown one may be meant for."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from fsmkit.core.words.quoting import quote

MOST_NAMES: Final = 5
"""The most places a sentence names; it only counts the others."""


def similar(name: str, known: Iterable[str]) -> str | None:
    """Return the name of `known` most similar to `name`, ignoring case; None if none is similar.

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
    """Return a few places as a list, with the number of further ones."""
    if len(places) <= MOST_NAMES:
        return ", ".join(places)
    return f"{', '.join(places[:MOST_NAMES])} and {len(places) - MOST_NAMES} more"


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name)
