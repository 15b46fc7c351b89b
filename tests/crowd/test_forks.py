"""A crowd with several threads in the child of a fork."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FORKS = """
import os
from queue_of_guests import build
from fsmkit.crowd import Crowd

crowd = Crowd(build(), 200_000, start="Waits", parallel=2)
for _ in range(3):
    crowd.update(0.5)
child = os.fork()
if child:
    os.waitpid(child, 0)
for _ in range(3):
    crowd.update(0.5)
print("parent" if child else "child", crowd.time, crowd.count(), flush=True)
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_it_has_threads_of_its_own_there_and_the_same_results() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKS],
        capture_output=True, text=True, timeout=120, check=False, cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.stderr == ""
    child, parent = done.stdout.splitlines()
    assert child.removeprefix("child") == parent.removeprefix("parent")
