"""Planning twelve steps among distractors: `python tests/benchmarks/goap/run.py`.

The goal takes a chain of twelve actions. Beside it there is a dear shortcut that needs a number of
toys. The distractors get these toys and lose them again, for the cost of a step each; so they do
matter, and none of them is part of the best plan. The contestants take turns in every round, and
every plan has to have the same cost. goapauto needs Python 3.12 or later; where it is not
installed only fsmkit is timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from math import nan
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

from fsmkit.goap import GoapAction, plan

STEPS: Final = 12


class Told(NamedTuple):
    """An action, as it is described to every contestant."""

    name: str
    cost: float
    preconditions: dict[str, bool]
    effects: dict[str, bool]


def actions(distractors: int) -> list[Told]:
    """A chain of twelve, with a distractor after each of them in turn, and the shortcut."""
    chain = [
        Told(f"Step{i}", 1.0, {f"reached{i}": True} if i else {}, {f"reached{i + 1}": True})
        for i in range(STEPS)
    ]
    sidetracks = [
        Told(f"Sidetrack{i}", 1.0, {f"reached{i % STEPS}": True} if i % STEPS else {},
             {f"toy{i // 2}": i % 2 == 0})
        for i in range(distractors)
    ]  # fmt: skip
    toys = {f"toy{i // 2}": True for i in range(distractors)}
    return [*chain, *sidetracks, Told("Shortcut", 99.0, toys, {f"reached{STEPS}": True})]


def fsmkit_contestant(told: list[Told]) -> Callable[[], float]:
    made = [GoapAction(*action) for action in told]

    def run() -> float:
        return plan(made, {}, {f"reached{STEPS}": True}).cost

    return run


def goapauto_contestant(told: list[Told]) -> Callable[[], float]:
    from goapauto.models.actions import Action
    from goapauto.models.goal import Goal
    from goapauto.models.goap_planner import Planner
    from goapauto.models.worldstate import WorldState

    facts = dict.fromkeys((fact for action in told for fact in action.effects), False)
    made: list[Any] = [
        Action(name=a.name, cost=a.cost, preconditions=a.preconditions, effects=a.effects)
        for a in told
    ]
    planner = Planner(actions_list=made)

    def run() -> float:
        goal = Goal(target_state={f"reached{STEPS}": True})
        with redirect_stdout(StringIO()):  # it reports on every plan
            result = planner.generate_plan(WorldState(**facts), goal)
        return float(len(result.plan or ()))

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print("| distractors | fsmkit, ms | goapauto, ms | times |\n| ---: | ---: | ---: | ---: |")
    for distractors in (0, 4, 8, 12):
        told = actions(distractors)
        contestants = {"fsmkit": fsmkit_contestant(told)}
        if find_spec("goapauto"):
            contestants["goapauto"] = goapauto_contestant(told)
        taken: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(rounds):
            for name, run in contestants.items():
                begun = perf_counter()
                cost = run()
                taken[name].append((perf_counter() - begun) * 1e3)
                assert cost == STEPS, f"{name} found a plan of cost {cost}"
        ours, theirs = median(taken["fsmkit"]), median(taken.get("goapauto", [nan]))
        print(f"| {distractors} | {ours:.2f} | {theirs:.1f} | {theirs / ours:.0f} |")


if __name__ == "__main__":
    main()
