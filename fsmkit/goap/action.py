"""GoapAction: something an agent can do, described by what it needs and what it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self, TypeAlias

from attrs import evolve, field, frozen

from fsmkit.goap.arguments import (
    checked_amount,
    checked_answer,
    checked_function,
    checked_members,
    shown,
)
from fsmkit.goap.counts import Add, AtLeast, Condition, Effect, Fact, is_count

Facts: TypeAlias = Mapping[str, Fact]
"""Fact -> True if it holds, or how many there are. A fact not named is false, and a count 0."""

Conditions: TypeAlias = Mapping[str, Condition]
"""Fact -> True or False; of a count `at_least(n)`, or n for exactly n. Others do not matter."""

Effects: TypeAlias = Mapping[str, Effect]
"""Fact -> True or False; of a count `add(n)`, or n to set it. Others stay as they are."""


@frozen
class GoapAction:
    """Something an agent can do.

    `cost` is a number >= 0, or a function that returns one: it is called once per planning, and
    only if the action matters. So are the `checks`: unless all return true the action cannot be
    used. `preconditions` have to hold before it, `effects` hold afterwards: facts that are true or
    false, or counts. Of a count a condition asks for `at_least(n)`, or for exactly n; an effect is
    `add(n)`, or sets it. An action that takes n away needs at least n.

    The rest is for an agent: `target` is where to go first, a position, something with a
    `position`, or a function that returns one of these, and None if it is gone; `run` makes the
    actions that do it (`FsmAction`s), side by side, or one after another if `in_sequence`; `done`
    is called once these have finished, and never if it was broken off or has failed; `reserve`
    claims what it uses, so that others cannot, and returns a function that gives it back, or None
    if someone else was faster.

    Raises ValueError or TypeError for an invalid name, cost, fact or function.

    >>> from fsmkit.goap import add, at_least
    >>> GoapAction("ChopLog", 4, {"has_axe": True}, {"has_wood": True}).name
    'ChopLog'
    >>> GoapAction("Dig", 1, {"pick": at_least(1)}, {"ore": add(2)}).effects
    {'ore': add(2)}
    """

    name: str
    cost: float | Callable[[], float] = 1
    preconditions: Conditions = field(factory=dict)
    effects: Effects = field(factory=dict)
    checks: Sequence[Callable[[], object]] = field(default=(), kw_only=True)
    target: Any = field(default=None, kw_only=True)
    run: Callable[[], Iterable[Any]] | None = field(default=None, kw_only=True)
    in_sequence: bool = field(default=False, kw_only=True)
    done: Callable[[], object] | None = field(default=None, kw_only=True)
    reserve: Callable[[], Callable[[], object] | None] | None = field(default=None, kw_only=True)
    spends: Conditions = field(init=False, eq=False, repr=False)
    """What its effects take away, and so must be there, beside the preconditions."""

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"The name of a GoapAction must be a str, got {self.name!r}.")
        if not self.name:
            raise ValueError("The name of a GoapAction must not be empty, got ''.")
        if callable(self.cost):
            checked_answer(self.cost, f"GoapAction {self.name!r}: cost", "lambda: ...")
        else:
            checked_cost(self.cost, self.name)
        checked_conditions(self.preconditions, f"The preconditions of {self.name!r}")
        checked_effects(self.effects, f"The effects of {self.name!r}")
        object.__setattr__(self, "spends", _spent(self.effects))  # as attrs does in frozen classes
        self._check_functions()

    def replace(self, **changes: Any) -> Self:
        """Return this action with other parameters, such as the `run` of one read from a file.

        Raises TypeError or ValueError for what the constructor would refuse.

        >>> GoapAction("Dig", 1, {}, {"hole": True}).replace(cost=3, target=(4.0, 2.0)).cost
        3
        """
        return evolve(self, **changes)

    def current_cost(self) -> float:
        """Return the cost now; ValueError or TypeError if the function returns an invalid one."""
        return checked_cost(self.cost(), self.name) if callable(self.cost) else self.cost

    def is_possible(self) -> bool:
        """Return True if all checks are true now."""
        return all(check() for check in self.checks)

    def _check_functions(self) -> None:
        what = f"GoapAction {self.name!r}"
        rule = f"{what}: checks must be functions, got"
        for check in checked_members(self.checks, Callable, rule, "[lambda: ..., ...]"):
            checked_answer(check, f"{what}: each check", "lambda: ...")
        if callable(self.target):
            checked_answer(self.target, f"{what}: target", "lambda: ...")
        if self.run is not None:
            checked_function(self.run, f"{what}: run", "lambda: [...]")
        if not isinstance(self.in_sequence, bool):
            raise TypeError(f"{what}: in_sequence must be True or False, got {self.in_sequence!r}.")
        if self.done is not None:
            checked_answer(self.done, f"{what}: done", "lambda: ...")
        if self.reserve is not None:
            checked_answer(self.reserve, f"{what}: reserve", "lambda: ...")


def checked_cost(cost: object, name: str) -> float:
    """Return `cost`; raise unless it is a finite number >= 0."""
    return checked_amount(cost, f"The cost of {name!r}")


def checked_mapping(facts: object, what: str) -> Mapping[str, Any]:
    """Return `facts`; raise TypeError unless it is a mapping. The facts are not checked."""
    if not isinstance(facts, Mapping):
        raise TypeError(f"{what} must map facts to True or False, got {shown(facts)}.")
    return facts


def checked_facts(facts: object, what: str) -> Facts:
    """Return `facts`; raise TypeError unless it maps names to True, False or whole numbers >= 0."""
    return _checked(facts, what, "whole numbers >= 0")


def checked_conditions(conditions: object, what: str) -> Conditions:
    """Return `conditions`; raise TypeError unless it maps names to what may be asked of a fact."""
    return _checked(conditions, what, "whole numbers >= 0 and at_least(n)", AtLeast)


def checked_effects(effects: object, what: str) -> Effects:
    """Return `effects`; raise TypeError unless it maps names to what may become of a fact."""
    return _checked(effects, what, "whole numbers >= 0 and add(n)", Add)


def _checked(facts: object, what: str, allowed: str, *kinds: type) -> Mapping[str, Any]:
    """Return `facts`; raise TypeError unless it maps names to bools, counts or those `kinds`."""
    checked = checked_mapping(facts, what)
    for fact, value in checked.items():
        if not isinstance(fact, str) or not isinstance(value, (bool, *kinds)):
            if isinstance(fact, str) and is_count(value):
                continue
            raise TypeError(
                f"{what} must map facts to True or False, or counts to {allowed}, got "
                f"{shown(fact)}: {shown(value)}."
            )
    return checked


def _spent(effects: Effects) -> Conditions:
    """Return the least counts that there must be before `effects` take something away."""
    return {
        fact: AtLeast(-effect.amount)
        for fact, effect in effects.items()
        if isinstance(effect, Add) and effect.amount < 0
    }


def checked_actions(actions: Iterable[GoapAction]) -> tuple[GoapAction, ...]:
    """Return the actions as a tuple; raise TypeError unless all are GoapActions."""
    return checked_members(
        actions, GoapAction, "Plans must be made of GoapActions, got", "[GoapAction(...), ...]"
    )
