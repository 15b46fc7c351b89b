"""Problem: a planning task as integers, with two bits for every fact.

A *literal* is a fact together with a truth value. Each has a bit, so a world state, a condition or
an effect is one number, and one comparison tells if an action can run. In a world state exactly
one of the two literals of each flag holds. The literals of a count are the conditions on it; the
count itself lies above the bits of all literals, in a `Tally`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import gcd, lcm
from typing import Any, Final, TypeVar

from attrs import define, field, frozen

from fsmkit.goap.domain import GoapAction, counts_in
from fsmkit.goap.facts import (
    Add,
    Conditions,
    Effect,
    Effects,
    Facts,
    Minimum,
    Requirement,
    amount_of,
    check_facts,
    is_met,
    leads_to,
)
from fsmkit.goap.sensing import Sensed

ResultT = TypeVar("ResultT")

STEP_BITS: Final = 24
"""The lowest bits of a weight count steps: of equally cheap plans the shortest is best."""
MOST_STEPS: Final = 2**STEP_BITS
"""The number of additions to a count for which there is room in a world state."""


@define(eq=False)
class Tally:
    """A count: the conditions on it, and its bits in a world state.

    One that is never spent is not counted beyond the conditions, so that there are few states.
    """

    asked: Mapping[Requirement, int]
    """Condition -> the position of its bit."""
    shift: int
    """The position of the lowest bit of the count."""
    start: int
    effects: Sequence[Effect]
    limit: int | None = field(init=False)
    """The number beyond which no count makes a difference; None if it may be spent."""
    width: int = field(init=False)
    _field: int = field(init=False)
    _known: dict[int, int] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        added = [each.amount for each in self.effects if isinstance(each, Add)]
        largest = [self.start, *(each for each in self.effects if not isinstance(each, Add))]
        if min(added, default=0) < 0:
            self.limit = None
            self.width = (max(largest) + MOST_STEPS * max(0, *added)).bit_length()
        else:
            exact = [each for each in self.asked if not isinstance(each, Minimum)]
            self.limit = max([*map(amount_of, self.asked), *(each + 1 for each in exact)])
            self.width = self.limit.bit_length()
        self._field = ((1 << self.width) - 1) << self.shift
        for bit in self.asked.values():
            self._field |= 1 << bit

    def count(self, state: int) -> int:
        return state >> self.shift & ((1 << self.width) - 1)

    def distance(self, literal: int, state: int) -> int | None:
        """Return how far the count is from `literal`; None unless that is a condition on it."""
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
        count = self.count(state) + effect.amount if isinstance(effect, Add) else effect
        return state & ~self._field | self.held(count)


@define(eq=False)
class ReachableCounts:
    """The counts that a tally could have if every effect so far may be repeated."""

    tally: Tally
    bases: set[int]
    """The count at the start, and those that it may be set to."""
    step: int = field(default=0, init=False)
    """The greatest common divisor of all that is added or taken away."""
    rises: bool = field(default=False, init=False)
    falls: bool = field(default=False, init=False)

    def allow(self, effect: Effect) -> None:
        if isinstance(effect, Add):
            self.step = gcd(self.step, effect.amount)
            self.rises = self.rises or effect.amount > 0
            self.falls = self.falls or effect.amount < 0
        else:
            self.bases.add(effect)

    def literals(self) -> int:
        """Return the bits of the conditions that could be met."""
        return sum(1 << bit for asked, bit in self.tally.asked.items() if self._could_meet(asked))

    def _could_meet(self, condition: Requirement) -> bool:
        if isinstance(condition, Minimum):
            return self.rises or max(self.bases) >= condition.amount
        return any(self._leads(base, condition) for base in self.bases)

    def _leads(self, base: int, count: int) -> bool:
        if base == count:
            return True
        if (self.rises and self.falls) or (self.rises if base < count else self.falls):
            return (count - base) % self.step == 0
        return False


@frozen(eq=False)
class Operator:
    action: GoapAction
    needs: int
    makes: int
    unmakes: int
    """The literals that cease to hold: the opposites of those it makes."""
    cost: float
    weight: int
    """Its cost in a unit in which all costs of the problem are integers, and 1 for the step."""
    changes: tuple[tuple[Tally, Effect], ...] = ()
    """Its effects on counts."""

    def after(self, state: int) -> int:
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
    flags: dict[str, int] = field(init=False, factory=dict)
    """Flag in a condition of the goal or an action -> the position of its bit for true.

    The next bit is that for false.
    """
    conditions: dict[str, dict[Requirement, int]] = field(init=False, factory=dict)
    """Count in a condition of the goal or an action -> the condition -> the position of its bit."""
    bits: int = field(init=False, default=0)
    """The number of bits of literals."""
    asked: GoapAction | None = field(init=False, default=None)
    """The action whose checks or cost are being called."""
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
            self._add_literals(action.spends)

    @cached_property
    def start(self) -> int:
        """The world state to begin with: flags not named are false, counts not named are 0."""
        flags = {fact: self.initial.get(fact, False) for fact in self.flags}
        self._check_initial(flags, bool)
        return self.literals(flags) | sum(each.held(each.start) for each in self.tallies.values())

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        found: dict[str, Tally] = {}
        shift = self.bits
        counts = {fact: self.initial.get(fact, 0) for fact in self.conditions}
        self._check_initial(counts, int)
        for fact, asked in self.conditions.items():
            effects = [each.effects[fact] for each in self.actions if fact in each.effects]
            found[fact] = Tally(asked, shift, counts[fact], effects)
            shift += found[fact].width
        return found

    @cached_property
    def target(self) -> int:
        return self.literals(self.goal)

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        actions = self._useful(self.actions)
        possible = [action for action in actions if self.is_possible(action)]
        if len(possible) < len(actions):
            possible = self._useful(possible)
        costs = [self._ask(action, action.current_cost) for action in possible]
        unit = lcm(*(cost.as_integer_ratio()[1] for cost in costs))
        return tuple(map(self._operator, possible, costs, [unit] * len(costs)))

    def is_possible(self, action: GoapAction) -> bool:
        """Return True if its checks are true; they are called once."""
        if id(action) not in self._possible:
            self._possible[id(action)] = self._ask(action, action.is_possible)
        return self._possible[id(action)]

    def reachable(self, actions: Iterable[GoapAction]) -> int:
        """Return all literals that `actions` could make hold if none ever ceased to."""
        reached = self.start & (1 << self.bits) - 1
        counts = {
            fact: ReachableCounts(tally, {tally.start}) for fact, tally in self.tallies.items()
        }
        waiting = [
            (
                self.needs(action),
                self.literals(action.effects),
                [(counts[fact], effect) for fact, effect in self._tallied(action)],
            )
            for action in actions
        ]
        before = -1
        while before != reached:
            before = reached
            for needs, makes, changes in waiting:
                if needs & reached == needs:
                    reached |= makes
                    for of_count, effect in changes:
                        of_count.allow(effect)
                        reached |= of_count.literals()
        return reached

    def missing_facts(self) -> dict[str, Requirement]:
        """Return facts that are needed, not met, and brought about by no action -> the condition.

        If actions only wait for one another, these are the unreachable facts of the goal. Empty if
        each fact could be reached by itself.
        """
        possible = [action for action in self.actions if self.is_possible(action)]
        reachable = self.reachable(possible)
        wanted = unreachable = self.target & ~reachable
        without_provider = 0
        todo = bits_of(wanted)
        while todo:
            literal = 1 << todo.pop()
            providers = [action for action in possible if self._provides(action) & literal]
            if not providers:
                without_provider |= literal
            for action in providers:
                new = self.needs(action) & ~reachable & ~wanted
                wanted |= new
                todo += bits_of(new)
        return self._facts_of(without_provider or unreachable)

    def needs(self, action: GoapAction) -> int:
        needs = self._needs.get(id(action))
        if needs is None:
            needs = self.literals(action.preconditions)
            if action.spends:
                needs |= self.literals(action.spends)
            self._needs[id(action)] = needs
        return needs

    def distance(self, literal: int, state: int) -> int:
        """Return 0 if `literal` holds in `state`, else 1; for a count by how much it is missed."""
        if literal & state:
            return 0
        found = (tally.distance(literal, state) for tally in self.tallies.values())
        return next((each for each in found if each is not None), 1)

    def literals(self, facts: Mapping[str, Any]) -> int:
        """Return the bits of those `facts` that matter; of a count, those of conditions."""
        found = 0
        for fact, value in facts.items():
            if fact in self.flags:
                found |= 1 << self.flags[fact] + (not value)
            elif fact in self.conditions and value in self.conditions[fact]:
                found |= 1 << self.conditions[fact][value]
        return found

    def _facts_of(self, literals: int) -> dict[str, Requirement]:
        """Return literals as facts; of several conditions on the same count, the first."""
        found: dict[str, Requirement] = {
            fact: literals >> bit & 3 == 1
            for fact, bit in self.flags.items()
            if literals >> bit & 3
        }
        for fact, asked in self.conditions.items():
            for condition, bit in asked.items():
                if literals >> bit & 1:
                    found.setdefault(fact, condition)
        return found

    def _provides(self, action: GoapAction) -> int:
        found = self.literals(action.effects)
        for fact, effect in self._tallied(action):
            for condition, bit in self.conditions[fact].items():
                if leads_to(effect, condition):
                    found |= 1 << bit
        return found

    def _counts_with(self, initial: Facts) -> frozenset[str]:
        return counts_in(self.given, {"the goal": self.goal, "the initial facts": initial})

    def _check_initial(self, facts: Facts, kind: type) -> None:
        check_facts(facts, "The initial facts")
        if any(type(value) is not kind for value in facts.values()):
            self._counts_with(facts)

    def _add_literals(self, conditions: Conditions) -> None:
        for fact, condition in conditions.items():
            if fact in self.counts:
                asked = self.conditions.setdefault(fact, {})
                if condition not in asked:
                    asked[condition] = self.bits
                    self.bits += 1
            elif fact not in self.flags:
                self.flags[fact] = self.bits
                self.bits += 2

    def _tallied(self, action: GoapAction) -> list[tuple[str, Effect]]:
        return [each for each in action.effects.items() if each[0] in self.conditions]

    def _useful(self, actions: Sequence[GoapAction]) -> list[GoapAction]:
        """Return those that can come to run, and lead towards the goal through others that can."""
        reachable = self.reachable(actions)
        runnable = [action for action in actions if not self.needs(action) & ~reachable]
        return leading_to(self.goal, runnable, self.counts)

    def _ask(self, action: GoapAction, function: Callable[[], ResultT]) -> ResultT:
        self.asked = action
        result = function()
        self.asked = None  # after an error, it is the action to blame
        return result

    def _operator(self, action: GoapAction, cost: float, unit: int) -> Operator:
        flags = {fact: value for fact, value in action.effects.items() if fact in self.flags}
        makes = self.literals(flags)
        unmakes = self.literals({fact: not value for fact, value in flags.items()})
        parts, of = cost.as_integer_ratio()
        weight = (parts * (unit // of) << STEP_BITS) + 1
        changes = [(self.tallies[fact], effect) for fact, effect in self._tallied(action)]
        return Operator(action, self.needs(action), makes, unmakes, cost, weight, tuple(changes))


def bits_of(literals: int) -> list[int]:
    return [bit for bit in range(literals.bit_length()) if literals >> bit & 1]


def leading_to(
    goal: Conditions, actions: Iterable[GoapAction], counts: Container[str] = ()
) -> list[GoapAction]:
    """Return those of `actions` that bring about a condition of `goal`, or of one another.

    An action that changes one of the `counts` counts as bringing about every condition on it,
    except that taking away does not help to have at least some.
    """
    providers: dict[tuple[str, object], list[GoapAction]] = {}
    given = list(actions)
    for action in given:
        effects = _brought_about(action.effects, counts) if counts else action.effects.items()
        for condition in effects:
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
    if not counts:
        return conditions.items()
    return [
        (fact, type(condition) if fact in counts else condition)
        for fact, condition in conditions.items()
    ]


def _brought_about(effects: Effects, counts: Container[str]) -> Iterator[tuple[str, object]]:
    """Yield the conditions that effects may help to meet, those on counts by their types."""
    for fact, effect in effects.items():
        if fact not in counts:
            yield fact, effect
            continue
        yield fact, int
        if not isinstance(effect, Add) or effect.amount > 0:
            yield fact, Minimum
