"""Condition: the base of questions about the world that may be asked wherever a function may."""

from __future__ import annotations

from typing import Any, Never

from attrs import define

from actions.parts.parameters import is_computed
from actions.parts.validators import checked_amount
from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.space import Hysteresis, components


class HasTarget:
    """Something about a target, which a subclass declares among its own parameters."""

    target: Any
    range: float
    until: float | None


@define(eq=False, repr=False, slots=False)
class Condition(Hysteresis, HasTarget):
    """A question about a thing and a target, answered with True or False.

    It is called with the state or, in plain code, with nothing. With `until` it remembers its last
    answer: each machine that asks has its own, and so has plain code. A subclass overrides
    `answer`, and declares the target, its range and `until` among its own parameters.
    """

    _fsmkit_handed = FsmAction._fsmkit_handed

    def __attrs_post_init__(self) -> None:
        who = type(self).__name__
        checked_amount(self.range, f"{who}: range", "units")
        if self.until is None:
            return
        checked_amount(self.until, f"{who}: until", "units")
        if self.until < self.range:
            raise ValueError(
                f"{who}: until must be at least the range of {self.range!r}, got {self.until!r}. "
                "It holds from the range on until the distance exceeds `until`."
            )

    def __call__(self, *state: FsmState[Any]) -> bool:
        """Return True if it holds."""
        if state and not (len(state) == 1 and isinstance(state[0], FsmState)):
            raise TypeError(
                f"{self!r} must be asked with the state or with nothing, got "
                f"{', '.join(map(repr, state))}. What it compares is given when it is made."
            )
        asker: Any = state[0] if state else _Nobody(self)
        machine = asker.fsm if state else None
        held = self.holds_for(machine)
        reach = self.until if held and self.until is not None else self.range
        holds = bool(self.answer(asker, reach, held=held))  # numbers of NumPy answer otherwise
        self.hold(machine, holds=holds)
        return holds

    def answer(self, asker: FsmState[Any], reach: float, *, held: bool) -> bool:
        """Return True if it holds for a target up to `reach` units away; `held`: it did before."""
        raise NotImplementedError

    def hold(self, machine: Fsm[Any] | None, *, holds: bool) -> None:
        """Make that the last answer, if it is to be remembered: without `until` nothing is."""
        if self.until is not None:
            super().hold(machine, holds=holds)

    @property
    def _fsmkit_title(self) -> str:
        """What it is called in pictures and messages."""
        until = "" if self.until is None else f", until={float(self.until):g}"
        return f"{type(self).__name__}({_title_of(self.target)}, {float(self.range):g}{until})"

    def __repr__(self) -> str:
        return self._fsmkit_title


class _Nobody:
    """In the place of the state, where a condition is asked without one."""

    def __init__(self, condition: Condition) -> None:
        self._condition = condition

    def __getattr__(self, name: str) -> Never:
        raise TypeError(
            f"{self._condition!r} was asked without a state, and one of its functions needs the "
            f"{name} of the state. Hand the state on, as in sees(state), or give it functions that "
            "take nothing."
        )


def found_by(thing: Any, asker: FsmState[Any]) -> Any:
    """Return a thing, or what a function returns now."""
    return thing(asker) if is_computed(thing) else thing


def _title_of(thing: Any) -> str:
    if is_computed(thing):
        return FsmAction._fsmkit_described(thing, thing)
    try:
        return f"({', '.join(f'{number:g}' for number in components(thing))})"
    except TypeError:
        return type(thing).__name__
