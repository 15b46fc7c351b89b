"""Shards in processes: a killed one comes back, and nothing stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from attrs import field, frozen

from fsmkit.crowd.shards import ProcessShards, ShardedCrowd, ShardLostError
from fsmkit.crowd.shards.workers import ProcessWorkers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals")


@frozen
class Killed(ProcessShards):
    """Shards of which one is killed as soon as it was given a certain call."""

    at: tuple[int, ...] = ()
    workers: list[ProcessWorkers] = field(factory=list)

    def open(self) -> ProcessWorkers:
        self.workers.append(KilledWorkers(self.count, self.at))
        return self.workers[-1]


class KilledWorkers(ProcessWorkers):
    def __init__(self, count: int, at: tuple[int, ...]) -> None:
        super().__init__(count)
        self.at = list(at)

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        super().ask(shard, name, arguments)
        if name == "do" and arguments[0] in self.at and shard == arguments[0] % len(self._workers):
            self.at.remove(arguments[0])
            kill(self, shard)


def pids(workers: ProcessWorkers) -> list[int | None]:
    return [None if each is None else each.process.pid for each in workers._workers]


def kill(workers: ProcessWorkers, shard: int) -> None:
    pid = pids(workers)[shard]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def is_running(pid: int) -> bool:
    """Return True if there is such a process that does something."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False


def shared_memory() -> list[str]:
    """Return the shared memory of shards that this process has open: it has no name elsewhere."""
    links = [each.readlink() for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return [str(each) for each in links if "memfd:fsmkit" in str(each) or "/dev/shm" in str(each)]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.slow
def test_a_killed_process_comes_back_and_nothing_stays_behind(course: Any, tmp_path: Path) -> None:
    shards = Killed(2, share_cpus=True, at=(4, 9))
    course(21).compare(shards, calls=10, checkpoints=tmp_path, every=6)
    assert pids(shards.workers[0]) == [None, None]
    assert shared_memory() == []


@pytest.mark.slow
def test_columns_are_copies_and_ctrl_c_is_for_the_driver(course: Any) -> None:
    size, shards = 100_000, Killed(1)
    with course(1).sharded(shards, size) as crowd:
        [pid] = pids(shards.workers[0])
        assert pid is not None
        os.kill(pid, signal.SIGINT)  # as the terminal does it to all processes
        values = np.arange(size) * 0.5
        crowd.write("x", values)
        values[:] = 0.0  # the crowd has its own copy
        assert (
            crowd.read("x", slice(5, None, 20_000)).tolist()
            == (np.arange(5, size, 20_000) * 0.5).tolist()
        )
        column = crowd.read("x")
        column[:] = 0.0  # a copy, too
        assert crowd.read("x").sum() == np.arange(size).sum() * 0.5
        assert pids(shards.workers[0]) == [pid]


@pytest.mark.slow
def test_no_module_of_the_user_is_imported_by_a_script_without_a_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""\
            from pathlib import Path

            from attrs import define
            from fsmkit.crowd import CrowdAction, CrowdFsm
            from fsmkit.crowd.shards import ProcessShards, ShardedCrowd

            with Path("imported.txt").open("a") as file:
                file.write("once\\n")

            @define
            class Npc:
                x: float = 0.0

            def walk(npc, world):
                npc.x += world.dt

            machine = CrowdFsm("Npc", Npc)
            machine.add_state("Walk").add_action(CrowdAction(on_update=walk))
            crowd = ShardedCrowd(machine, 10, start="Walk", shards=ProcessShards(1))
            crowd.update(0.5, steps=3)
            print(crowd.read("x").sum())
        """)  # it is not closed, either
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert (run.stdout, run.stderr) == ("15.0\n", "")
    assert (tmp_path / "imported.txt").read_text() == "once\n"


KINDS = "update send start add remove write"
"""Those that are one call each."""

DRIVER = """\
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
from conftest import Course
from fsmkit.crowd.shards import ProcessShards

course = Course(int(sys.argv[3]), sys.argv[4], tuple(sys.argv[6].split()))
shards = ProcessShards(2, share_cpus=True)
crowd = course.sharded(shards, checkpoints=sys.argv[2], every=3)
for number in range(20):
    if number == int(sys.argv[5]):
        pids = [each.process.pid for each in crowd._driver.coordinator._workers._workers]
        print(json.dumps(pids), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    course.go(number, crowd)
"""


def lose_driver(folder: Path, seed: int, machine: str, call: int) -> list[int]:
    """Have the driver of a course kill itself before a call; return the pids of its shards."""
    here = str(Path(__file__).parent)
    run = subprocess.run(
        [sys.executable, "-c", DRIVER, here, str(folder), str(seed), machine, str(call), KINDS],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert run.returncode == -signal.SIGKILL, run.stderr
    ended: list[int] = json.loads(run.stdout)
    return ended


def check_resumed(course: Any, folder: Path, seed: int, machine: str, same: Any) -> None:
    """Compare what continues from the checkpoint with a course without interruption."""
    each = course(seed, machine, tuple(KINDS.split()))
    one = each.crowd()
    shards = ProcessShards(2, share_cpus=True)
    with ShardedCrowd.resume(each.built(), folder, shards=shards) as many:
        done = many.calls - 1  # the first one has started all agents
        assert done > 0
        for number in range(20):
            outcome = each.go(number, one)
            if number >= done:
                assert each.go(number, many) == outcome, number
        assert same(many, one)


@pytest.mark.slow
def test_a_killed_driver_leaves_no_process_behind_and_resumes(
    course: Any, tmp_path: Path, same: Any
) -> None:
    ended = lose_driver(tmp_path, 5, "plain", 11)
    end = monotonic() + 60
    while any(map(is_running, ended)) and monotonic() < end:
        sleep(0.05)
    assert not any(map(is_running, ended))
    check_resumed(course, tmp_path, 5, "plain", same)


@pytest.mark.long
def test_a_shard_that_does_not_answer_is_not_awaited_in_silence(course: Any) -> None:
    shards = Killed(1)
    crowd = course(1).sharded(shards, deadline=30.0)
    pid = pids(shards.workers[0])[0]
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    told = r"Shard 0 has not answered for 30 seconds\. There is no checkpoint\. Give checkpoints="
    with pytest.raises(ShardLostError, match=told) as caught:
        crowd.update(0.1)
    assert (caught.value.shard, caught.value.checkpoint) == (0, None)
    assert not is_running(pid)


def check_kills(course: Any, machine: str, calls: Iterable[int], folder: Path) -> None:
    """Kill a worker at each of these calls, one course for each."""
    for at in calls:
        shards = Killed(2, share_cpus=True, at=(at,))
        checkpoints = folder / f"{machine}-{at}"
        course(31, machine).compare(shards, calls=12, checkpoints=checkpoints, every=5)


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "first"), [("plain", 1), ("breeding", 3)])
def test_a_kill_at_any_call(course: Any, machine: str, first: int, tmp_path: Path) -> None:
    check_kills(course, machine, range(first, 24, 7), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("machine", ["plain", "breeding"])
def test_a_kill_at_every_call(course: Any, machine: str, tmp_path: Path) -> None:
    check_kills(course, machine, range(1, 24), tmp_path)


@pytest.mark.long
def test_a_killed_driver_at_any_call(course: Any, tmp_path: Path, same: Any) -> None:
    for call in range(4, 20, 5):
        folder = tmp_path / str(call)
        lose_driver(folder, 8, "breeding", call)
        check_resumed(course, folder, 8, "breeding", same)


@pytest.mark.long
def test_forty_kills_in_a_row(course: Any, tmp_path: Path, same: Any) -> None:
    seen: set[int | None] = set()
    files = open_files()
    shards = Killed(2, share_cpus=True)
    each = course(3)
    one = each.crowd()
    with each.sharded(shards, checkpoints=tmp_path, every=5) as many:
        workers = shards.workers[0]
        for number in range(40):
            seen.update(pids(workers))
            kill(workers, number % 2)
            assert each.go(number, many) == each.go(number, one)
        assert same(many, one)
    assert len(seen) >= 40
    assert not any(is_running(pid) for pid in seen if pid is not None)
    assert shared_memory() == []
    assert open_files() <= files + 2
    assert len(list(tmp_path.iterdir())) == 2
