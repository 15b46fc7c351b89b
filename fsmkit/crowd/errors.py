"""The errors of crowds."""

from __future__ import annotations

from fsmkit import FsmError


class CrowdError(FsmError):
    """A crowd cannot be made, or not be used, in this way."""


class UnknownAgentError(CrowdError, IndexError):
    """An agent was named that the crowd does not have."""


class SubsetError(CrowdError):
    """A function of an action does something that cannot be compiled; says where and what."""


class CrowdMismatchError(CrowdError):
    """A saved crowd does not fit the machine it is to be loaded for."""
