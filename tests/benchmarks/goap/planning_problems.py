"""Planning problems, as they are described to every contestant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations, product
from random import Random
from typing import Final, NamedTuple

STEPS: Final = 12

Described = Mapping[str, bool | int]
"""Facts, or counts: in a condition the least number, in an effect the number added."""


class Told(NamedTuple):
    """An action, as it is described to every contestant."""

    name: str
    cost: float
    preconditions: Described
    effects: Described


class Task(NamedTuple):
    """A planning problem, and what its best plan costs; None if nobody has said so."""

    name: str
    actions: list[Told]
    initial: Described
    goal: Described
    cost: float | None = None


def with_distractors(count: int) -> Task:
    """Return a chain of twelve actions with sidetracks, and a dear shortcut.

    The shortcut needs a number of toys. The distractors get these toys and lose them again, for the
    cost of a step each; so they do matter, and none of them is part of the best plan.
    """
    chain = [
        Told(f"Step{i}", 1.0, {f"reached{i}": True} if i else {}, {f"reached{i + 1}": True})
        for i in range(STEPS)
    ]
    sidetracks = [
        Told(f"Sidetrack{i}", 1.0, {f"reached{i % STEPS}": True} if i % STEPS else {},
             {f"toy{i // 2}": i % 2 == 0})
        for i in range(count)
    ]  # fmt: skip
    toys = {f"toy{i // 2}": True for i in range(count)}
    actions = [*chain, *sidetracks, Told("Shortcut", 99.0, toys, {f"reached{STEPS}": True})]
    return Task(f"{count} distractors", actions, {}, {f"reached{STEPS}": True}, STEPS)


def with_counts(swords: int) -> Task:
    """Return the task to forge swords of ore and wood, which may also be bought or fished for."""
    actions = [
        Told("Chop", 2.0, {}, {"wood": 1}),
        Told("MakePick", 2.0, {"wood": 1}, {"wood": -1, "pick": True}),
        Told("Dig", 1.0, {"pick": True}, {"ore": 1}),
        Told("Smelt", 1.0, {"ore": 2, "wood": 1}, {"ore": -2, "wood": -1, "iron": 1}),
        Told("Forge", 3.0, {"iron": 2}, {"iron": -2, "swords": 1}),
        Told("Fish", 1.0, {}, {"fish": 1}),
        Told("SellFish", 1.0, {"fish": 1}, {"fish": -1, "gold": 1}),
        Told("BuyIron", 1.0, {"gold": 6}, {"gold": -6, "iron": 1}),
    ]
    return Task(f"swords: {swords}", actions, {}, {"swords": swords}, 4.0 + 13.0 * swords)


def boolean_tasks() -> Iterator[Task]:
    """Yield tasks without counts, from a few actions to those of a puzzle with blocks."""
    yield from (with_distractors(count) for count in (0, 4, 8, 12))
    yield from (random_task(seed) for seed in range(40))
    yield from (
        blocks(*towers) for towers in (("abc", "cba"), ("abcd", "dacb"), ("abcde", "edcba"))
    )


def random_task(seed: int) -> Task:
    """Return a task in which each fact is made of earlier ones, in one of three ways."""
    rng = Random(seed)
    count = rng.randint(6, 14)
    actions: list[Told] = []
    for number, way in product(range(count), range(3)):
        needs = {f"fact{each}": True for each in rng.sample(range(number), min(2, number))}
        makes = {f"fact{number}": True}
        if rng.random() < 0.4:
            makes = {f"fact{rng.randrange(count)}": False} | makes
        actions.append(Told(f"Make{number} {way}", rng.choice((1.0, 2.0, 0.1, 5.0)), needs, makes))
    goal = {f"fact{count - 1}": True, f"fact{rng.randrange(count - 1)}": rng.random() < 0.8}
    return Task(f"random {seed}", actions, {}, goal)


def blocks(start: str, goal: str) -> Task:
    """Return the task to build the tower `goal` of one that is `start`, both from the top down."""
    moves = [
        Told(f"{block} from {source} to {target}", 1.0,
             {f"{block} on {source}": True, f"{block} clear": True}
             | ({} if target == "table" else {f"{target} clear": True}),
             {f"{block} on {source}": False, f"{block} on {target}": True}
             | ({} if source == "table" else {f"{source} clear": True})
             | ({} if target == "table" else {f"{target} clear": False}))
        for block, source, target in permutations([*start, "table"], 3)
        if block != "table"
    ]  # fmt: skip
    return Task(f"blocks {start} to {goal}", moves, tower(start), tower(goal))


def tower(names: str) -> dict[str, bool]:
    on = {
        f"{block} on {below}": True
        for block, below in zip(names, [*names[1:], "table"], strict=True)
    }
    return on | {f"{names[0]} clear": True}
