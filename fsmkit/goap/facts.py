"""Facts: flags, which are true or false, and counts, which are integers >= 0.

A condition on a count is a number, for exactly that many, or `at_least(n)`; an effect is a number,
which sets it, or `add(n)`. A fact is either a flag or a count, everywhere in a planning task.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, SupportsIndex, TypeAlias

from attrs import frozen

from fsmkit.core.checks.arguments import integer, shown

LARGEST_COUNT: Final = 2**63 - 1


@frozen(repr=False)
class Minimum:
    amount: int

    def __repr__(self) -> str:
        return f"at_least({self.amount})"

    def __str__(self) -> str:
        return f"at least {self.amount}"


@frozen(repr=False)
class Add:
    amount: int

    def __repr__(self) -> str:
        return f"add({self.amount})"

    def __str__(self) -> str:
        return f"{self.amount:+}"


FactValue: TypeAlias = bool | int
Requirement: TypeAlias = bool | int | Minimum
Effect: TypeAlias = bool | int | Add

Facts: TypeAlias = Mapping[str, FactValue]
"""Fact -> True if it holds, or how many there are. A fact not named is false, and a count 0."""

Conditions: TypeAlias = Mapping[str, Requirement]
"""Fact -> True or False; of a count `at_least(n)`, or n for exactly n. Others do not matter."""

Effects: TypeAlias = Mapping[str, Effect]
"""Fact -> True or False; of a count `add(n)`, or n to set it. Others stay as they are."""


def at_least(count: SupportsIndex) -> Minimum:
    """Return the condition that a fact, a count, is `count` or more.

    Raises TypeError or ValueError unless `count` is an integer >= 0.

    >>> from fsmkit.goap import GoapAction, add, plan
    >>> dig = GoapAction("Dig", 1, {}, {"ore": add(1)})
    >>> print(plan([dig], {"ore": 1}, {"ore": at_least(3)}))
    Dig, Dig (cost 2)
    """
    return Minimum(checked_count(count, "at_least: the count"))


def add(amount: SupportsIndex) -> Add:
    """Return the effect that `amount` is added to a fact, a count; a negative one is taken away.

    An action that takes n away needs at least n without saying so. Raises TypeError or ValueError
    unless `amount` is an integer.

    >>> from fsmkit.goap import GoapAction, plan
    >>> sell = GoapAction("Sell", 1, {}, {"ore": add(-2), "gold": add(5)})
    >>> print(plan([sell], {"ore": 4}, {"gold": 10}))
    Sell, Sell (cost 2)
    >>> print(plan([sell], {"ore": 1}, {"gold": 10}))
    no plan: no action can bring about 2 'ore'
    """
    return Add(checked_count(amount, "add: the amount", least=None))


def checked_count(value: object, what: str, least: int | None = 0) -> int:
    """Return an integer that a count can hold; its limit is named only if it is exceeded."""
    count = integer(value, what, least=least)
    lowest = -LARGEST_COUNT if least is None else least
    return integer(count, what, least=lowest, most=LARGEST_COUNT)


def is_met(condition: Requirement, now: FactValue) -> bool:
    if isinstance(condition, Minimum):
        return now >= condition.amount
    return now == condition


def leads_to(effect: Effect, condition: Requirement) -> bool:
    """Return True if an effect meets the condition, or may bring a count nearer to it."""
    if not isinstance(effect, Add):
        return is_met(condition, effect)
    return effect.amount > 0 if isinstance(condition, Minimum) else effect.amount != 0


def changed(now: FactValue, effect: Effect) -> FactValue:
    """Return the value of a fact after the effect; a count is never below 0."""
    return max(0, now + effect.amount) if isinstance(effect, Add) else effect


def without(now: FactValue, condition: Requirement) -> FactValue:
    """Return the value of a fact once what meets the condition is taken back.

    The opposite of true or false; a count less the number asked for, but not below 0.
    """
    return not condition if isinstance(condition, bool) else max(0, now - amount_of(condition))


def amount_of(condition: int | Minimum) -> int:
    return condition.amount if isinstance(condition, Minimum) else condition


def both(one: Requirement, other: Requirement) -> Requirement | None:
    """Return the condition that asks for both; None if they contradict each other.

    >>> both(at_least(2), at_least(3)), both(3, at_least(2)), both(1, at_least(2)), both(True, 1)
    (at_least(3), 3, None, None)
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return one if one is other else None
    if isinstance(one, Minimum) and isinstance(other, Minimum):
        return max(one, other, key=amount_of)
    exact, asked = (other, one) if isinstance(one, Minimum) else (one, other)
    return exact if isinstance(exact, int) and is_met(asked, exact) else None


def check_mapping(facts: object, what: str) -> None:
    if not isinstance(facts, Mapping):
        raise TypeError(f"{what} must map facts to True or False, got {shown(facts)}.")


def check_facts(facts: object, what: str, *kinds: type[Minimum | Add]) -> None:
    check_mapping(facts, what)
    for fact, value in facts.items():  # type: ignore[attr-defined]  # a mapping
        is_count = isinstance(value, int) and 0 <= value <= LARGEST_COUNT
        if not isinstance(fact, str) or not (is_count or isinstance(value, kinds)):
            more = {Minimum: " and at_least(n)", Add: " and add(n)"}
            raise TypeError(
                f"{what} must map facts to True or False, or counts to integers >= 0"
                f"{''.join(more[kind] for kind in kinds)}, got {shown(fact)}: {shown(value)}."
            )
