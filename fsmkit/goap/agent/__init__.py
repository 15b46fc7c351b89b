"""The agent: a machine that plans and carries out what it has planned."""

from fsmkit.goap.agent.explanation import Explanation
from fsmkit.goap.agent.goap_agent import GoapAgent

__all__ = ["Explanation", "GoapAgent"]
