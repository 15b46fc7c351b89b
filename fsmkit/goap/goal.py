"""Goal: what an agent wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import field, frozen

from fsmkit.goap.action import Facts, checked_facts


@frozen
class Goal:
    """What an agent wants, told by the facts that shall hold.

    Of the goals that are wanted and do not hold yet, the one with the highest `priority` is planned
    for: a number, or a function that gives one. `wanted` is a function that says whether it is
    wanted at all. If there is no plan, the `fallbacks` are tried in order, and theirs.

    >>> rest = Goal("Rest", {"tired": False})
    >>> [goal.name for goal in Goal("Eat", {"hungry": False}, 2, fallbacks=[rest]).chain()]
    ['Eat', 'Rest']
    """

    name: str
    conditions: Facts
    priority: float | Callable[[], float] = 1
    fallbacks: Sequence[Goal] = field(default=(), kw_only=True)
    wanted: Callable[[], object] | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"The name of a Goal is a text that is not empty, not {self.name!r}.")
        if not checked_facts(self.conditions, f"The conditions of {self.name!r}"):
            raise ValueError(f"The Goal {self.name!r} has no conditions: nothing can be wanted.")

    def current_priority(self) -> float:
        """The priority now."""
        return self.priority() if callable(self.priority) else self.priority

    def is_wanted(self, facts: Facts) -> bool:
        """Whether it is wanted and does not hold in the world state `facts`."""
        holds = all(facts.get(fact, False) is value for fact, value in self.conditions.items())
        return not holds and (self.wanted is None or bool(self.wanted()))

    def chain(self) -> Iterator[Goal]:
        """This goal, then its fallbacks and theirs."""
        yield self
        for fallback in self.fallbacks:
            yield from fallback.chain()
