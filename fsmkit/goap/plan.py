"""Plan: the result of a planner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from attrs import field, frozen

from fsmkit.goap.action import Conditions, Facts, GoapAction
from fsmkit.goap.counts import Add, AtLeast, Condition, Fact, changed, is_met
from fsmkit.goap.problem import Step


@frozen
class Plan:
    """The result of a planner: the actions to be done, in order.

    >>> from fsmkit.goap import GoapAction, plan
    >>> chop = GoapAction("Chop", 2, {"axe": True}, {"wood": True})
    >>> found = plan([chop], {"axe": True}, {"wood": True})
    >>> str(found), found.cost
    ('Chop (cost 2)', 2.0)
    """

    found: bool
    actions: tuple[GoapAction, ...] = ()
    cost: float = 0.0
    out_of_reach: Conditions = field(factory=dict)
    """Without a plan: fact -> what is asked of it and no action can bring about."""
    nodes: int = 0
    """The number of world states that were looked at; of facts with the greedy strategy."""
    gave_up: bool = False
    """True if there may be a plan, but the search was ended by `max_nodes`."""
    reason: str = field(default="nobody has looked for one", eq=False, repr=False)
    """Without a plan: why not, in words, where neither `missing` nor `gave_up` says it."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The facts that are needed and that no action can bring about, if no plan was found."""
        return tuple(self.out_of_reach)

    def __bool__(self) -> bool:
        return self.found

    def __str__(self) -> str:
        if self.found:
            steps = ", ".join(action.name for action in self.actions) or "nothing to do"
            return f"{steps} (cost {self.cost:g})"
        if self.gave_up:
            return f"no plan found within {self.nodes} nodes: raise max_nodes"
        if self.out_of_reach:
            return f"no plan: no action can {' or '.join(self._impossible())}"
        return f"no plan: {self.reason}"

    def reaches(
        self, goal: Conditions, world: Facts, step: int = 0, *, is_under_way: bool = False
    ) -> bool:
        """Return True if the actions from index `step` on lead from `world` to `goal`.

        If the first of them `is_under_way`, its preconditions are not asked for.
        """
        state: dict[str, Fact] = {}
        for index, action in enumerate(self.actions[step:]):
            is_asked = index > 0 or not is_under_way
            if is_asked and not (
                _hold(action.preconditions, state, world) and _hold(action.spends, state, world)
            ):
                return False
            for fact, effect in action.effects.items():
                now = _now(fact, state, world) if isinstance(effect, Add) else False
                state[fact] = changed(now, effect)
        return _hold(goal, state, world)

    def _impossible(self) -> Iterator[str]:
        """Yield what no action can do."""
        asked = self.out_of_reach.items()
        if true := [_told(fact, value) for fact, value in asked if value is not False]:
            yield f"bring about {', '.join(true)}"
        if false := [repr(fact) for fact, value in asked if value is False]:
            yield f"make {', '.join(false)} false"


def plan_of(steps: Sequence[Step]) -> Plan:
    """Return the plan that consists of `steps`."""
    return Plan(True, tuple(step.action for step in steps), fsum(step.cost for step in steps))


def _hold(conditions: Conditions, state: Facts, world: Facts) -> bool:
    return all(
        is_met(condition, _now(fact, state, world)) for fact, condition in conditions.items()
    )


def _now(fact: str, state: Facts, world: Facts) -> Fact:
    return state[fact] if fact in state else world.get(fact, False)


def _told(fact: str, condition: Condition) -> str:
    if isinstance(condition, AtLeast):
        return f"{condition.amount} {fact!r}"
    return repr(fact) if isinstance(condition, bool) else f"exactly {condition} {fact!r}"
