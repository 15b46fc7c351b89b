"""Goal-oriented action planning: a search for the actions that bring about a goal."""

from fsmkit.goap.agent import Explanation, GoapAgent
from fsmkit.goap.datasets import DataSet, DataSetError, Extension, actions_of, load_datasets
from fsmkit.goap.domain import Goal, GoapAction
from fsmkit.goap.facts import Conditions, Effects, Facts, add, at_least
from fsmkit.goap.planning import Plan, Planning, Strategy, plan
from fsmkit.goap.sensing import Sensed, Sensors

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
