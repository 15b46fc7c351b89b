"""The states of the random generators that actions use, so that they continue as before.

The state of Python's own generator is 625 words; here it is their base64 form, and the number that
`gauss` holds in reserve.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from math import isfinite
from random import Random, SystemRandom
from typing import Any, Final

WORDS: Final = struct.Struct("<625I")
MERSENNE_TWISTER: Final = 3
"""The version number that `Random.getstate` returns."""


def draws_numbers(value: object) -> bool:
    """Return True for a generator of any kind, such as the module `random` or one of NumPy."""
    draws = (getattr(value, name, None) for name in ("random", "uniform"))
    return not isinstance(value, type) and all(map(callable, draws))


class GeneratorStates:
    """Collects the states of generators, and numbers them."""

    def __init__(self) -> None:
        self.states: list[Any] = []
        self._numbers: dict[int, tuple[int, Random]] = {}

    def number(self, rng: object) -> int | None:
        """Return the number of a generator; None for one that has no state.

        Raises TypeError if its state is not that of Python's own generator.
        """
        if not isinstance(rng, Random):
            name = getattr(rng, "__name__", type(rng).__name__)
            raise TypeError(f"the state of {name!r} cannot be saved")
        if isinstance(rng, SystemRandom):
            return None
        if id(rng) not in self._numbers:
            self._numbers[id(rng)] = (
                len(self.states),
                rng,
            )  # keeps it alive, or its id might be used again
            self.states.append(_encoded(rng))
        return self._numbers[id(rng)][0]


class GeneratorsToRestore:
    """The generators that saved states belong to, by the same numbers.

    Raises ValueError if a state is damaged.
    """

    def __init__(self, states: list[Any]) -> None:
        self._states = [_decoded(state) for state in states]
        self._generators: dict[int, Random] = {}
        self._numbers: dict[int, int] = {}

    def pair(self, number: int, rng: Any) -> bool:
        """Pair `rng` with a state; return False if either is already paired with another."""
        has_state = isinstance(rng, Random) and not isinstance(rng, SystemRandom)
        if not has_state or number >= len(self._states):
            return False
        is_free = self._numbers.setdefault(id(rng), number) == number
        return self._generators.setdefault(number, rng) is rng and is_free

    def generator(self, number: int) -> Random:
        """Return the generator that is paired with a state, a new one if there is none yet."""
        if not 0 <= number < len(self._states):
            raise IndexError(f"there is no generator {number!r}")
        return self._generators.setdefault(number, Random())

    def restore(self) -> None:
        """Set the states of the generators."""
        for number, rng in self._generators.items():
            rng.setstate(self._states[number])


def _encoded(rng: Random) -> list[Any]:
    version, *rest = rng.getstate()
    if version != MERSENNE_TWISTER:
        raise TypeError(f"the state of {rng!r} is not that of Python's own generator")
    words, reserve = rest
    return [b64encode(WORDS.pack(*words)).decode(), reserve]


def _decoded(state: Any) -> tuple[Any, ...]:
    try:
        words, reserve = state
        if reserve is not None and (isinstance(reserve, bool) or not isfinite(reserve)):
            raise ValueError(f"{reserve!r} is no finite number")
        decoded = (MERSENNE_TWISTER, WORDS.unpack(b64decode(words, validate=True)), reserve)
        Random().setstate(decoded)
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise ValueError(f"{error} in the state of a random generator") from error
    return decoded
