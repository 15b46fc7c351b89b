"""The errors of crowds."""

from __future__ import annotations

from fsmkit import FsmError


class CrowdError(FsmError):
    """A crowd cannot be made or used in this way."""


class UnknownAgentError(CrowdError, IndexError):
    """The crowd has no such agent."""


class SubsetError(CrowdError):
    """A function of an action cannot be compiled; the message says where and why."""


class CrowdMismatchError(CrowdError):
    """A saved crowd does not fit the machine that it is loaded for."""
