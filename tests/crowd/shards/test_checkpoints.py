"""Checkpoints: what counts, what is kept, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define

from fsmkit.crowd import CrowdAction, CrowdError, CrowdFsm, CrowdMismatchError
from fsmkit.crowd.library import TimedWait
from fsmkit.crowd.shards import InProcessShards, ShardedCrowd, ShardMismatchError

TWO = InProcessShards(2)


@define
class Npc:
    x: float = 0.0


@define
class World:
    wind: float = 0.5
    round: int = 3


def blow(npc: Any, world: Any) -> None:
    npc.x += world.wind * world.dt


def calm(npc: Any, world: Any) -> None:
    npc.x -= world.wind * world.dt


def build(action: Any = blow, wait: float = 3.0, *, agent: type = Npc) -> CrowdFsm:
    machine = CrowdFsm("Npc", agent, World)
    rest = machine.add_state("Rest")
    rest.add_action(TimedWait(wait, "GO"))
    rest.add_action(CrowdAction(on_update=action))
    machine.add_global_transition("GO", rest)
    return machine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two checkpoints: after 3 and after 5 calls."""
    with ShardedCrowd(
        build(), 6, shards=TWO, start="Rest", seed=9, checkpoints=tmp_path, every=None
    ) as crowd:
        crowd.update(0.25)
        crowd.update(0.25)
        crowd.checkpoint()
        crowd.world.wind = 2.0
        crowd.update(0.5)
        crowd.add(1, x=8.0)
        crowd.checkpoint()
    return tmp_path


def checkpoints(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.mark.slow
def test_a_crowd_continues_where_it_was(folder: Path) -> None:
    with ShardedCrowd.resume(build(), folder, shards=TWO) as crowd:
        assert (crowd.time, crowd.calls, crowd.seed, len(crowd)) == (1.0, 5, 9, 7)
        assert crowd.world == World(wind=2.0, round=3)
        assert crowd.read("x").tolist() == [1.25] * 6 + [8.0]
        assert crowd.states().tolist() == [0] * 6 + [-1]
        assert crowd.add(1) == range(7, 8)
        assert crowd.ids().tolist() == list(range(8))


@pytest.mark.slow
def test_the_last_two_are_kept_and_taken_when_they_are_due(tmp_path: Path) -> None:
    with ShardedCrowd(build(), 6, shards=TWO, start="Rest", checkpoints=tmp_path, every=4) as crowd:
        for _ in range(18):
            crowd.update(0.25)
    names = [each.name[:21] for each in checkpoints(tmp_path)]
    assert names == ["checkpoint-0000000012", "checkpoint-0000000016"]
    files = {each.name for path in checkpoints(tmp_path) for each in path.iterdir()}
    assert files == {"manifest.json", "shard-0.npz", "shard-1.npz"}


@pytest.mark.slow
def test_one_that_was_cut_short_does_not_count(folder: Path) -> None:
    before, last = checkpoints(folder)
    (last / "manifest.json").unlink()
    told = re.escape(f"{str(last)!r} was cut short. The one before is taken, {str(before)!r}.")
    with pytest.warns(RuntimeWarning, match=told) as warned:
        crowd = ShardedCrowd.resume(build(), folder, shards=TWO)
    assert warned[0].filename == __file__
    assert (crowd.time, crowd.world.wind, len(crowd)) == (0.5, 0.5, 6)
    crowd.update(0.25)
    crowd.checkpoint()
    assert len(checkpoints(folder)) == 2  # and what was cut short is removed
    crowd.close()


@pytest.mark.parametrize("name", ["shard-0.npz", "shard-1.npz", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_the_one_before_is_taken_in_place_of_a_damaged_one(
    folder: Path, name: str, damage: str
) -> None:
    before, last = checkpoints(folder)
    content = bytearray((last / name).read_bytes())
    content[20] ^= 4
    (last / name).write_bytes(content if damage == "flipped" else content[:-9])
    if damage == "gone":
        (last / name).unlink()
    with pytest.warns(RuntimeWarning, match=re.escape(str(before))):
        crowd = ShardedCrowd.resume(build(), folder, shards=TWO)
    assert crowd.time == 0.5
    crowd.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"seed": 9', '"seed": 8'),
        ('"time": 1.0', '"time": 1.5'),
        ('"wind": 2.0', '"wind": 3.0'),
        ('"next_id": 7', '"next_id": 9'),
        ('"delta_time"', '"delta time"'),
        ('"dtype": "float64"', '"dtype": "float32"'),
        ('"agent"', '"agemt"'),
    ],
)
def test_a_manifest_with_another_number_or_word_is_damaged(
    folder: Path, old: str, new: str
) -> None:
    before, last = checkpoints(folder)
    manifest = (last / "manifest.json").read_text()
    assert old in manifest
    (last / "manifest.json").write_text(manifest.replace(old, new))
    told = f"{str(last)!r} is damaged: its manifest has changed. The one before is"
    with pytest.warns(RuntimeWarning, match=re.escape(told)):
        crowd = ShardedCrowd.resume(build(), folder, shards=TWO)
    assert crowd.time == 0.5
    crowd.close()
    for each in (before, last):
        (each / "manifest.json").write_text('{"format": "fsmkit crowd in shards", "version": 1}')
    with pytest.raises(CrowdError, match="is damaged: its manifest cannot be read"):
        ShardedCrowd.resume(build(), folder, shards=TWO)


def test_a_run_resumed_from_the_one_before_keeps_that_and_leaves_the_damaged_one(
    folder: Path,
) -> None:
    before, last = checkpoints(folder)
    (last / "shard-1.npz").write_bytes(b"")
    with pytest.warns(RuntimeWarning, match=re.escape(str(before))):
        crowd = ShardedCrowd.resume(build(), folder, shards=TWO)
    crowd.update(0.25)
    path = crowd.checkpoint()
    crowd.close()
    assert checkpoints(folder) == [before, path.parent]
    ShardedCrowd.resume(build(), folder, shards=TWO).close()  # and there is nothing to warn of


def test_without_a_good_one_there_is_nothing_to_resume(folder: Path, tmp_path: Path) -> None:
    for each in checkpoints(folder):
        (each / "shard-0.npz").unlink()
    with pytest.raises(CrowdError, match=r"must have a complete checkpoint\. .* is damaged: .*"):
        ShardedCrowd.resume(build(), folder, shards=TWO)
    with pytest.raises(CrowdError, match=r"must have a complete checkpoint\. There is none\."):
        ShardedCrowd.resume(build(), tmp_path / "empty", shards=TWO)


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: object, _columns: object) -> str:
        raise OSError(28, "No space left on device")

    with ShardedCrowd(build(), 6, shards=TWO, start="Rest", checkpoints=tmp_path, every=2) as crowd:
        crowd.update(0.25)
        crowd.update(0.25)
        with monkeypatch.context() as patch:
            patch.setattr("fsmkit.crowd.shards.shard.write_columns", fail)
            with pytest.raises(OSError, match="No space left") as caught:
                crowd.update(0.25)
            told = ["The call itself was done. The checkpoint before still counts."]
            assert caught.value.__notes__ == told
            crowd.world.wind = 0.0
            with pytest.raises(OSError, match="No space left"):
                crowd.checkpoint()
        assert crowd.time == 0.75
    assert [each.name[:21] for each in checkpoints(tmp_path)] == ["checkpoint-0000000002"]


def test_a_folder_with_the_checkpoints_of_another_run_is_not_overwritten(folder: Path) -> None:
    told = "has checkpoints of another run, .* Take another folder, or continue that run: "
    with pytest.raises(CrowdError, match=told):
        ShardedCrowd(build(), 6, shards=TWO, checkpoints=folder)


@define
class Other:
    x: float = 0.0
    y: float = 0.0


@pytest.mark.slow
def test_a_checkpoint_of_another_machine_is_refused(folder: Path) -> None:
    with pytest.raises(CrowdMismatchError, match="values of agents only in the machine: y"):
        ShardedCrowd.resume(build(agent=Other), folder, shards=TWO)
    for other in (build(calm), build(wait=4.0)):
        with pytest.raises(CrowdMismatchError, match="functions or their parameters differ"):
            ShardedCrowd.resume(other, folder, shards=TWO)
        with ShardedCrowd.resume(other, folder, shards=TWO, exact=False) as crowd:
            assert crowd.time == 1.0


def test_a_checkpoint_of_other_versions_is_refused(folder: Path) -> None:
    path = checkpoints(folder)[-1] / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"]["numba"] = "0.1"
    path.write_text(json.dumps(manifest))
    with pytest.raises(ShardMismatchError, match=r"was made with numba 0\.1, and here is .*numba"):
        ShardedCrowd.resume(build(), folder, shards=TWO)
    ShardedCrowd.resume(build(), folder, shards=TWO, exact=False).close()


def test_resuming_takes_as_many_shards(folder: Path) -> None:
    with pytest.raises(CrowdError, match=r"was made by 2 shards, got 3\. Take as many\."):
        ShardedCrowd.resume(build(), folder, shards=InProcessShards(3))


def test_columns_that_are_written_force_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.crowd.shards.coordinator.MOST_BYTES", 15_000)
    with ShardedCrowd(
        build(), 1000, shards=TWO, start="Rest", checkpoints=tmp_path, every=None
    ) as crowd:
        for number in range(3):
            assert len(list(tmp_path.iterdir())) == number // 2
            crowd.write("x", np.arange(1000) * 1.0)


def test_without_a_folder_there_is_no_checkpoint() -> None:
    with (
        ShardedCrowd(build(), 6, shards=TWO) as crowd,
        pytest.raises(CrowdError, match=r"There is no folder for checkpoints\. Give checkpoints="),
    ):
        crowd.checkpoint()
