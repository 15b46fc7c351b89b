"""raylib's tests each in a process of its own: its window and pyglet's bring each other down."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyray", reason="raylib is not installed (the extra raylib)")


@pytest.mark.parametrize(
    "name",
    [
        "raylib_in_a_window.py",
        pytest.param("raylib_overlay_in_a_window.py", marks=pytest.mark.slow),
        pytest.param("raylib_page_in_a_window.py", marks=pytest.mark.slow),
    ],
)
def test_in_a_process_of_its_own(name: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n0", str(Path(__file__).with_name(name))]
    run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2_000:]
    if " passed" not in run.stdout:
        pytest.skip(run.stdout.splitlines()[-1])
