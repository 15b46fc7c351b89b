"""What holds on Ray and on Dask. `test_on_clusters.py` runs each in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any, TypeAlias

import psutil
import pytest
from attrs import define, field

from fsmkit.crowd import CrowdError
from fsmkit.crowd.errors import WorkerLostError
from fsmkit.crowd.shards import DaskShards, RayShards, ShardedCrowd
from fsmkit.crowd.shards.workers import Workers

HERE = Path(__file__).parent


class OnRay:
    """The cluster that the first crowd starts; an open one keeps it for all tests."""

    name = "ray"
    fresh = "RayShards(2, share_cpus=True)"
    lost = "The actor of shard"

    def __init__(self) -> None:
        self.keeper = RayShards(1, share_cpus=True).open()

    def shards(self, count: int) -> RayShards:
        return RayShards(count, share_cpus=True)

    def workers(self) -> list[psutil.Process]:
        return descendants("ray::ShardWorker")

    def close(self) -> None:
        self.keeper.close()


class OnDask:
    """A cluster of three workers, and a client of it."""

    name = "dask"
    fresh = "DaskShards(2, share_cpus=True)"
    lost = "The Dask worker tcp://127.0.0.1:"

    def __init__(self) -> None:
        from fsmkit.crowd.shards.dask_workers import DaskCluster

        self.cluster = DaskCluster.of(3)

    def shards(self, count: int) -> DaskShards:
        return DaskShards(self.cluster.client, count)

    def workers(self) -> list[psutil.Process]:
        holding = self.cluster.client.run(_shards_here)
        return [psutil.Process(pid) for pid, shards in holding.values() if shards]

    def close(self) -> None:
        self.cluster.close()


Cluster: TypeAlias = OnRay | OnDask


@pytest.fixture(scope="module", params=["ray", "dask"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster; nothing of it is left at the end."""
    kind = {"ray": OnRay, "dask": OnDask}[request.param]
    cluster = kind()
    yield cluster
    cluster.close()
    assert descendants("") == []


@define
class Killing:
    """Shards of which one is killed while it does one of these calls."""

    cluster: Cluster
    count: int
    calls: set[int]
    killed: list[int] = field(factory=list)

    def open(self) -> KillingWorkers:
        return KillingWorkers(self, self.cluster.shards(self.count).open())


@define
class KillingWorkers:
    shards: Killing
    inner: Workers

    def start(self, shard: int, seconds: float) -> None:
        self.inner.start(shard, seconds)

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        self.inner.ask(shard, name, arguments)
        if name == "do" and arguments[0] in self.shards.calls:
            self.shards.calls.remove(arguments[0])
            victim = self.shards.cluster.workers()[0]
            victim.kill()
            victim.wait(10)
            self.shards.killed.append(arguments[0])

    def collect(self, shard: int, seconds: float) -> Any:
        return self.inner.collect(shard, seconds)

    def close(self) -> None:
        self.inner.close()


def test_a_random_course_equals_one_process(cluster: Cluster, course: Any) -> None:
    course(1).compare(cluster.shards(2), calls=8)


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 3])
def test_random_courses_equal_one_process(cluster: Cluster, course: Any, count: int) -> None:
    for seed in range(4 * count, 4 * count + 4):
        course(seed).compare(cluster.shards(count))


@pytest.mark.slow
@pytest.mark.parametrize("is_saved", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_worker_that_is_killed_comes_back_and_repeats(
    cluster: Cluster, course: Any, tmp_path: Path, *, is_saved: bool
) -> None:
    shards = Killing(cluster, 2, {1, 3, 4, 8, 13})
    options = {"checkpoints": tmp_path / "run", "every": 3} if is_saved else {}
    course(4).compare(shards, calls=16, **options)
    assert shards.killed == [1, 3, 4, 8, 13]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cluster",
    [pytest.param("ray", marks=pytest.mark.long), "dask"],  # Ray takes a minute to give up
    indirect=True,
    scope="module",
)
def test_a_killed_driver_leaves_no_process_and_can_be_resumed(
    cluster: Cluster, course: Any, same: Callable[..., bool], tmp_path: Path
) -> None:
    drive = subprocess.run(
        [sys.executable, str(HERE / "killed_driver.py"), cluster.name, str(tmp_path / "run")],
        check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert drive.returncode == -signal.SIGKILL, drive.stderr
    assert still_there(drive.stdout.splitlines()) == []
    one = course(7)
    expected = one.crowd()
    for number in range(6):
        one.go(number, expected)
    shards = cluster.shards(2)
    with ShardedCrowd.resume(expected.machine, tmp_path / "run", shards=shards) as crowd:
        crowd.world.heights = expected.world.heights
        assert same(crowd, expected)
        for number in range(6, 12):
            assert one.go(number, crowd) == one.go(number, expected)
            assert same(crowd, expected)


@pytest.mark.long
def test_a_worker_that_hangs_is_not_awaited_in_silence_and_can_be_replaced(
    cluster: Cluster,
) -> None:
    workers = cluster.shards(2).open()
    hosts = both(workers, [0, 1])
    stopped = cluster.workers()[0]
    stopped.suspend()
    for shard in (0, 1):
        workers.ask(shard, "describe", ())
    hung = [shard for shard in (0, 1) if not has_answered(workers, shard)]
    assert len(hung) == 1
    assert both(workers, hung) == hosts[:1]
    workers.close()
    with suppress(psutil.NoSuchProcess):  # Ray may have ended it by now
        stopped.kill()


@pytest.mark.slow
def test_a_client_of_the_user_on_dask_stays_open(course: Any) -> None:
    from distributed import Client

    with Client(processes=False, n_workers=1, dashboard_address="127.0.0.1:0") as client:
        assert DaskShards(client).count == 1
        course(6).compare(DaskShards(client), calls=3)
        assert client.status == "running"
        with pytest.raises(CrowdError) as caught:
            DaskShards(client, 2).open()
        assert str(caught.value) == (
            "2 shards, 1 free CPUs on the Dask cluster. Take fewer, start more workers, or let "
            "them share: share_cpus=True."
        )
        course(6).compare(DaskShards(client, 2, share_cpus=True), calls=3)
    with pytest.raises(CrowdError, match="must be synchronous and open, it is closed"):
        DaskShards(client)


@pytest.mark.slow
def test_more_shards_than_free_processors_on_ray_are_refused(cluster: Cluster) -> None:
    if cluster.name == "dask":
        pytest.skip("a cluster of Dask has workers, not processors")
    import ray

    free = int(ray.available_resources()["CPU"])
    with pytest.raises(CrowdError, match=f"^{free + 1} shards, {free} free CPUs on the Ray"):
        RayShards(free + 1).open()
    with pytest.raises(CrowdError, match="has crowds on the Ray cluster of its own"):
        RayShards(1, address="127.0.0.1:6379").open()


@pytest.mark.slow
def test_a_lost_worker_is_named(cluster: Cluster) -> None:
    workers = cluster.shards(1).open()
    both(workers, [0])
    for process in cluster.workers():
        process.kill()
        process.wait(10)
    with pytest.raises(WorkerLostError, match=cluster.lost):
        collected(workers, 0)
    both(workers, [0])
    workers.close()


@pytest.mark.slow
def test_a_script_without_a_guard_runs_once_and_in_the_driver_only(
    cluster: Cluster, tmp_path: Path
) -> None:
    assert output_of(cluster, tmp_path) == "{'Walk': 0, 'Sit': 10}\n"
    assert len((tmp_path / "imported").read_text().split()) == 1


@pytest.mark.slow
def test_a_worker_with_another_version_is_refused_by_name(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "from importlib import metadata\n"
        "known = metadata.version\n"
        "metadata.version = lambda name: '0.0.1' if name == 'fsmkit' else known(name)\n",
        "utf-8",
    )
    told = output_of(cluster, tmp_path, f"sys.path.insert(0, {str(tmp_path)!r})")
    assert re.fullmatch(
        r"ShardMismatchError: All workers must have fsmkit \S+, as the driver on '\S+' has; the "
        r"worker on '\S+' has 0\.0\.1\. Install the same\.\n",
        told,
    )


@pytest.mark.slow
def test_a_worker_with_other_arithmetic_is_refused_by_name(
    cluster: Cluster, tmp_path: Path
) -> None:
    tunables = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable"
    if sines() == sines(GLIBC_TUNABLES=tunables):
        pytest.skip("the C library of this computer knows no other arithmetic")
    told = output_of(cluster, tmp_path, f"os.environ['GLIBC_TUNABLES'] = {tunables!r}")
    assert re.match(
        r"ShardMismatchError: The machine calls math\.sin, and the worker on '\S+' gives other "
        r"results than the driver on '\S+'",
        told,
    )


def sines(**environment: str) -> str:
    """Sines as a process with such an environment computes them."""
    code = "import math; print([math.sin(x / 7.0).hex() for x in range(100_000)])"
    return subprocess.run(
        [sys.executable, "-c", code],
        check=True, capture_output=True, text=True, env={**os.environ, **environment},
    ).stdout  # fmt: skip


def output_of(cluster: Cluster, folder: Path, before: str = "") -> str:
    """What a script without a guard prints, which starts a cluster of its own."""
    script = folder / "town.py"
    script.write_text(SCRIPT.format(shards=cluster.fresh, before=before), "utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


SCRIPT = """
import math, os, sys
from attrs import define
from fsmkit.crowd import CrowdAction, CrowdFsm
from fsmkit.crowd import CrowdError
from fsmkit.crowd.shards import DaskShards, RayShards, ShardedCrowd, ShardMismatchError

with open(os.path.join(os.path.dirname(__file__), "imported"), "a") as file:
    print(os.getpid(), file=file)

@define
class Npc:
    x: float = 0.0

def walk(npc, world):
    npc.x += 1.0 + 0.0 * math.sin(npc.x)
    return "TIRED" if npc.x > 2.0 else None

machine = CrowdFsm("Npc", Npc)
walking, sitting = machine.add_state("Walk"), machine.add_state("Sit")
walking.add_action(CrowdAction(on_update=walk))
walking.add_transition("TIRED", sitting)
{before}
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
try:
    with ShardedCrowd(machine, 10, shards={shards}, start="Walk") as crowd:
        crowd.update(0.1, steps=4)
        print(crowd.count())
except ShardMismatchError as error:
    print(f"ShardMismatchError: {{error}}")
"""


def collected(workers: Workers, shard: int) -> Any:
    """The answer to a question, which may be refused when it is asked already."""
    workers.ask(shard, "look", ("count", ()))
    return workers.collect(shard, 60.0)


def has_answered(workers: Workers, shard: int) -> bool:
    try:
        workers.collect(shard, 5.0)
    except TimeoutError:
        return False
    return True


def both(workers: Workers, shards: list[int]) -> list[str]:
    """Start workers, as often as they are lost before they answer; return their hosts."""
    return [host_of(workers, shard) for shard in shards]


def host_of(workers: Workers, shard: int) -> str:
    for _ in range(100):
        try:
            workers.start(shard, 60.0)
            workers.ask(shard, "describe", ())
            return workers.collect(shard, 60.0).value.host
        except WorkerLostError:
            sleep(0.1)  # as a crowd does
    raise AssertionError("no worker stays")


def _shards_here(dask_worker: Any) -> tuple[int, int]:
    return os.getpid(), len(dask_worker.state.actors)


def still_there(told: list[str], seconds: float = 180.0) -> list[str]:
    """The processes, given by their ids and the times of their starts, that do not end.

    Ray's own agents need a minute to notice that their cluster is gone.
    """
    assert told
    processes = []
    for each in told:
        pid, begun, name = each.split(maxsplit=2)
        try:
            processes.append((psutil.Process(int(pid)), float(begun), name))
        except psutil.NoSuchProcess:
            continue
    same = [each for each, begun, _ in processes if each.create_time() == begun]
    _, alive = psutil.wait_procs(same, timeout=seconds)
    return [f"{each.pid} {each.status()} {each.cmdline()}" for each in alive]


def descendants(name: str) -> list[psutil.Process]:
    """The processes that this one has started, and those that they have, with such a name."""
    found = []
    for each in psutil.Process(os.getpid()).children(recursive=True):
        try:
            if name in " ".join(each.cmdline()) and each.status() != psutil.STATUS_ZOMBIE:
                found.append(each)
        except psutil.NoSuchProcess:
            continue
    return found
