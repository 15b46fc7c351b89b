"""Ray's and Dask's tests, each in a process of its own: their threads outlive a test."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from fsmkit.crowd import CrowdError
from fsmkit.crowd.shards import DaskShards, RayShards

PACKAGES = {"ray": "ray", "dask": "distributed"}


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param("not long", marks=pytest.mark.slow),
        pytest.param("long", marks=pytest.mark.long),
    ],
)
def test_all_claims_about_clusters(marks: str) -> None:
    """Run them at the same time: each waits most of it for processes to start or to end."""
    found = [name for name, package in PACKAGES.items() if importlib.util.find_spec(package)]
    if not found:
        pytest.skip("neither Ray nor Dask is installed (the extras ray and dask)")
    with ThreadPoolExecutor() as both:
        runs = [*both.map(partial(in_a_process_of_its_own, marks), found)]
    for run in runs:
        assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2_000:]


def in_a_process_of_its_own(marks: str, name: str) -> subprocess.CompletedProcess[str]:
    """Run those about Ray or about Dask, and with these marks."""
    file = Path(__file__).with_name("shards_on_clusters.py")
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-m", marks, "-k", name, str(file)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=1200)


# Mistakes that are noticed before anything is started


@pytest.mark.parametrize("kind", [RayShards, DaskShards])
@pytest.mark.parametrize("count", [0, -1, True])
def test_a_number_of_shards_is_at_least_one(kind: type, count: int) -> None:
    with pytest.raises(CrowdError) as caught:
        kind(count)
    assert str(caught.value) == f"The number of shards must be an integer >= 1, got {count!r}."


def test_what_says_where_the_shards_are_is_checked() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed (the extra dask)")
    with pytest.raises(CrowdError, match="'host:port' or 'auto', got 6379"):
        RayShards(2, address=6379)  # type: ignore[arg-type]
    with pytest.raises(CrowdError, match="given twice: 2 and 3"):
        DaskShards(2, 3)
    with pytest.raises(CrowdError, match=r"Say how many shards: DaskShards\('tcp://a:1', 4\)\."):
        DaskShards("tcp://a:1")
    assert DaskShards("tcp://a:1", 3).count == 3


@pytest.mark.parametrize(
    ("shards", "hidden", "message"),
    [
        (RayShards(1), "ray", "RayShards needs Ray: pip install 'fsmkit[ray]'."),
        (DaskShards(1), "distributed", "DaskShards needs Dask: pip install 'fsmkit[dask]'."),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    shards: RayShards | DaskShards, hidden: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in list(sys.modules):
        if module.startswith(("fsmkit.crowd.shards.ray_", "fsmkit.crowd.shards.dask_")):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, hidden, None)
    with pytest.raises(ImportError) as caught:
        shards.open()
    assert str(caught.value) == message
