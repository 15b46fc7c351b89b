"""Names so similar that one of them may be a typo."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Final

MIN_WORD_LENGTH: Final = 4
"""Shorter words may well differ by one letter on purpose."""


def slip_of(name: str, others: Iterable[str]) -> str | None:
    """Return the first of `others` that differs from `name` only by case or by one letter.

    >>> slip_of("SPOTED", ["LOST", "SPOTTED"])
    'SPOTTED'
    """
    return next((other for other in others if other != name and is_slip(name, other)), None)


def is_slip(a: str, b: str) -> bool:
    """Return True if two names differ by case, or by one letter omitted, added, changed or swapped.

    >>> is_slip("Seen", "SEEN"), is_slip("CAHSE", "CHASE"), is_slip("CHASE", "REST")
    (True, True, False)
    """
    return differ_by_case(a, b) or _is_one_edit(*_differing_parts(a.casefold(), b.casefold()))


def differ_by_case(a: str, b: str) -> bool:
    """Return True if two names differ at most in case."""
    return a.casefold() == b.casefold()


def look_deliberate(a: str, b: str) -> bool:
    """Return True if two names that differ by one letter look as if that was intended.

    They do if the letter makes it another short word (`TURN_IN`, `TURN_ON`), if it is a digit or
    a sign (`LEVEL_1`, `LEVEL_2`), or belongs to a script whose characters are words.

    >>> look_deliberate("MOVE_X", "MOVE_Y"), look_deliberate("SPOTED", "SPOTTED")
    (True, False)
    """
    if differ_by_case(a, b):
        return len(a) < MIN_WORD_LENGTH
    letters = "".join(_differing_parts(a.casefold(), b.casefold()))
    if not all(letter in "_- " or letter.islower() for letter in letters):
        return True
    word, other = _differing_words(a, b)
    return min(len(word), len(other)) < MIN_WORD_LENGTH


def is_inflected(a: str, b: str) -> bool:
    """Return True if a word of one name is that of the other plus a letter: `CLOSE`, `CLOSED`.

    >>> is_inflected("DOOR_CLOSED", "DOOR_CLOSE"), is_inflected("CLOSED", "CLSED")
    (True, False)
    """
    short, long = sorted(_differing_words(a, b), key=len)
    return len(long) == len(short) + 1 and long.startswith(short)


def _differing_parts(a: str, b: str) -> tuple[str, str]:
    """Return what remains of two names without their common beginning and end."""
    begin = _common_beginning(a, b)
    a, b = a[begin:], b[begin:]
    end = _common_beginning(a[::-1], b[::-1])
    return a[: len(a) - end], b[: len(b) - end]


def _common_beginning(a: str, b: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _is_one_edit(a: str, b: str) -> bool:
    return max(len(a), len(b)) == 1 or (len(a) == 2 and a == b[::-1])


def _differing_words(a: str, b: str) -> tuple[str, str]:
    """Return the one word in which two names differ; the whole names if it is not one."""
    words, others = _words(a), _words(b)
    if len(words) == len(others):
        pairs = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
        if len(pairs) == 1:
            return pairs[0]
    return a.casefold(), b.casefold()


def _words(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.findall(r"[^\W\d_]+", parted.casefold())
