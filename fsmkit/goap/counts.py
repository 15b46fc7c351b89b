"""Counts: facts that are whole numbers, what a condition asks of them and an effect does to them.

A fact is true or false, or a count. A condition on a count is a number, for exactly that many, or
`at_least(n)`; an effect is a number, which sets it, or `add(n)`.
"""

from __future__ import annotations

from operator import index
from typing import Final, SupportsIndex, TypeAlias

from attrs import frozen

from fsmkit.goap.arguments import shown

LARGEST_COUNT: Final = 2**63 - 1


@frozen(repr=False)
class AtLeast:
    """The condition that a count is `amount` or more."""

    amount: int

    def __repr__(self) -> str:
        return f"at_least({self.amount})"

    def __str__(self) -> str:
        return f"at least {self.amount}"


@frozen(repr=False)
class Add:
    """The effect that `amount` is added to a count."""

    amount: int

    def __repr__(self) -> str:
        return f"add({self.amount})"

    def __str__(self) -> str:
        return f"{self.amount:+}"


Fact: TypeAlias = bool | int
Condition: TypeAlias = bool | int | AtLeast
Effect: TypeAlias = bool | int | Add


def at_least(count: SupportsIndex) -> AtLeast:
    """Return the condition that a fact, a count, is `count` or more.

    Raises TypeError or ValueError unless `count` is a whole number >= 0.

    >>> from fsmkit.goap import GoapAction, add, plan
    >>> dig = GoapAction("Dig", 1, {}, {"ore": add(1)})
    >>> print(plan([dig], {"ore": 1}, {"ore": at_least(3)}))
    Dig, Dig (cost 2)
    """
    number = _whole(count)
    if number is None or not is_count(number):
        raise _wrong(count, "at_least: the count must be a whole number >= 0")
    return AtLeast(number)


def add(amount: SupportsIndex) -> Add:
    """Return the effect that `amount` is added to a fact, a count; a negative one is taken away.

    An action that takes n away needs at least n: that need not be said. Raises TypeError or
    ValueError unless `amount` is a whole number.

    >>> from fsmkit.goap import GoapAction, plan
    >>> sell = GoapAction("Sell", 1, {}, {"ore": add(-2), "gold": add(5)})
    >>> print(plan([sell], {"ore": 4}, {"gold": 10}))
    Sell, Sell (cost 2)
    >>> print(plan([sell], {"ore": 1}, {"gold": 10}))
    no plan: no action can bring about 2 'ore'
    """
    number = _whole(amount)
    if number is None or not is_count(abs(number)):
        raise _wrong(amount, "add: the amount must be a whole number")
    return Add(number)


def is_count(value: object) -> bool:
    """Return True if `value` is a whole number >= 0 that a count may have; False for a bool."""
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return 0 <= value <= LARGEST_COUNT


def is_met(condition: Condition, now: Fact) -> bool:
    """Return True if a fact that is `now` meets the condition."""
    if isinstance(condition, AtLeast):
        return now >= condition.amount
    return now == condition


def leads_to(effect: Effect, condition: Condition) -> bool:
    """Return True if an effect meets the condition, or may bring a count nearer to it."""
    if not isinstance(effect, Add):
        return is_met(condition, effect)
    return effect.amount > 0 if isinstance(condition, AtLeast) else effect.amount != 0


def changed(now: Fact, effect: Effect) -> Fact:
    """Return what a fact that is `now` is after the effect; a count is never below 0."""
    return max(0, now + effect.amount) if isinstance(effect, Add) else effect


def without(now: Fact, condition: Condition) -> Fact:
    """Return a fact that is `now` with what meets the condition taken back.

    The opposite of true or false; a count less the number asked for, but not below 0.
    """
    if isinstance(condition, bool):
        return not condition
    return max(0, now - (condition.amount if isinstance(condition, AtLeast) else condition))


def both(one: Condition, other: Condition) -> Condition | None:
    """Return the condition that asks for both; None if nothing meets both.

    >>> both(at_least(2), at_least(3)), both(3, at_least(2)), both(1, at_least(2)), both(True, 1)
    (at_least(3), 3, None, None)
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return one if one is other else None
    if isinstance(one, AtLeast) and isinstance(other, AtLeast):
        return max(one, other, key=lambda each: each.amount)
    exact, asked = (other, one) if isinstance(one, AtLeast) else (one, other)
    return exact if isinstance(exact, int) and is_met(asked, exact) else None


def _whole(number: SupportsIndex) -> int | None:
    """Return `number`, maybe one of another library as NumPy, as an int; None if it is no whole."""
    try:
        return None if isinstance(number, bool) else index(number)
    except TypeError:
        return None


def _wrong(value: SupportsIndex, rule: str) -> Exception:
    number = _whole(value)
    if number is None:
        return TypeError(f"{rule}, got {shown(value)}.")
    limit = f", at most {LARGEST_COUNT}" if number > 0 else ""
    return ValueError(f"{rule}{limit}, got {shown(value)}.")
