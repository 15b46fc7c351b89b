"""Garbage collections at every allocation, whose finalizers call back into the machine."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STRESS = Path(__file__).with_name("gc_stress.py")

TESTED = ("walk", "events", "finished", "failing", "suspension", "reentry", "time", "observers")
"""The tests of the core that run while memory is checked."""

COLLECT_ALWAYS = """
import gc
import actions, fsmkit  # these, before the test files bring those of the checkout
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call():
    gc.collect()
    gc.freeze()
    gc.set_threshold(1)
    yield
    gc.set_threshold(700)
"""

pytestmark = pytest.mark.slow


def run(
    *arguments: str | Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )


@pytest.mark.parametrize("environment", [{}, {"FSMKIT_PURE": "1"}], ids=["kernel", "pure"])
def test_finalizers_may_act_on_the_machine_that_is_at_work(environment: dict[str, str]) -> None:
    done = run(STRESS, "200", environment=environment)
    assert (done.stdout, done.returncode) == ("survived\n", 0), done.stderr


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment in which a kernel runs whose reads and writes are all checked."""
    place = tmp_path_factory.mktemp("checked")
    compiler = shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("AddressSanitizer is used with gcc on Linux")
    library = subprocess.check_output([compiler, "-print-file-name=libasan.so"], text=True).strip()
    if not Path(library).is_absolute():
        pytest.skip("gcc has no AddressSanitizer here")
    if importlib.util.find_spec("fsmkit.core._kernel") is None:
        pytest.skip("the kernel is not built for this Python")
    for package in ("fsmkit", "actions"):
        shutil.copytree(ROOT / package, place / package, ignore=shutil.ignore_patterns("*.so"))
    core = place / "fsmkit/core"
    subprocess.run(
        [
            compiler, "-O1", "-g", "-shared", "-fPIC", "-fsanitize=address",
            f"-I{sysconfig.get_path('include')}", core / "_kernel.c",
            "-o", core / f"_kernel{sysconfig.get_config_var('EXT_SUFFIX')}",
        ],
        check=True,
    )  # fmt: skip
    (place / "collect_always.py").write_text(COLLECT_ALWAYS, encoding="utf-8")
    environment = {
        "LD_PRELOAD": library,
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": str(place),
    }
    (place / "whose.py").write_text("import fsmkit; print(fsmkit.__file__)", encoding="utf-8")
    whose = run(place / "whose.py", environment=environment)
    assert whose.stdout.strip() == str(place / "fsmkit/__init__.py"), whose.stderr
    return environment


def test_the_kernel_uses_no_freed_memory_when_finalizers_call_it(
    checked: Mapping[str, str],
) -> None:
    done = run(STRESS, "100", environment=checked)
    assert (done.stdout, done.returncode) == ("survived\n", 0), done.stderr


def test_the_kernel_uses_no_freed_memory_in_the_tests_of_the_core(
    checked: Mapping[str, str],
) -> None:
    files = [STRESS.with_name(f"test_{name}.py") for name in TESTED]
    done = run(
        *("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "collect_always"),
        *files,
        environment=checked,
    )
    assert done.returncode == 0, done.stdout + done.stderr
