"""Wording: lists of names for a message, which may be thousands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST_NAMES: Final = 8
"""How many names a message has; of more it says only how many they are."""


def joined(names: Sequence[str], word: str = "and") -> str:
    """Return names, quoted already, as a part of a sentence.

    >>> joined(["'A'"]), joined(["'A'", "'B'", "'C'"], "or"), joined(["x"] * 10)
    ("'A'", "'A', 'B' or 'C'", 'x, x, x, x, x, x, x, x and 2 more')
    """
    if len(names) <= MOST_NAMES:
        return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"


def enumerated(names: Sequence[str]) -> str:
    """Return names, quoted already, after a colon.

    >>> enumerated(["'A'", "'B'", "'C'"])
    "'A', 'B', 'C'"
    """
    return ", ".join(names) if len(names) <= MOST_NAMES else joined(names)
