"""The optimal strategy: the cheapest plan, by A* over world states.

A* after Hart, Nilsson and Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost
Paths" (1968). The heuristic is h-max of Bonet and Geffner, "Planning as Heuristic Search" (2001):
the cost of the costliest fact of the goal if no fact ever ceased to hold. It never overestimates
and is consistent, so no world state is expanded twice.
"""

from __future__ import annotations

from collections.abc import Generator
from heapq import heappop, heappush

from fsmkit.goap.missing import missing_facts
from fsmkit.goap.plan import Plan, plan_of
from fsmkit.goap.problem import Problem, Step


def search(problem: Problem) -> Generator[None, None, Plan]:
    """Find the cheapest plan, of equally cheap ones a shortest. Yields before each expansion."""
    start, target = problem.start, problem.target
    if target & ~problem.reachable(problem.actions):
        return Plan(False, out_of_reach=missing_facts(problem))
    estimate = Estimate(problem)
    came_from: dict[int, tuple[int, Step]] = {}
    weights = {start: 0}
    expanded: set[int] = set()
    opened = [(estimate(start) or 0, 0, start)]
    tie = 0
    while opened:
        _, _, state = heappop(opened)
        if state in expanded:
            continue
        if state & target == target:
            return _found(came_from, start, state)
        yield
        expanded.add(state)
        weight = weights[state]
        for step in problem.steps:
            if step.needs & state != step.needs:
                continue
            following = state & ~step.unmakes | step.makes
            new_weight = weight + step.weight
            if new_weight >= weights.get(following, new_weight + 1):
                continue
            rest = estimate(following)
            if rest is None:
                continue
            weights[following] = new_weight
            came_from[following] = (state, step)
            tie -= 1  # of equally good ones the last is looked at first
            heappush(opened, (new_weight + rest, tie, following))
    return Plan(False, out_of_reach=missing_facts(problem))


class Estimate:
    """The least weight that a plan from a world state can have; None if there is no plan."""

    def __init__(self, problem: Problem) -> None:
        self.steps = problem.steps
        self.target = problem.target
        self._known: dict[int, int | None] = {}
        self._users: dict[int, list[int]] = {}
        """Literal -> the indices of the steps that need it."""
        self._needs = [_bits(step.needs) for step in self.steps]
        self._makes = [_bits(step.makes) for step in self.steps]
        for index, needs in enumerate(self._needs):
            for literal in needs:
                self._users.setdefault(literal, []).append(index)

    def __call__(self, state: int) -> int | None:
        """Return the estimate for `state`."""
        if state not in self._known:
            self._known[state] = self._worked_out(state)
        return self._known[state]

    def _worked_out(self, state: int) -> int | None:
        """Reach literal after literal, the cheapest first, until the whole goal is reached."""
        missing = self.target & ~state
        if not missing:
            return 0
        open_needs = [len(needs) for needs in self._needs]
        reached: set[int] = set()
        queue = [(0, literal) for literal in _bits(state)]
        queue += [
            (step.weight, literal)
            for step, makes in zip(self.steps, self._makes, strict=True)
            if not step.needs
            for literal in makes
        ]
        queue.sort()
        while queue:
            weight, literal = heappop(queue)
            if literal in reached:
                continue
            reached.add(literal)
            missing &= ~(1 << literal)
            if not missing:
                return weight
            for index in self._users.get(literal, ()):
                open_needs[index] -= 1
                if open_needs[index] == 0:
                    new = weight + self.steps[index].weight
                    for made in self._makes[index]:
                        if made not in reached:
                            heappush(queue, (new, made))
        return None


def _bits(literals: int) -> list[int]:
    return [bit for bit in range(literals.bit_length()) if literals >> bit & 1]


def _found(came_from: dict[int, tuple[int, Step]], start: int, state: int) -> Plan:
    steps: list[Step] = []
    while state != start:
        state, step = came_from[state]
        steps.append(step)
    return plan_of(steps[::-1])
