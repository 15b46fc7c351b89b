"""Pace: the least weight that it takes to change a count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from fsmkit.goap.counts import Add, AtLeast, Condition, Effect, is_met
from fsmkit.goap.problem import Step
from fsmkit.goap.tally import Tally, amount_of


class Pace:
    """The least weight of the steps that bring a tally from where it is to what is asked of it.

    It counts the first step that changes the tally, and what the rest of the way takes at least, up
    or down. No step shortens that by more than its weight, so the estimate is consistent.
    """

    def __init__(self, tally: Tally, steps: Iterable[Step]) -> None:
        self.tally = tally
        added = [
            (effect.amount, step.weight)
            for step in steps
            for changed, effect in step.changes
            if changed is tally and isinstance(effect, Add)
        ]
        self._up = Bound((amount, weight) for amount, weight in added if amount > 0)
        self._down = Bound((-amount, weight) for amount, weight in added if amount < 0)

    def leads(self, effect: Effect, weight: int, state: int) -> Iterator[tuple[int, int]]:
        """Yield (least weight, literal) for what a step of that weight leads to in `state`."""
        now = self.tally.count(state)
        for condition, literal in self.tally.asked.items():
            if not state >> literal & 1:
                rest = self._rest(condition, effect, now)
                if rest is not None:
                    yield weight + rest, literal

    def _rest(self, condition: Condition, effect: Effect, now: int) -> int | None:
        """Return the least weight after a step with `effect`; None if it does not lead there."""
        aim = amount_of(condition)
        if not isinstance(effect, Add):
            return 0 if is_met(condition, effect) else self._bound(aim - effect)
        gap = aim - now
        if effect.amount == 0 or (effect.amount > 0) is not (gap > 0):
            return None
        left = gap - effect.amount
        if left == 0 or (left > 0) is (gap > 0):
            return self._bound(left)
        # It goes too far, which is right only if another step goes back, after it or before.
        return 0 if isinstance(condition, AtLeast) or self._bound(left) is not None else None

    def _bound(self, difference: int) -> int | None:
        return (self._up if difference > 0 else self._down)(abs(difference))


class Bound:
    """The least weight of steps that add up to an amount, each of an (amount, weight).

    The larger of two bounds: that every step were as large as the largest and as light as the
    lightest, and that every step had the best ratio. None if there are no steps.
    """

    def __init__(self, steps: Iterable[tuple[int, int]]) -> None:
        found = list(steps)
        self._is_empty = not found
        self._largest = max((amount for amount, _ in found), default=1)
        self._lightest = min((weight for _, weight in found), default=0)
        self._amount, self._weight = 1, 0
        if found:
            self._amount, self._weight = min(found, key=lambda each: Fraction(each[1], each[0]))

    def __call__(self, amount: int) -> int | None:
        """Return the bound for an amount >= 0."""
        if amount == 0:
            return 0
        if self._is_empty:
            return None
        by_size = -(-amount // self._largest) * self._lightest
        return max(by_size, -(-amount * self._weight // self._amount))
