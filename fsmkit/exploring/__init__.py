"""Exploring: a walk through all that a machine can come to.

`explore` runs the real machine, with every input and through all its time, and reports what goes
wrong, each time with the shortest script that leads there. The page "Exploring" of the
documentation tells what is walked and what is not.
"""

from fsmkit.exploring.exploration import Coverage, Exploration, explore
from fsmkit.exploring.finding import CODES, ExploredFinding
from fsmkit.exploring.paths import Paths, paths

__all__ = ["CODES", "Coverage", "Exploration", "ExploredFinding", "Paths", "explore", "paths"]
