"""Lets the tests of this folder import the random games."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
