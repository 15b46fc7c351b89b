"""Hopeless: what is known of a goal for which there is no plan, so that it need not be found again.

An agent looks for better goals again and again. Mostly nothing that matters has changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from fsmkit.goap.action import Conditions, Facts, GoapAction
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Planning


@frozen(eq=False)
class Hopeless:
    """The end of a search that found at once that there is no plan, for the searches to come.

    It takes the place of one that would end in the same way, and to the agent it makes no other
    difference.
    """

    actions: Sequence[GoapAction]
    goal: Conditions
    facts: Facts
    """What the search has asked for, and the answers."""
    plan: Plan
    nodes: int = field(default=0, init=False)
    asked: None = field(default=None, init=False)

    def step(self, nodes: int = 1) -> bool:  # noqa: ARG002  # as that of Planning
        """Return True: it is over."""
        return True

    def is_true(self, actions: Sequence[GoapAction], world: Facts, goal: Conditions) -> bool:
        """Return True if a search with these arguments would end in the same way."""
        return (
            self.goal == goal
            and len(self.actions) == len(actions)
            and all(one is other for one, other in zip(self.actions, actions, strict=True))
            and all(world.get(fact, False) == value for fact, value in self.facts.items())
        )


def hopeless(goal: Conditions, planning: Planning | Hopeless) -> Hopeless | None:
    """Return what an ended `planning` says about later ones; None if those may end otherwise."""
    if isinstance(planning, Hopeless):
        return planning
    grounds = planning.grounds()
    if planning.plan is None or grounds is None:
        return None
    return Hopeless(planning.actions, goal, grounds, planning.plan)
