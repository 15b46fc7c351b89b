"""Hysteresis: what a condition remembers, so that it does not flicker at the edge.

A condition has a memory for each machine that asks it, and one for plain code. Its answer to a
machine is stored among the extras of that machine, which copies include: a function of a copy is
still the function of the original, and asks the original condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self, TypeGuard

from attrs import define, field


class _Identity:
    """The identity that a condition shares with its copies: the key to its answers."""

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


@define(eq=False, slots=False)
class Hysteresis:
    """The base of a condition that remembers its last answer. A snapshot saves it by its place.

    >>> from fsmkit import Fsm
    >>> class Hot(Hysteresis):
    ...     def __call__(self, state):
    ...         limit = 25.0 if self.holds_for(state.fsm) else 30.0
    ...         holds = state.context["degrees"] > limit
    ...         self.hold(state.fsm, holds=holds)
    ...         return holds
    >>> room = {"degrees": 31.0}
    >>> state = Fsm("Fan", room).add_state("Off")
    >>> hot = Hot()
    >>> hot(state)
    True
    >>> room["degrees"] = 26.0
    >>> hot(state), Hot()(state)
    (True, False)
    """

    ever_held_alone: ClassVar[bool] = False
    """True once a condition has held for plain code; before that tools need not look for one."""

    held: bool = field(default=False, init=False)
    """The last answer to plain code."""
    identity: _Identity = field(factory=_Identity, init=False)

    def holds_for(self, machine: Any) -> bool:
        """Return the last answer to a machine; None stands for plain code."""
        return self.held if machine is None else self.identity in machine._extras_

    def measured_for(self, state: Any) -> str:  # noqa: ARG002  # for subclasses
        """Return how near it was when `state` asked last, as `"5.2 of 4"`; empty if not known.

        Read by the inspector and `why`, which ask nothing for it.
        """
        return ""

    def hold(self, machine: Any, *, holds: bool) -> None:
        """Remember the last answer."""
        if machine is None:
            self.held = holds
            Hysteresis.ever_held_alone |= holds
        elif holds is not self.holds_for(machine):
            extras = {**machine._extras_, self.identity: self}
            if not holds:
                del extras[self.identity]
            machine._extras_ = extras


def is_condition(value: object) -> TypeGuard[Hysteresis]:
    """Return True for a condition that may remember its answers."""
    return issubclass(type(value), Hysteresis)  # a dead weak proxy has no `__class__`


def holding(machine: Any) -> list[Hysteresis]:
    """Return the conditions that held when the machine last asked them."""
    return [each for each in machine._extras_.values() if is_condition(each)]


@contextmanager
def leaving_no_trace(machine: Any) -> Iterator[None]:
    """Return a context manager in which a tool may ask conditions: answers are restored."""
    extras = machine._extras_
    try:
        yield
    finally:
        machine._extras_ = extras
