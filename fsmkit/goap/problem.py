"""Problem: a planning task as whole numbers, with two bits for every fact.

A *literal* is a fact together with a truth value. Each has a bit, so a world state, a condition or
an effect is one number, and one comparison tells if an action can run. In a world state exactly
one of the two literals of each fact holds. Of a fact that is a count, the literals are what is
asked of it, and the count itself lies above the bits of all literals; see `Tally`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from math import lcm
from typing import Any, Final

from attrs import define, field, frozen

from fsmkit.goap.action import Conditions, Effects, Facts, GoapAction, checked_facts
from fsmkit.goap.counts import Add, AtLeast, Condition, Effect, leads_to
from fsmkit.goap.kinds import counts_among
from fsmkit.goap.sensing import Sensed
from fsmkit.goap.tally import Reach, Tally, limit_of

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
    changes: tuple[tuple[Tally, Effect], ...] = ()
    """What it does to counts."""

    def after(self, state: int) -> int:
        """Return the world state after it."""
        state = state & ~self.unmakes | self.makes
        for tally, effect in self.changes:
            state = tally.after(state, effect)
        return state


@define(eq=False, slots=False)
class Problem:
    """A planning task.

    Only the facts and actions that lead towards the goal are considered. Each fact of the initial
    state is read once. Costs and checks are called once, and only those of actions that can come
    to run at all.
    """

    given: Sequence[GoapAction]
    initial: Facts
    goal: Conditions
    counts: frozenset[str] = field(init=False)
    """The facts that are counts."""
    actions: list[GoapAction] = field(init=False)
    """Those that lead towards the goal."""
    facts: dict[str, int] = field(init=False, factory=dict)
    """Fact that the goal or an action asks for -> the position of its bit for true.

    The next bit is that for false.
    """
    conditions: dict[str, dict[Condition, int]] = field(init=False, factory=dict)
    """Count that the goal or an action asks for -> what it asks -> the position of its bit."""
    bits: int = field(init=False, default=0)
    """The number of bits of literals."""
    asked: GoapAction | None = field(init=False, default=None)
    """The action whose checks or cost are being asked for."""
    _possible: dict[int, bool] = field(init=False, factory=dict)
    _needs: dict[int, int] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self.counts = self._counts_with(self.initial if isinstance(self.initial, dict) else {})
        if isinstance(self.initial, Sensed):
            self.initial = self.initial.counting(self.counts)
        self.actions = leading_to(self.goal, self.given, self.counts)
        self._add_literals(self.goal)
        for action in self.actions:
            self._add_literals(action.preconditions)
            if action.spends:
                self._add_literals(action.spends)

    @cached_property
    def start(self) -> int:
        """The world state to begin with: facts not named are false, counts not named are 0."""
        flags = {fact: self.initial.get(fact, False) for fact in self.facts}
        self._check_initial(flags, bool)
        counts = [tally.held(tally.start) for tally in self.tallies.values()]
        return self.literals(flags) | sum(counts)

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        """The counts that are asked for."""
        found: dict[str, Tally] = {}
        shift = self.bits
        counts = {fact: self.initial.get(fact, 0) for fact in self.conditions}
        self._check_initial(counts, int)
        for fact, asked in self.conditions.items():
            effects = [each.effects[fact] for each in self.actions if fact in each.effects]
            found[fact] = Tally(asked, shift, limit_of(asked, effects), counts[fact], effects)
            shift += found[fact].width
        return found

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
        unit = lcm(*(cost.as_integer_ratio()[1] for cost in costs))
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
        reached = self.start & (1 << self.bits) - 1
        reaches = {fact: Reach(tally) for fact, tally in self.tallies.items()}
        waiting = [
            (
                self.needs(a),
                self.literals(a.effects),
                [(reaches[f], e) for f, e in self._tallied(a)],
            )
            for a in actions
        ]
        before = -1
        while before != reached:
            before = reached
            for needs, makes, changes in waiting:
                if needs & reached == needs:
                    reached |= makes
                    for reach, effect in changes:
                        reach.take(effect)
                        reached |= reach.literals()
        return reached

    def needs(self, action: GoapAction) -> int:
        """Return the literals that must hold before an action."""
        needs = self._needs.get(id(action))
        if needs is None:
            needs = self.literals(action.preconditions)
            if action.spends:
                needs |= self.literals(action.spends)
            self._needs[id(action)] = needs
        return needs

    def provides(self, action: GoapAction) -> int:
        """Return the literals that an action brings about, or a count nearer to."""
        found = self.literals(action.effects)
        for fact, effect in self._tallied(action):
            for condition, bit in self.conditions[fact].items():
                if leads_to(effect, condition):
                    found |= 1 << bit
        return found

    def distance(self, literal: int, state: int) -> int:
        """Return 0 if `literal` holds in `state`, else 1; of a count by how much it is missed."""
        if literal & state:
            return 0
        for tally in self.tallies.values():
            if (found := tally.distance(literal, state)) is not None:
                return found
        return 1

    def literals(self, facts: Mapping[str, Any]) -> int:
        """Return the bits of those `facts` that matter; of a count, those of conditions."""
        found = 0
        for fact, value in facts.items():
            if fact in self.facts:
                found |= 1 << self.facts[fact] + (not value)
            elif fact in self.conditions and value in self.conditions[fact]:
                found |= 1 << self.conditions[fact][value]
        return found

    def facts_of(self, literals: int) -> dict[str, Condition]:
        """Return literals as facts; of several that ask for the same count, the first."""
        found: dict[str, Condition] = {
            fact: literals >> bit & 3 == 1
            for fact, bit in self.facts.items()
            if literals >> bit & 3
        }
        for fact, asked in self.conditions.items():
            for condition, bit in asked.items():
                if literals >> bit & 1:
                    found.setdefault(fact, condition)
        return found

    def _counts_with(self, initial: Facts) -> frozenset[str]:
        """Return which facts are counts; ValueError if one is true or false in another place."""
        places = {"the goal": self.goal, "the initial facts": initial}
        return counts_among(self.given, places)

    def _check_initial(self, facts: Facts, kind: type) -> None:
        """Raise TypeError or ValueError unless all are of that kind."""
        checked_facts(facts, "The initial facts")
        if any(type(value) is not kind for value in facts.values()):
            self._counts_with(facts)

    def _add_literals(self, conditions: Conditions) -> None:
        for fact, condition in conditions.items():
            if fact in self.counts:
                asked = self.conditions.setdefault(fact, {})
                if condition not in asked:
                    asked[condition] = self.bits
                    self.bits += 1
            elif fact not in self.facts:
                self.facts[fact] = self.bits
                self.bits += 2

    def _tallied(self, action: GoapAction) -> list[tuple[str, Effect]]:
        """Return its effects on counts that are asked for."""
        if not self.conditions:
            return []
        return [
            (fact, effect) for fact, effect in action.effects.items() if fact in self.conditions
        ]

    def _useful(self, actions: Sequence[GoapAction]) -> list[GoapAction]:
        """Return those that can come to run, and lead towards the goal through others that can."""
        reachable = self.reachable(actions)
        runnable = [action for action in actions if not self.needs(action) & ~reachable]
        return leading_to(self.goal, runnable, self.counts)

    def _cost(self, action: GoapAction) -> float:
        self.asked = action
        cost = action.current_cost()
        self.asked = None
        return cost

    def _step(self, action: GoapAction, cost: float, unit: int) -> Step:
        flags = {fact: value for fact, value in action.effects.items() if fact in self.facts}
        makes = self.literals(flags)
        unmakes = self.literals({fact: not value for fact, value in flags.items()})
        parts, of = cost.as_integer_ratio()
        weight = (parts * (unit // of) << STEP_BITS) + 1
        changes = [(self.tallies[fact], effect) for fact, effect in self._tallied(action)]
        return Step(action, self.needs(action), makes, unmakes, cost, weight, tuple(changes))


def leading_to(
    goal: Conditions, actions: Iterable[GoapAction], counts: Container[str] = ()
) -> list[GoapAction]:
    """Return those of `actions` that bring about a condition of `goal`, or of one another.

    Whatever changes one of the `counts` counts as bringing about all that is asked of it, except
    that taking away is of no use where at least some are asked for.
    """
    providers: dict[tuple[str, object], list[GoapAction]] = {}
    given = list(actions)
    for action in given:
        for condition in _brought_about(action.effects, counts):
            providers.setdefault(condition, []).append(action)
    leading: set[int] = set()
    todo = [*_asked(goal, counts)]
    while todo:
        for action in providers.pop(todo.pop(), ()):
            if id(action) not in leading:
                leading.add(id(action))
                todo += _asked(action.preconditions, counts)
                todo += _asked(action.spends, counts)
    return [action for action in given if id(action) in leading]


def _asked(conditions: Conditions, counts: Container[str]) -> Iterable[tuple[str, object]]:
    """Return the conditions, those on counts by their types."""
    if not counts:
        return conditions.items()
    return [
        (fact, type(condition)) if fact in counts else (fact, condition)
        for fact, condition in conditions.items()
    ]


def _brought_about(effects: Effects, counts: Container[str]) -> Iterable[tuple[str, object]]:
    """Return the conditions that effects may help to meet, those on counts by their types."""
    if not counts:
        return effects.items()
    found: list[tuple[str, object]] = []
    for fact, effect in effects.items():
        if fact not in counts:
            found.append((fact, effect))
        elif isinstance(effect, Add) and effect.amount <= 0:
            found.append((fact, int))
        else:
            found += ((fact, int), (fact, AtLeast))
    return found
