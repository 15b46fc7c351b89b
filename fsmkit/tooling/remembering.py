"""Remembering: what tools ask of a condition that remembers its last answer."""

from __future__ import annotations

from typing import Any, Protocol

from fsmkit import Fsm


class Remembering(Protocol):
    """A condition that remembers its last answer; None stands for plain code."""

    def holds_for(self, machine: Fsm[Any] | None) -> bool:
        """Return the last answer to a machine."""
        ...

    def hold(self, machine: Fsm[Any] | None, *, holds: bool) -> None:
        """Make that the last answer."""
        ...


def is_condition(value: object) -> bool:
    """Return True for a condition that may remember its answers."""
    return hasattr(type(value), "holds_for")
