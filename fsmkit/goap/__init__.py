"""Goal-oriented action planning: which actions, in which order, bring about a goal."""

from fsmkit.goap.action import Conditions, Effects, Facts, GoapAction
from fsmkit.goap.agent import Explanation, GoapAgent
from fsmkit.goap.counts import add, at_least
from fsmkit.goap.dataset import DataSet, DataSetError, Extension, actions_of
from fsmkit.goap.goal import Goal
from fsmkit.goap.plan import Plan
from fsmkit.goap.planning import Planning, Strategy, plan
from fsmkit.goap.sensing import Sensed, Sensors
from fsmkit.goap.toml_files import load_datasets

__all__ = [
    "Conditions",
    "DataSet",
    "DataSetError",
    "Effects",
    "Explanation",
    "Extension",
    "Facts",
    "Goal",
    "GoapAction",
    "GoapAgent",
    "Plan",
    "Planning",
    "Sensed",
    "Sensors",
    "Strategy",
    "actions_of",
    "add",
    "at_least",
    "load_datasets",
    "plan",
]
