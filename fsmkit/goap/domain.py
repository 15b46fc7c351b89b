"""The planning domain: what an agent can do, and what it wants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature
from itertools import chain
from math import isnan
from typing import Any, Self, TypeVar

from attrs import evolve, field, frozen

from fsmkit.core.checks.arguments import flag, instance, number, shown, to_float
from fsmkit.goap.facts import (
    Add,
    Conditions,
    Effects,
    Facts,
    Minimum,
    check_facts,
    is_met,
)

NamedT = TypeVar("NamedT", "GoapAction", "Goal")


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

    def __attrs_post_init__(self) -> None:
        if not instance(self.name, "The name of a GoapAction", str, "a str"):
            raise ValueError("The name of a GoapAction must not be empty, got ''.")
        if not callable(self.cost):
            self._checked_cost(self.cost)
        check_facts(self.preconditions, f"The preconditions of {self.name!r}", Minimum)
        check_facts(self.effects, f"The effects of {self.name!r}", Add)
        what = f"GoapAction {self.name!r}"
        rule = f"{what}: checks must be functions, got"
        for check in members(self.checks, Callable, rule, "[lambda: ..., ...]"):
            check_function(check, f"{what}: each check")
        for name, function in (("cost", self.cost), ("target", self.target)):
            if callable(function):
                check_function(function, f"{what}: {name}")
        for name, function in (("done", self.done), ("reserve", self.reserve)):
            if function is not None:
                check_function(function, f"{what}: {name}")
        if self.run is not None:
            check_function(self.run, f"{what}: run", "lambda: [...]", may_yield=True)
        flag(self.in_sequence, f"{what}: in_sequence")

    @cached_property
    def spends(self) -> Conditions:
        """The counts that its effects take away, and so must be there beside the preconditions."""
        return {
            fact: Minimum(-effect.amount)
            for fact, effect in self.effects.items()
            if isinstance(effect, Add) and effect.amount < 0
        }

    def replace(self, **changes: Any) -> Self:
        """Return this action with other parameters, such as the `run` of one read from a file.

        Raises TypeError or ValueError for what the constructor would refuse.

        >>> GoapAction("Dig", 1, {}, {"hole": True}).replace(cost=3, target=(4.0, 2.0)).cost
        3
        """
        return evolve(self, **changes)

    def current_cost(self) -> float:
        """Return the cost now; ValueError or TypeError if the function returns an invalid one."""
        return self._checked_cost(self.cost()) if callable(self.cost) else float(self.cost)

    def is_possible(self) -> bool:
        """Return True if all checks are true now."""
        return all(check() for check in self.checks)

    def _checked_cost(self, cost: object) -> float:
        return number(cost, f"The cost of {self.name!r}", least=0.0)


@frozen
class Goal:
    """Something an agent wants, described by the facts that are to hold.

    Of the goals that are wanted and do not hold yet, the one with the highest `priority` is planned
    for: a number, or a function that returns one. `wanted` is a function that returns whether it is
    wanted at all. If there is no plan, the `fallbacks` are tried in order, and theirs.

    With `again_after`, in seconds, it recurs: once its plan has been carried out it counts as
    reached, whatever a sensor says, and is wanted again that much later. Its facts without a sensor
    are then taken back: true or false to the opposite; of a count the number asked for is taken
    away.

    Raises ValueError or TypeError for an invalid name, fact, priority, fallback or time.

    >>> rest = Goal("Rest", {"tired": False})
    >>> [goal.name for goal in Goal("Eat", {"hungry": False}, 2, fallbacks=[rest]).chain()]
    ['Eat', 'Rest']
    """

    name: str
    conditions: Conditions
    priority: float | Callable[[], float] = 1
    fallbacks: Sequence[Goal] = field(default=(), kw_only=True)
    wanted: Callable[[], object] | None = field(default=None, kw_only=True)
    again_after: float | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"The name of a Goal must be a non-empty str, got {self.name!r}.")
        check_facts(self.conditions, f"The conditions of {self.name!r}", Minimum)
        if not self.conditions:
            raise ValueError(
                f"The conditions of {self.name!r} must not be empty, got {self.conditions!r}. "
                "Name the facts that are to hold."
            )
        what = f"Goal {self.name!r}"
        if callable(self.priority):
            check_function(self.priority, f"{what}: priority")
        else:
            self.current_priority()
        if self.wanted is not None:
            check_function(self.wanted, f"{what}: wanted")
        if self.again_after is not None:
            number(self.again_after, f"{what}: again_after", least=0.0, unit=" of seconds")
        goals_of(self.fallbacks, what, "fallbacks")

    def current_priority(self) -> float:
        """Return the priority now; ValueError or TypeError if that is invalid."""
        given = self.priority() if callable(self.priority) else self.priority
        priority = None if isinstance(given, bool) else to_float(given)
        if priority is None or isnan(priority):  # it may be infinite, either way
            kind = TypeError if priority is None else ValueError
            raise kind(f"The priority of {self.name!r} must be a number, got {shown(given)}.")
        return priority

    def holds(self, facts: Facts) -> bool:
        """Return True if it holds in the world state `facts`."""
        return all(
            is_met(condition, facts.get(fact, False)) for fact, condition in self.conditions.items()
        )

    def is_wanted(self, facts: Facts) -> bool:
        """Return True if it is wanted and does not hold in the world state `facts`."""
        return not self.holds(facts) and (self.wanted is None or bool(self.wanted()))

    def chain(self) -> Iterator[Goal]:
        """Yield this goal, then its fallbacks and theirs."""
        yield self
        for fallback in self.fallbacks:
            yield from fallback.chain()


def actions_in(actions: object) -> tuple[GoapAction, ...]:
    rule = "Plans must be made of GoapActions, got"
    return members(actions, GoapAction, rule, "[GoapAction(...), ...]")


def goals_of(goals: object, owner: str, what: str = "goals") -> tuple[Goal, ...]:
    rule = f"{owner}: {what} must be Goal(...) objects, got"
    return members(goals, Goal, rule, "[Goal(...), ...]")


def with_fallbacks(goals: Iterable[Goal]) -> Iterable[Goal]:
    return {id(goal): goal for each in goals for goal in each.chain()}.values()


def by_name(named: Iterable[NamedT], what: str) -> dict[str, NamedT]:
    found: dict[str, NamedT] = {}
    for each in named:
        if each.name in found:
            raise ValueError(f"{what} called {each.name!r}. Rename one.")
        found[each.name] = each
    return found


def counts_in(
    actions: Iterable[GoapAction], others: Mapping[str, Mapping[str, Any]], what: str = ""
) -> frozenset[str]:
    """Return the facts that are counts in the actions and in other groups of facts.

    `others` maps the name of a group, for a message, to its facts. Raises ValueError, which begins
    with `what`, if a fact is a count in one place and true or false in another.
    """
    given = list(actions)
    of_actions = (facts for each in given for facts in (each.preconditions, each.effects))
    values = chain.from_iterable(facts.values() for facts in chain(others.values(), of_actions))
    if {bool}.issuperset(map(type, values)):
        return frozenset()
    groups = list(others.items())
    for each in given:
        groups.append((f"the preconditions of {each.name!r}", each.preconditions))
        groups.append((f"the effects of {each.name!r}", each.effects))
    first: dict[str, tuple[str, Any]] = {}
    for group, facts in groups:
        for fact, value in facts.items():
            if not isinstance(value, (int, Minimum, Add)):
                continue  # of the initial facts only those that matter are checked
            before, known = first.setdefault(fact, (group, value))
            if (type(known) is bool) is not (type(value) is bool):
                raise ValueError(
                    f"{what}{fact!r} must be either a count or true or false everywhere, got "
                    f"{known!r} in {before} and {value!r} in {group}. Rename one."
                )
    return frozenset(fact for fact, (_, value) in first.items() if type(value) is not bool)


def members(given: object, kind: Any, rule: str, example: str) -> tuple[Any, ...]:
    """Return the members as a tuple; raise TypeError unless all are of that kind.

    `rule` begins the message, up to the word before the first member of another kind.
    """
    found = tuple(given) if isinstance(given, Iterable) else None
    strangers = [given] if found is None else [each for each in found if not isinstance(each, kind)]
    if found is None or strangers:
        raise TypeError(f"{rule} {strangers[0]!r}. Give a list: {example}")
    return found


def check_function(
    function: object,
    what: str,
    example: str = "lambda: ...",
    *,
    arguments: int = 0,
    may_yield: bool = False,
) -> None:
    """Raise TypeError unless `function` takes that many arguments and does its work when called."""
    if not callable(function):
        raise TypeError(f"{what} must be a function, got {function!r}. Write {example}")
    if iscoroutinefunction(function) or isasyncgenfunction(function):
        raise TypeError(f"{what} must not be async, got {function!r}. Nothing would await it.")
    if isgeneratorfunction(function) and not may_yield:
        raise TypeError(f"{what} must not be a generator function, got {function!r}.")
    try:
        parameters = signature(function)
    except ValueError:  # some functions in C have no signature
        return
    try:
        parameters.bind(*range(arguments))
    except TypeError:
        many = ("no arguments", "one argument")[arguments]
        raise TypeError(
            f"{what} must be a function of {many}, got {function!r}. Write {example}"
        ) from None
