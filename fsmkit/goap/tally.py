"""Tally: a count of a planning task, as bits of a world state.

Each condition that is asked of the count is a literal, with a bit that tells whether it is met. The
count itself is kept in bits above those of all literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd
from typing import Final

from attrs import define, field

from fsmkit.goap.counts import Add, AtLeast, Condition, Effect, is_met

MOST_STEPS: Final = 2**24
"""The number of additions for which there is room in a world state."""


@define(eq=False)
class Tally:
    """A count: what is asked of it, and how a world state holds it.

    One that is never spent is not counted beyond what is asked for, so that there are few states.
    """

    asked: Mapping[Condition, int]
    """Condition -> the position of its bit."""
    shift: int
    """The position of the lowest bit of the count."""
    limit: int | None
    """The number beyond which it is not counted; None if it may be spent."""
    start: int
    effects: Iterable[Effect]
    width: int = field(init=False)
    _field: int = field(init=False)
    _known: dict[int, int] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        gains = [each.amount for each in self.effects if isinstance(each, Add)]
        largest = [self.start, *(each for each in self.effects if not isinstance(each, Add))]
        most = max(largest) + MOST_STEPS * max([0, *gains])
        self.width = (most if self.limit is None else self.limit).bit_length()
        self._field = ((1 << self.width) - 1) << self.shift
        for bit in self.asked.values():
            self._field |= 1 << bit

    def count(self, state: int) -> int:
        """Return the count in a world state."""
        return state >> self.shift & ((1 << self.width) - 1)

    def distance(self, literal: int, state: int) -> int | None:
        """Return how far the count is from what `literal` asks; None if that is not its own."""
        for condition, bit in self.asked.items():
            if literal == 1 << bit:
                return abs(amount_of(condition) - self.count(state))
        return None

    def held(self, count: int) -> int:
        """Return the bits of a world state for this count: itself, and the conditions it meets."""
        if self.limit is not None and count > self.limit:
            count = self.limit
        bits = self._known.get(count)
        if bits is None:
            met = (1 << bit for condition, bit in self.asked.items() if is_met(condition, count))
            bits = self._known[count] = sum(met) | count << self.shift
        return bits

    def after(self, state: int, effect: Effect) -> int:
        """Return the world state after an effect on this count."""
        count = self.count(state) + effect.amount if isinstance(effect, Add) else effect
        return state & ~self._field | self.held(count)


def amount_of(condition: Condition) -> int:
    """Return the number in a condition on a count."""
    return condition.amount if isinstance(condition, AtLeast) else condition


def limit_of(asked: Iterable[Condition], effects: Iterable[Effect]) -> int | None:
    """Return the number beyond which no count makes a difference; None if it may be spent."""
    if any(isinstance(effect, Add) and effect.amount < 0 for effect in effects):
        return None
    return max(each.amount if isinstance(each, AtLeast) else each + 1 for each in asked)


@define(eq=False)
class Reach:
    """The counts that a tally could have if every effect so far may be repeated at will."""

    tally: Tally
    bases: set[int] = field(init=False)
    """The count at the start, and those that it may be set to."""
    step: int = field(default=0, init=False)
    """The greatest common divisor of what is added and taken away."""
    rises: bool = field(default=False, init=False)
    falls: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.bases = {self.tally.start}

    def take(self, effect: Effect) -> None:
        """Have an effect count among those that may be repeated."""
        if isinstance(effect, Add):
            self.step = gcd(self.step, effect.amount)
            self.rises = self.rises or effect.amount > 0
            self.falls = self.falls or effect.amount < 0
        else:
            self.bases.add(effect)

    def literals(self) -> int:
        """Return the bits of the conditions that could be met."""
        return sum(1 << bit for asked, bit in self.tally.asked.items() if self._could_meet(asked))

    def _could_meet(self, condition: Condition) -> bool:
        if isinstance(condition, AtLeast):
            return self.rises or max(self.bases) >= condition.amount
        return any(self._leads(base, condition) for base in self.bases)

    def _leads(self, base: int, count: int) -> bool:
        if base == count:
            return True
        if (self.rises and self.falls) or (self.rises if base < count else self.falls):
            return (count - base) % self.step == 0
        return False
