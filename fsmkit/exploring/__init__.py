"""Exploring: a walk through every reachable moment of a machine.

`explore` runs the real machine with every input and through all its time, and reports what goes
wrong, each time with the shortest script that leads there. The page "Exploring" of the
documentation describes what is explored and what is not.
"""

from fsmkit.exploring.exploration import Coverage, Exploration, Paths, explore, paths
from fsmkit.exploring.findings import CODES, ExploredFinding

__all__ = ["CODES", "Coverage", "Exploration", "ExploredFinding", "Paths", "explore", "paths"]
