"""The optimal strategy: the cheapest plan, by A* over world states.

A* after Hart, Nilsson and Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost
Paths" (1968). The heuristic is h-max of Bonet and Geffner, "Planning as Heuristic Search" (2001):
the cost of the costliest fact of the goal if no fact ever ceased to hold. Of a count, it is that of
the first action that brings it nearer, and of the least that the rest can take; see `Pace`. It
never overestimates and is consistent, so no world state is expanded twice.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from heapq import heappop, heappush

from fsmkit.goap.missing import missing_facts
from fsmkit.goap.pace import Pace
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
            for tally, effect in step.changes:
                following = tally.after(following, effect)
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
        self._literals = (1 << problem.bits) - 1
        self._known: dict[int, int | None] = {}
        self._users: dict[int, list[int]] = {}
        """Literal -> the indices of the steps that need it."""
        self._needs = [_bits(step.needs) for step in self.steps]
        self._makes = [_bits(step.makes) for step in self.steps]
        for index, needs in enumerate(self._needs):
            for literal in needs:
                self._users.setdefault(literal, []).append(index)
        self._free = [index for index, needs in enumerate(self._needs) if not needs]
        """The indices of the steps that need nothing."""
        paces = {id(tally): Pace(tally, self.steps) for tally in problem.tallies.values()}
        self._changes = [
            [(paces[id(tally)], effect) for tally, effect in step.changes] for step in self.steps
        ]

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
        queue = self._at_first(state)
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
                    for entry in (
                        self._counted(index, weight, state) if self._changes[index] else ()
                    ):
                        heappush(queue, entry)
        return None

    def _at_first(self, state: int) -> list[tuple[int, int]]:
        """Return (weight, literal) of what holds in `state` and what is one step away."""
        queue = [(0, literal) for literal in _bits(state & self._literals)]
        for index in self._free:
            weight = self.steps[index].weight
            queue += [(weight, literal) for literal in self._makes[index]]
            if self._changes[index]:
                queue += self._counted(index, 0, state)
        queue.sort()
        return queue

    def _counted(self, index: int, weight: int, state: int) -> Iterator[tuple[int, int]]:
        """Yield the conditions on counts that a step leads to, which can run from `weight` on."""
        for pace, effect in self._changes[index]:
            for least, literal in pace.leads(effect, self.steps[index].weight, state):
                yield weight + least, literal


def _bits(literals: int) -> list[int]:
    return [bit for bit in range(literals.bit_length()) if literals >> bit & 1]


def _found(came_from: dict[int, tuple[int, Step]], start: int, state: int) -> Plan:
    steps: list[Step] = []
    while state != start:
        state, step = came_from[state]
        steps.append(step)
    return plan_of(steps[::-1])
