"""Spelling: names so similar that one of them may be a typo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, takewhile
from typing import Final

MIN_WORD_LENGTH: Final = 4
"""Shorter words may well differ by one letter on purpose."""


class Spelling:
    """Names, grouped so that those similar to another one are found without comparing them all.

    If two names differ by one letter, they are equal as soon as each of them, or the longer one
    alone, is without one letter.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._ranks = {name: rank for rank, name in enumerate(dict.fromkeys(names))}
        self._alike = _grouped(self._ranks, _shortened)

    def slip_of(self, name: str) -> str | None:
        """Return the first of the names that differs from `name` only by case or by one letter.

        >>> Spelling(["LOST", "SPOTTED"]).slip_of("SPOTED")
        'SPOTTED'
        """
        candidates = {other for key in _shortened(name) for other in self._alike.get(key, ())}
        return slip_of(name, sorted(candidates, key=self._ranks.__getitem__))


def slips_among(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that are slips and do not look deliberate, in order.

    >>> list(slips_among(["LOST", "SPOTTED", "LEVEL_1", "SPOTED", "LEVEL_2"]))
    [('SPOTTED', 'SPOTED')]
    """
    ranks = {name: rank for rank, name in enumerate(names)}
    groups = _grouped(ranks, _shortened_by_a_letter).values()
    pairs = {pair for group in groups for pair in combinations(group, 2)}
    for a, b in sorted(pairs, key=lambda pair: (ranks[pair[0]], ranks[pair[1]])):
        if is_slip(a, b) and not look_deliberate(a, b):
            yield a, b


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
    if not all(map(_is_letter, letters)):
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


def _grouped(names: Iterable[str], keys: Callable[[str], Iterable[str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        for key in keys(name):
            groups.setdefault(key, []).append(name)
    return groups


def _shortened(name: str) -> set[str]:
    """Return a name, whatever its case, as it is and without each one of its letters."""
    plain = name.casefold()
    return {plain, *(plain[:i] + plain[i + 1 :] for i in range(len(plain)))} - {""}


def _shortened_by_a_letter(name: str) -> set[str]:
    """Return the same, without only those letters that may be omitted or mistyped by accident."""
    plain = name.casefold()
    places = (i for i, letter in enumerate(plain) if _is_letter(letter))
    return {plain, *(plain[:i] + plain[i + 1 :] for i in places)} - {""}


def _is_letter(letter: str) -> bool:
    return letter in "_- " or letter.islower()


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
    """Return the one word in which two names differ; the whole names if it is more than one."""
    words, others = _words(a), _words(b)
    if len(words) == len(others):
        pairs = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
        if len(pairs) == 1:
            return pairs[0]
    return a.casefold(), b.casefold()


def _words(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.findall(r"[^\W\d_]+", parted.casefold())
