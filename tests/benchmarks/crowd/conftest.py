"""Lets the tests here import the modules in this folder, as the benchmark command does."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

# No tests in these, and their libraries need not be there.
collect_ignore_glob = [
    "*_model.py", "*_frame.py", "*_flock.py", "numba_*.py", "floor.py", "fsmkit_crowd.py",
    "neighbours.py",
]  # fmt: skip
