"""Crowds on a card, in processes of their own: in one, numba simulates a card or it does not."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    find_spec("numba_cuda") is None, reason="numba-cuda is not installed (the extra cuda)"
)


def run(name: str, marks: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-m", marks]
    process = subprocess.run(
        [*command, str(Path(__file__).with_name(name))], check=False, capture_output=True,
        text=True, timeout=900, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
    )  # fmt: skip
    assert process.returncode == 0, process.stdout[-20_000:] + process.stderr[-2_000:]


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("crowds_on_a_card.py", "not slow and not long"),
        pytest.param("crowds_on_a_card.py", "slow and not long", marks=pytest.mark.slow),
        pytest.param("crowds_on_a_card.py", "long", marks=pytest.mark.long),
        pytest.param("any_machines_on_a_card.py", "slow", marks=pytest.mark.long),
    ],
)
def test_crowds_on_a_simulated_card(name: str, marks: str) -> None:
    run(name, marks)


def script(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = Path(__file__).with_name("on_a_card.py")
    return subprocess.run(
        [sys.executable, str(path), *options], check=False, capture_output=True, text=True,
        timeout=900, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.slow
def test_the_script_for_a_card_says_why_it_cannot_run_without_one() -> None:
    process = script(NUMBA_ENABLE_CUDASIM="0", CUDA_VISIBLE_DEVICES="")
    assert process.returncode == 2
    assert process.stderr.startswith('target="cuda" needs an NVIDIA card with its driver')


@pytest.mark.long
def test_the_script_for_a_card_compares_in_the_simulator() -> None:
    process = script("--simulate", "--agents", "12")
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stdout.count("| all bits are the same |") == 10
    assert process.stdout.endswith("All bits are the same.\n")
