"""Lets the tests here import the modules beside them, as the benchmark command does."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
