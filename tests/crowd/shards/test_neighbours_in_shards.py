"""Agents in shards know of those near them as in one process, wherever these are."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from attrs import define, field, frozen

from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdError, CrowdFsm, Places, spawn
from fsmkit.crowd import random as draw
from fsmkit.crowd.shards import InProcessShards, ProcessShards, ShardedCrowd
from fsmkit.crowd.shards.workers import InProcessWorkers, Shards


@define
class Bird:
    x: float = 0.0
    y: float = 0.0
    v: float = 0.0
    tree: int = 0
    near: int = 0
    pull: float = 0.0
    ill_there: float = 0.0
    again: float = 0.0
    gap: float = 0.0
    ill_others: int = 0


def fly(bird: Any, world: Any) -> str | None:
    bird.x += bird.pull * world.dt + draw(bird) - 0.5
    bird.y += 0.125 * bird.near
    bird.v += bird.again
    return "ILL" if draw(bird) < bird.ill_there + 0.1 else None


def suffer(bird: Any, _world: Any) -> str | None:
    if draw(bird) < 0.2:
        spawn(bird, start="Well", x=bird.x, y=bird.y, tree=bird.tree)
    bird.y += min(bird.gap, 1.0) + bird.ill_others
    return "DEAD" if draw(bird) < 0.2 else None


def build(*, is_mortal: bool = True) -> CrowdFsm:
    machine = CrowdFsm("Bird", Bird)
    well, ill = machine.add_state("Well"), machine.add_state("Ill")
    dead = machine.add_state("Dead", retire=is_mortal)
    well.add_action(CrowdAction(on_update=fly))
    well.add_transition("ILL", ill)
    ill.add_action(CrowdAction(on_update=suffer))
    ill.add_transition("DEAD", dead)
    return machine


def settled(crowd: Any) -> Any:
    """A crowd whose birds have their places, and know of each other."""
    write: Callable[[str, Any], None] = (
        crowd.__setitem__ if isinstance(crowd, Crowd) else crowd.write
    )
    rng = Random(3)
    for name in ("x", "y"):
        write(name, [rng.uniform(0, 10) for _ in range(40)])
    write("tree", [rng.randrange(8) for _ in range(40)])
    crowd.send_event("ILL", where=[1, 17, 30])
    cells = Cells(crowd, "x", "y", size=2.0, around=(10.0, None))
    cells.count(into="near")
    cells.offset(into=("pull", "v"))
    cells.nearest(distance="gap", for_="Ill")
    trees = Places(crowd, "tree")
    trees.share("Ill", into="ill_there")
    trees.count(into="ill_others", where="Ill", for_=["Ill", "Dead"])
    Cells(crowd, "y", size=3.0).sum("ill_there", into="again")  # of what was just written
    return crowd


def content(crowd: Any) -> list[bytes]:
    names = ("x", "y", "v", "tree", "near", "pull", "ill_there", "again", "gap", "ill_others")
    if isinstance(crowd, Crowd):
        return [crowd[n].tobytes() for n in names] + [crowd.states.tobytes(), crowd.ids.tobytes()]
    return [crowd.read(name).tobytes() for name in names] + [
        crowd.states().tobytes(),
        crowd.ids().tobytes(),
    ]


@frozen
class Known(InProcessShards):
    """Shards that can be taken away."""

    workers: list[InProcessWorkers] = field(factory=list)

    def open(self) -> InProcessWorkers:
        self.workers.append(super().open())
        return self.workers[-1]


@pytest.mark.slow
@pytest.mark.parametrize("shards", [InProcessShards(1), InProcessShards(3), ProcessShards(2)])
def test_neighbours_are_those_of_one_process(shards: Shards) -> None:
    one = settled(Crowd(build(), 40, start="Well", seed=5))
    with ShardedCrowd(build(), 40, start="Well", seed=5, shards=shards) as created:
        many = settled(created)
        for _ in range(6):
            assert content(many) == content(one)
            one.update(0.25, steps=2)
            many.update(0.25, steps=2)
        one.remove([0, 5])
        many.remove([0, 5])
        one.update(0.25)
        many.update(0.25)
        assert content(many) == content(one)


@pytest.mark.slow
def test_a_lost_shard_comes_back_with_the_help_of_the_others(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.crowd.shards.coordinator.PAUSE", 0.0)
    shards = Known(3)
    one = settled(Crowd(build(), 40, start="Well", seed=5))
    with ShardedCrowd(
        build(), 40, start="Well", seed=5, shards=shards, checkpoints=tmp_path, every=8
    ) as created:
        many = settled(created)
        for number in range(8):
            shards.workers[0].lose(number % 3)
            many.update(0.25)
            one.update(0.25)
            shards.workers[0].lose((number + 1) % 3)
            assert content(many) == content(one)


@pytest.mark.slow
def test_what_was_declared_still_holds_after_a_resume(tmp_path: Any) -> None:
    one = settled(Crowd(build(), 40, start="Well", seed=5))
    with ShardedCrowd(
        build(), 40, start="Well", seed=5, shards=InProcessShards(3), checkpoints=tmp_path
    ) as many:
        settled(many).update(0.25, steps=3)
        many.checkpoint()
        declared = many.neighbours.declarations
    one.update(0.25, steps=3)
    with ShardedCrowd.resume(build(), tmp_path, shards=InProcessShards(3)) as again:
        assert again.neighbours.declarations == declared
        assert content(again) == content(one)
        one.update(0.25, steps=4)
        again.update(0.25, steps=4)
        assert content(again) == content(one)
        with pytest.raises(CrowdError, match="is written by"):
            Cells(again, "x", size=1.0).count(into="near")


@pytest.mark.slow
def test_a_value_that_is_not_finite_is_refused_by_all_shards() -> None:
    with ShardedCrowd(build(), 6, start="Well", shards=InProcessShards(2)) as crowd:
        Cells(crowd, "x", size=1.0).count(into="near")
        crowd.write("x", np.nan, [4])
        told = "'x' of agent 4: Cells('x', size=1.0) has it as a coordinate, so it must be finite"
        with pytest.raises(CrowdError, match=told.replace("(", r"\(").replace(")", r"\)")):
            crowd.update(0.1)
        assert (crowd.time, crowd.calls) == (0.0, 4)
        crowd.write("x", 0.0, [4])
        crowd.update(0.1)
        assert crowd.time == 0.1


@pytest.mark.slow
def test_what_is_written_already_is_refused() -> None:
    with ShardedCrowd(build(), 6, start="Well", shards=InProcessShards(2)) as crowd:
        cells = Cells(crowd, "x", size=1.0)
        cells.count(into="near")
        with pytest.raises(CrowdError, match="'near' is written by .* already"):
            Places(crowd, "tree").count(into="near")
        cells.close()
        Places(crowd, "tree").count(into="near")
        assert [each.name for each in crowd.neighbours.declarations] == ["Places('tree')"]
