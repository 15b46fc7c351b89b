"""UnsavedState: the part of an agent's state that no snapshot holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, field

from fsmkit.goap.action import GoapAction
from fsmkit.goap.agent.search import Search
from fsmkit.goap.agent.setbacks import Setback
from fsmkit.goap.arguments import checked_function
from fsmkit.goap.counts import Fact


class Reservations:
    """The things that a plan has reserved, to be given back."""

    def __init__(self) -> None:
        self.were_made = False
        """True if the plan that is carried out has reserved what it uses."""
        self.held: list[Callable[[], object]] = []
        """The functions that give them back, in the order of reserving."""

    def make(self, action: GoapAction) -> bool:
        """Reserve what `action` uses; False if it cannot be had."""
        if action.reserve is not None:
            give_back = action.reserve()
            if give_back is None:
                return False
            what = f"GoapAction {action.name!r}: what reserve returns, unless it is None,"
            checked_function(give_back, what, "return lambda: ...")
            self.held.append(give_back)
        return True

    def release(self) -> Iterator[Callable[[], object]]:
        """Forget everything, and yield the functions that give it back, the last first."""
        held, self.held, self.were_made = self.held, [], False
        yield from reversed(held)


@define(eq=False)
class UnsavedState:
    """The part of an agent's state that no snapshot holds.

    It belongs to the `facts` that the agent believes and to its `setbacks`. `restore` replaces
    these, and what was reserved or searched for before does not concern the restored agent.
    """

    facts: dict[str, Fact]
    setbacks: dict[str, Setback] = field(factory=dict)
    """The failures that the agent remembers."""
    reservations: Reservations = field(factory=Reservations)
    search: Search | None = None
    """The search for a plan that is under way, or has just found one."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the search behind: it cannot be copied, and begins again in the copy."""
        return UnsavedState, (self.facts, self.setbacks, self.reservations)
