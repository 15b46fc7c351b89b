"""Agents in a world that changes, for long: nothing leaks, nobody stands still, all comes back.

They walk by A* on a map in which walls come and go, contend for four trees, chase a cart, and flee
when there is danger. Some actions fail, some raise errors. One always fails, and has an
alternative; some agents have a goal whose only action always fails. A small world runs each time,
the big one (50 agents, 10,000 updates) with `pytest -m long`, which prints what happened (`-s`).
"""

import gc
import json
import sys
from collections import Counter
from collections.abc import Callable
from math import dist
from random import Random
from time import process_time
from typing import Any, Final

import pytest
from attrs import define

from actions import FollowPath, TimedWait
from fsmkit import FsmAction
from fsmkit.goap import Goal, GoapAction, GoapAgent, add, at_least
from fsmkit.pathfinding import AStarPath, Grid, Tile
from fsmkit.recording import restore, snapshot
from fsmkit.space import Transform

DT: Final = 0.05
SIZE: Final = 20
TREES: Final = ((3, 3), (16, 4), (4, 15), (15, 16))
WELL, HUT, DOOR, SHED = (9, 9), (1, 18), (18, 1), (10, 17)
SPEED: Final = 4.0
REACH: Final = 1.5
CHASED: Final = 0.5
"""How far the cart may have gone since the agent has looked for it."""
PARTS: Final = 5
"""The parts of a long run whose memory is compared."""


class Accident(Exception):
    """What an action raises now and then."""


@define(eq=False, slots=False)
class Work(FsmAction[Any]):
    """Work until the next update; then it succeeds, fails or raises an error, at random."""

    world: "World"
    fails: float = 0.0
    raises: float = 0.0

    def on_update(self) -> None:
        draw = self.world.rng.random()
        if draw < self.fails:
            self.fsm.send_event("FAILED")
        elif draw < self.fails + self.raises:
            raise Accident
        else:
            self.finish()


class World:
    """The map, the cart, the danger, what is reserved, and a journal in figures."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.time = 0.0
        self.is_dangerous = False
        self.cart = Transform((10.0, 2.0))
        self.grid = Grid(["." * SIZE] * SIZE)
        self.kept_free = {*TREES, WELL, HUT, DOOR, SHED, *((x, 2) for x in range(SIZE))}
        self.holders: dict[object, str] = {}
        self.counts: Counter[str] = Counter()
        self.villagers: list[Villager] = []

    def change(self) -> None:
        """Let a frame pass: a tile changes, the cart goes its way, danger comes and goes."""
        self.time += DT
        tile = self.rng.randrange(SIZE), self.rng.randrange(SIZE)
        if tile not in self.kept_free:
            self.grid.set_cost(tile, self.rng.choice((0, 1, 1, 1, 2)))
        self.cart.position = (2.0 + 16.0 * abs((self.time / 20.0) % 2.0 - 1.0), 2.0)
        self.is_dangerous = self.time % 60.0 > 45.0
        for villager in self.villagers:
            villager.live()

    def reserve(self, thing: object, who: str) -> Callable[[], object] | None:
        if thing in self.holders:
            self.counts["refused"] += 1
            return None
        self.holders[thing] = who
        self.counts["reserved"] += 1

        def give_back() -> None:
            assert self.holders.pop(thing) == who
            self.counts["given back"] += 1

        return give_back

    def way(self, body: Transform, target: tuple[float, float]) -> AStarPath[Tile]:
        return self.grid.find_path(self.grid.tile_at(body.position), self.grid.tile_at(target))


class Villager:
    """An agent, its body and its needs."""

    def __init__(self, world: World, name: str, *, is_dreamer: bool) -> None:
        self.world, self.name, self.is_dreamer = world, name, is_dreamer
        self.hunger = world.rng.random() * 20.0
        self.body = Transform((float(world.rng.randrange(SIZE)), 2.0))
        self.boredom = 0.0
        self.door_is_open = False
        self.last_success = 0.0
        self.longest_wait = 0.0
        self.done: Counter[str] = Counter()
        self.agent = self.make_agent()
        world.villagers.append(self)

    def make_agent(self) -> GoapAgent[Any]:
        dream = [Goal("Dream", {"flown": True}, 5)] if self.is_dreamer else []
        return GoapAgent(
            self.name,
            self.body,
            actions=[
                *(self.chopping(number) for number in range(len(TREES))),
                self.work("CollectBranches", 9, {}, {"wood": add(1)}, seconds=2.0),
                self.work("Sell", 1, {}, {"wood": add(-1), "sold": True},
                          target=lambda: self.world.cart.position, raises=0.02),
                self.work("Stack", 1, {}, {"wood": add(-1), "stock": add(1)}, target=SHED),
                self.work("Eat", 1, {}, {"fed": True}, target=WELL, then=self.eat),
                self.work("Hide", 1, {}, {"hidden": True}, target=HUT),
                self.work("PickLock", 1, {}, {"open": True}, target=DOOR, fails=1.0),
                self.work("KickDoor", 5, {}, {"open": True}, target=DOOR, then=self.open_door),
                self.work("Fly", 1, {}, {"flown": True}, fails=1.0),
            ],
            goals=[
                Goal("BeSafe", {"hidden": True}, 9, wanted=lambda: self.world.is_dangerous),
                Goal("BeFed", {"fed": True}, lambda: self.hunger / 10.0),
                Goal("Sell", {"sold": True}, 1.5, again_after=10.0),
                Goal("BePrepared", {"stock": at_least(2)}, 1.2),
                Goal("OpenTheDoor", {"open": True}, lambda: self.boredom / 10.0),
                *dream,
            ],
            sensors={"fed": lambda: self.hunger < 15.0, "open": lambda: self.door_is_open},
            travel=lambda target: FollowPath(
                self.body, lambda: self.world.way(self.body, target()), SPEED,
                blocked_event="FAILED",
            ),
            reach=REACH,
        )  # fmt: skip

    def chopping(self, number: int) -> GoapAction:
        return self.work(
            f"Chop{number}", 2, {}, {"wood": add(1)}, target=TREES[number], fails=0.1,
            reserve=lambda: self.world.reserve(TREES[number], self.name),
        )  # fmt: skip

    def work(
        self, name: str, cost: float, needs: dict[str, Any], makes: dict[str, Any], *,
        seconds: float = 0.5, fails: float = 0.0, raises: float = 0.0,
        then: Callable[[], object] = bool, **options: Any,
    ) -> GoapAction:  # fmt: skip
        def succeed() -> None:
            self.succeed(name, options.get("target"))
            then()

        return GoapAction(
            name, cost, needs, makes, **options,
            run=lambda: [TimedWait(seconds), Work(self.world, fails, raises)],
            in_sequence=True, done=succeed,
        )  # fmt: skip

    def succeed(self, name: str, target: Any) -> None:
        place = target() if callable(target) else target
        if place is not None and dist(self.body.position, place) > REACH + CHASED:
            self.world.counts[f"{name} from afar"] += 1
        self.done[name] += 1
        self.longest_wait = self.waiting()
        self.last_success = self.world.time

    def waiting(self) -> float:
        """Return the longest time without a success, in seconds; the present one counts too."""
        return max(self.longest_wait, self.world.time - self.last_success)

    def eat(self) -> None:
        self.hunger = 0.0

    def open_door(self) -> None:
        self.door_is_open = True
        self.boredom = 0.0

    def live(self) -> None:
        """Let a frame pass: needs grow, and what was stacked or opened is so no longer."""
        self.hunger += DT
        self.boredom += DT
        facts, draw = self.agent.facts, self.world.rng.random()
        if not self.world.is_dangerous:
            facts.pop("hidden", None)
        if draw < 0.002:
            self.door_is_open = False
        elif draw < 0.003:
            facts["stock"] = 0
        elif draw < 0.005:
            assert str(self.agent.why())

    def begin_anew(self) -> None:
        """Continue with a new agent that is restored from what was saved of this one."""
        saved = json.dumps(snapshot(self.agent))
        self.agent.stop()
        self.agent = self.make_agent()
        restore(self.agent, json.loads(saved))

    def update(self) -> None:
        before = self.agent.current_state
        try:
            self.agent.update(DT)
        except Accident:
            self.world.counts["accidents"] += 1
        after = self.agent.current_state
        assert after is not None
        if after is not before:
            self.world.counts[after.name] += 1


def run_world(agents: int, updates: int, restored: float = 0.0) -> tuple[World, list[int]]:
    """Run a world, and return it with the blocks of memory in use after each part.

    In each update a share of the agents, `restored`, is saved and restored.
    """
    world = World(agents)
    for number in range(agents):
        Villager(world, f"Villager {number}", is_dreamer=number % 5 == 0)
    for villager in world.villagers:
        villager.agent.start()
    blocks: list[int] = []
    for part in range(PARTS):
        begun = process_time()
        for _ in range(updates // PARTS):
            world.change()
            for villager in world.villagers:
                if restored and world.rng.random() < restored:
                    villager.begin_anew()
                    world.counts["restored"] += 1
                villager.update()
        taken = (process_time() - begun) / (updates // PARTS) / agents * 1e6
        gc.collect()
        blocks.append(sys.getallocatedblocks())
        print(f"part {part + 1}: {taken:.0f} µs of the processor per update, {blocks[-1]:,} blocks")
    print(dict(world.counts), dict(sum((v.done for v in world.villagers), Counter[str]())))
    print(f"longest wait {max(v.waiting() for v in world.villagers):.1f} seconds")
    return world, blocks


def check_reservations(world: World) -> None:
    """Raise unless what is held is what plans under way have reserved; then stop all agents."""
    counts = world.counts
    holding = Counter(world.holders.values())
    for villager in world.villagers:
        assert len(villager.agent.reservations) == holding[villager.name]
        villager.agent.stop()
    assert (world.holders, counts["given back"]) == ({}, counts["reserved"])
    assert counts["reserved"] > 0 < counts["refused"]


def check_lives(world: World, patience: float) -> None:
    """Raise if somebody stood still for long, or came to no alternative."""
    done = sum((villager.done for villager in world.villagers), Counter[str]())
    assert max(villager.waiting() for villager in world.villagers) < patience
    assert [what for what in world.counts if "from afar" in what] == []
    assert (done["PickLock"], done["Fly"]) == (0, 0)
    assert {"Eat", "Sell", "Stack", "CollectBranches", "KickDoor", "Hide"} <= done.keys()
    assert {f"Chop{number}" for number in range(len(TREES))} <= done.keys()


@pytest.mark.slow
def test_a_few_agents_in_a_changing_world_reach_their_alternatives() -> None:
    world, _ = run_world(10, 1_200)
    check_lives(world, patience=30.0)
    check_reservations(world)


@pytest.mark.slow
def test_agents_that_are_saved_and_restored_now_and_then_keep_going() -> None:
    world, _ = run_world(10, 1_200, restored=0.01)
    assert world.counts["restored"] > 50
    check_lives(world, patience=40.0)
    check_reservations(world)


@pytest.mark.long
def test_many_agents_run_for_long_without_using_more_and_more_memory() -> None:
    world, blocks = run_world(50, 10_000)
    assert blocks[-1] < 1.05 * blocks[1]
    check_lives(world, patience=60.0)
    for villager in world.villagers:
        assert {"Eat", "Sell", "Stack", "KickDoor", "Hide"} <= villager.done.keys()
    check_reservations(world)
