"""Lets the tests here import the modules in this folder, as the benchmark command does."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1])]
