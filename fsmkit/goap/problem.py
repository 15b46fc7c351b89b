"""Problem: a planning task as whole numbers, with two bits for every fact.

A *literal* is a fact together with a truth value. Each has a bit, so a world state, a condition or
an effect is one number, and one comparison tells if an action can run. In a world state exactly
one of the two literals of each fact holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Final

from attrs import define, field, frozen

from fsmkit.goap.action import Facts, GoapAction, checked_facts

STEP_BITS: Final = 24
"""The lowest bits of a weight count steps: of equally cheap plans the shortest is best."""


@frozen(eq=False)
class Step:
    """A GoapAction in bits."""

    action: GoapAction
    needs: int
    makes: int
    unmakes: int
    """The literals that cease to hold: the opposites of those it makes."""
    cost: float
    weight: int
    """Its cost in a unit in which all costs of the problem are whole, and 1 for the step."""


@define(eq=False, slots=False)
class Problem:
    """A planning task.

    Only the facts and actions that lead towards the goal are considered. Each fact of the initial
    state is read once. Costs and checks are called once, and only those of actions that can come
    to run at all.
    """

    given: Sequence[GoapAction]
    initial: Facts
    goal: Facts
    actions: list[GoapAction] = field(init=False)
    """Those that lead towards the goal."""
    facts: dict[str, int] = field(init=False, factory=dict)
    """Fact that the goal or an action asks for -> the position of its bit for true.

    The next bit is that for false.
    """
    asked: GoapAction | None = field(init=False, default=None)
    """The action whose checks or cost are being asked for."""
    _possible: dict[int, bool] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self.actions = leading_to(self.goal, self.given)
        conditions = [self.goal, *(action.preconditions for action in self.actions)]
        for fact in dict.fromkeys(fact for facts in conditions for fact in facts):
            self.facts[fact] = 2 * len(self.facts)

    @cached_property
    def start(self) -> int:
        """The world state to begin with: facts not named are false."""
        facts = {fact: self.initial.get(fact, False) for fact in self.facts}
        return self.literals(checked_facts(facts, "The initial facts"))

    @cached_property
    def target(self) -> int:
        """The literals of the goal."""
        return self.literals(self.goal)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The actions that can matter, in the order given."""
        actions = self._useful(self.actions)
        possible = [action for action in actions if self.is_possible(action)]
        if len(possible) < len(actions):
            possible = self._useful(possible)
        costs = [self._cost(action) for action in possible]
        unit = lcm(*(Fraction(cost).denominator for cost in costs))
        return tuple(
            self._step(action, cost, unit) for action, cost in zip(possible, costs, strict=True)
        )

    def is_possible(self, action: GoapAction) -> bool:
        """Return True if its checks are true; they are called once."""
        if id(action) not in self._possible:
            self.asked = action
            self._possible[id(action)] = action.is_possible()
            self.asked = None
        return self._possible[id(action)]

    def reachable(self, actions: Iterable[GoapAction]) -> int:
        """Return all literals that `actions` could make hold if none ever ceased to."""
        reached = self.start
        waiting = [(self.literals(a.preconditions), self.literals(a.effects)) for a in actions]
        before = 0
        while before != reached:
            before = reached
            for needs, makes in waiting:
                if needs & reached == needs:
                    reached |= makes
        return reached

    def literals(self, facts: Facts) -> int:
        """Return the bits of those `facts` that matter."""
        return sum(
            1 << self.facts[fact] + (not value)
            for fact, value in facts.items()
            if fact in self.facts
        )

    def facts_of(self, literals: int) -> dict[str, bool]:
        """Return literals of different facts as facts."""
        return {
            fact: literals >> bit & 3 == 1
            for fact, bit in self.facts.items()
            if literals >> bit & 3
        }

    def _useful(self, actions: Sequence[GoapAction]) -> list[GoapAction]:
        """Return those that can come to run, and lead towards the goal through others that can."""
        reachable = self.reachable(actions)
        runnable = [a for a in actions if not self.literals(a.preconditions) & ~reachable]
        return leading_to(self.goal, runnable)

    def _cost(self, action: GoapAction) -> float:
        self.asked = action
        cost = action.current_cost()
        self.asked = None
        return cost

    def _step(self, action: GoapAction, cost: float, unit: int) -> Step:
        needs, makes = self.literals(action.preconditions), self.literals(action.effects)
        unmakes = self.literals({fact: not value for fact, value in action.effects.items()})
        weight = (int(Fraction(cost) * unit) << STEP_BITS) + 1
        return Step(action, needs, makes, unmakes, cost, weight)


def leading_to(goal: Facts, actions: Iterable[GoapAction]) -> list[GoapAction]:
    """Return those of `actions` that bring about a condition of `goal`, or of one another."""
    providers: dict[tuple[str, bool], list[GoapAction]] = {}
    given = list(actions)
    for action in given:
        for condition in action.effects.items():
            providers.setdefault(condition, []).append(action)
    leading: set[int] = set()
    todo = list(goal.items())
    while todo:
        for action in providers.pop(todo.pop(), ()):
            if id(action) not in leading:
                leading.add(id(action))
                todo += action.preconditions.items()
    return [action for action in given if id(action) in leading]
