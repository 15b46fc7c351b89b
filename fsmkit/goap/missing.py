"""The reason why there is no plan: the facts that no action can bring about."""

from __future__ import annotations

from fsmkit.goap.counts import Condition
from fsmkit.goap.problem import Problem


def missing_facts(problem: Problem) -> dict[str, Condition]:
    """Return the facts that are needed, not met, and brought about by no action -> what is needed.

    If actions only wait for one another, these are the facts of the goal that cannot be reached.
    Empty if each fact could be reached by itself.
    """
    possible = [action for action in problem.actions if problem.is_possible(action)]
    reachable = problem.reachable(possible)
    wanted = unreachable = problem.target & ~reachable
    without_provider = 0
    todo = [1 << bit for bit in range(wanted.bit_length()) if wanted >> bit & 1]
    while todo:
        literal = todo.pop()
        providers = [a for a in possible if problem.provides(a) & literal]
        if not providers:
            without_provider |= literal
        for action in providers:
            new = problem.needs(action) & ~reachable & ~wanted
            wanted |= new
            todo += [1 << bit for bit in range(new.bit_length()) if new >> bit & 1]
    return problem.facts_of(without_provider or unreachable)
