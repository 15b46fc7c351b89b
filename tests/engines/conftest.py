"""Lets the tests of the engines import what lies beside them: the laws, and the journal."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
