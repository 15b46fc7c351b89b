"""A machine with all that may go wrong, and random courses that a crowd can be led through."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from attrs import define, field

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, Table, spawn
from fsmkit.crowd import random as draw
from fsmkit.crowd.shards import ShardedCrowd

FIELDS = ("x", "hp", "up")


@define
class Npc:
    x: float = 0.0
    hp: int = 10
    up: bool = False


@define
class World:
    push: float = 0.5
    heights: Table[float] = field(factory=Table)


def walk(npc: Any, world: Any, own: Any) -> str | None:
    own.walked += world.push * world.dt
    npc.x += own.walked + draw(npc)
    return "TIRED" if npc.x > 6.0 else None


def rest(npc: Any, _world: Any) -> str | None:
    npc.hp -= 1
    npc.x -= 3.0 / (npc.hp - 4)  # raises for some
    return "GO" if draw(npc) < 0.5 else None


def look(npc: Any, world: Any) -> None:
    npc.up = world.heights[0, 0] > 1.0


def breed(npc: Any, _world: Any) -> None:
    if draw(npc) < 0.3:
        spawn(npc, start="Rest", x=npc.x + 1.0, hp=6)
        spawn(npc, x=npc.x)


def wake(npc: Any, _world: Any) -> None:
    npc.up = 1.0 / (npc.hp - 6) > 0.0  # raises for some that are just born
    if draw(npc) < 0.3:
        spawn(npc, start="Walk", hp=npc.hp)


def end(npc: Any, _world: Any) -> str | None:
    return "OVER" if draw(npc) < 0.1 else None


def build(kind: str = "plain") -> CrowdFsm:
    """A machine whose agents stay; or are also "mortal"; or are born and die: "breeding"."""
    machine = CrowdFsm("Npc", Npc, World, max_transitions=5)
    walking, resting = machine.add_state("Walk"), machine.add_state("Rest")
    spinning, back = machine.add_state("Spin"), machine.add_state("Back")
    walking.add_action(CrowdAction(on_update=walk, memory={"walked": 0.0}))
    resting.add_action(CrowdAction(on_enter=look, on_update=rest))
    walking.add_transition("TIRED", resting)
    resting.add_transition("GO", walking)
    spinning.add_transition("FINISHED", back)  # without end
    back.add_transition("FINISHED", spinning)
    machine.add_global_transition("ALARM", resting)
    machine.add_global_transition("DIZZY", spinning)
    if kind != "plain":
        machine.add_state("Gone", retire=True)
        resting.add_action(CrowdAction(on_update=end))
        machine.add_global_transition("OVER", machine.states["Gone"])
    if kind == "breeding":
        walking.add_action(CrowdAction(on_update=breed))
        resting.add_action(CrowdAction(on_enter=wake))
    return machine


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call, or what it raises, in every word."""
    try:
        return call()
    except Exception as error:
        errors = error.exceptions if isinstance(error, ExceptionGroup) else [error]
        told = [(type(e), str(e), getattr(e, "__notes__", [])) for e in errors]
        return type(error), str(error), told


def content(crowd: Any) -> Any:
    """All that a crowd holds, in bytes."""
    is_local = isinstance(crowd, Crowd)
    columns = [crowd[name] if is_local else crowd.read(name) for name in FIELDS]
    columns += (
        [crowd.states, crowd.ids, crowd.time_in_state]
        if is_local
        else [crowd.states(), crowd.ids(), crowd.time_in_state()]
    )
    kinds = [column.dtype for column in columns]
    return [column.tobytes() for column in columns], kinds, crowd.time, len(crowd), crowd.count()


@define
class Course:
    """Random calls: those with the same number do the same to a `Crowd` and to a `ShardedCrowd`."""

    seed: int
    machine: str = "plain"
    kinds: tuple[str, ...] = (
        "update", "updates", "send", "start", "add",
        "remove", "write", "world", "promote", "chosen",
    )  # fmt: skip

    def built(self) -> CrowdFsm:
        return build(self.machine)

    def crowd(self, size: int = 60, **options: Any) -> Crowd:
        return Crowd(self.built(), size, start="Walk", seed=self.seed, **options)

    def sharded(self, shards: Any, size: int = 60, **options: Any) -> ShardedCrowd:
        return ShardedCrowd(
            self.built(), size, start="Walk", seed=self.seed, shards=shards, **options
        )

    def go(self, number: int, crowd: Any) -> Any:
        """Do the call with that number; return its outcome."""
        rng = Random(f"{self.seed}/{number}")
        kind = rng.choice(self.kinds)
        return kind, outcome(lambda: getattr(self, f"_{kind}")(rng, crowd))

    def compare(self, shards: Any, calls: int = 20, **options: Any) -> None:
        """Lead both through as many calls."""
        one = self.crowd()
        with self.sharded(shards, **options) as many:
            for number in range(calls):
                assert self.go(number, many) == self.go(number, one), (self.seed, number)
                assert content(many) == content(one), (self.seed, number)

    def _update(self, _rng: Random, crowd: Any) -> Any:
        return crowd.update(0.1)

    def _updates(self, rng: Random, crowd: Any) -> Any:
        return crowd.update(1 / 60, steps=rng.randrange(5))

    def _send(self, rng: Random, crowd: Any) -> Any:
        return crowd.send_event(rng.choice(["ALARM", "GO", "DIZZY"]), some(rng, crowd))

    def _start(self, rng: Random, crowd: Any) -> Any:
        return crowd.start(rng.choice([None, "Rest"]), some(rng, crowd))

    def _add(self, rng: Random, crowd: Any) -> Any:
        count = rng.randrange(4)
        start = rng.choice([None, "Rest"])
        return crowd.add(count, start=start, x=[rng.random() for _ in range(count)], hp=7)

    def _remove(self, rng: Random, crowd: Any) -> Any:
        return crowd.remove(some(rng, crowd, all_of_them=False))

    def _write(self, rng: Random, crowd: Any) -> Any:
        values = [rng.uniform(0, 8) for _ in range(len(crowd))]
        if isinstance(crowd, Crowd):
            crowd["x"] = values
        else:
            crowd.write("x", values)

    def _world(self, rng: Random, crowd: Any) -> Any:
        crowd.world.push = rng.random()
        crowd.world.heights = np.array([[rng.uniform(0, 2)]])

    def _promote(self, rng: Random, crowd: Any) -> Any:
        index = rng.randrange(-len(crowd), len(crowd)) if len(crowd) else 0
        fsm = crowd.fsm(index)
        if fsm.current_state is not None:
            outcome(lambda: fsm.update(0.1))
        crowd.put(index, fsm)

    def _chosen(self, rng: Random, crowd: Any) -> Any:
        limit = rng.uniform(0, 8)
        if isinstance(crowd, Crowd):
            return crowd.send_event("ALARM", (crowd["x"] < limit) & ~crowd.where("Rest"))
        where = crowd.is_where("x", "<", limit) & ~crowd.where("Rest")
        return crowd.send_event("ALARM", where)


def some(rng: Random, crowd: Any, *, all_of_them: bool = True) -> Any:
    """A mask, indices, nobody, or everybody."""
    size = len(crowd)
    mask = np.array([rng.random() < 0.2 for _ in range(size)], bool)
    indices = [rng.randrange(-size, size) for _ in range(3)] if size else []
    return rng.choice([mask, indices, [], *([None] if all_of_them else [])])


@pytest.fixture
def course() -> type[Course]:
    return Course


@pytest.fixture(name="outcome")
def _outcome() -> Callable[[Callable[[], Any]], Any]:
    return outcome


@pytest.fixture
def same() -> Callable[[Any, Any], bool]:
    return lambda many, one: bool(content(many) == content(one))
