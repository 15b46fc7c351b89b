"""A crowd: one machine, a million agents, compiled. Needs `pip install 'fsmkit[crowd]'`."""

from fsmkit.crowd.action import CrowdAction
from fsmkit.crowd.crowd import Crowd
from fsmkit.crowd.errors import CrowdError, CrowdMismatchError, SubsetError, UnknownAgentError
from fsmkit.crowd.guard import CrowdGuard
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.neighbours.neighbourhood import Cells, Places
from fsmkit.crowd.randomness import exponential, normal, random, uniform
from fsmkit.crowd.spawning import spawn
from fsmkit.crowd.table import Table

__all__ = [
    "Cells",
    "Crowd",
    "CrowdAction",
    "CrowdError",
    "CrowdFsm",
    "CrowdGuard",
    "CrowdMismatchError",
    "Places",
    "SubsetError",
    "Table",
    "UnknownAgentError",
    "exponential",
    "normal",
    "random",
    "spawn",
    "uniform",
]
