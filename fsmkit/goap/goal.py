"""Goal: something an agent wants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isnan

from attrs import field, frozen

from fsmkit.goap.action import Conditions, Facts, checked_conditions
from fsmkit.goap.arguments import checked_amount, checked_answer, checked_members, checked_number
from fsmkit.goap.counts import is_met


@frozen
class Goal:
    """Something an agent wants, described by the facts that are to hold.

    Of the goals that are wanted and do not hold yet, the one with the highest `priority` is planned
    for: a number, or a function that returns one. `wanted` is a function that returns whether it is
    wanted at all. If there is no plan, the `fallbacks` are tried in order, and theirs.

    With `again_after` it comes again: once its plan has been carried out it counts as reached,
    whatever a sensor says, and so many seconds later it is wanted again. Its facts without a sensor
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
        if not checked_conditions(self.conditions, f"The conditions of {self.name!r}"):
            raise ValueError(
                f"The conditions of {self.name!r} must not be empty, got {self.conditions!r}. "
                "Name the facts that are to hold."
            )
        if callable(self.priority):
            checked_answer(self.priority, f"Goal {self.name!r}: priority", "lambda: ...")
        else:
            checked_priority(self.priority, self.name)
        if self.wanted is not None:
            checked_answer(self.wanted, f"Goal {self.name!r}: wanted", "lambda: ...")
        if self.again_after is not None:
            checked_amount(self.again_after, f"Goal {self.name!r}: again_after")
        checked_goals(self.fallbacks, f"Goal {self.name!r}", "fallbacks")

    def current_priority(self) -> float:
        """Return the priority now; ValueError or TypeError if the function returns no valid one."""
        if not callable(self.priority):
            return self.priority
        return checked_priority(self.priority(), self.name)

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


def checked_goals(goals: object, owner: str, what: str = "goals") -> tuple[Goal, ...]:
    """Return the goals as a tuple; raise TypeError unless all are Goals."""
    rule = f"{owner}: {what} must be Goal(...) objects, got"
    return checked_members(goals, Goal, rule, "[Goal(...), ...]")


def with_fallbacks(goals: Iterable[Goal]) -> Iterable[Goal]:
    """Return each of the goals and of their fallbacks once."""
    return {id(goal): goal for each in goals for goal in each.chain()}.values()


def checked_priority(priority: object, name: str) -> float:
    """Return `priority`; raise unless it is a number; it may be infinite."""
    number = checked_number(priority, f"The priority of {name!r}")
    if isnan(number):
        raise ValueError(f"The priority of {name!r} must be a number, got nan.")
    return number
