"""Lets the tests import the recipes, and the stand-ins beside them."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parents[1] / "examples" / "anywhere_else")]
