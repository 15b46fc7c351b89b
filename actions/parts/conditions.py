"""`Condition`, a question about the world that serves as a function, and `Polling` of such."""

from __future__ import annotations

from math import inf
from typing import Any, Never

from attrs import field
from attrs.validators import optional

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import ContextT, Function, is_computed, is_function
from actions.parts.validators import checked_amount, is_amount, is_flag, is_space
from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.space import Hysteresis, Space, components
from fsmkit.timing import WithoutArguments


@define_action
class Polling(FsmAction[ContextT]):
    """Check something on enter, then finish.

    With `every_update` it does not finish but checks again in every update; in the `background` it
    does not hold the state's `FINISHED` back either. A subclass overrides `on_update`: "check, and
    act on the result".
    """

    every_update: bool = field(default=False, kw_only=True, validator=is_flag)
    background: bool = field(default=False, kw_only=True, validator=is_flag)

    @property
    def finishes(self) -> Finishes | None:
        return "never" if self.every_update else "at once"

    def on_enter(self) -> None:
        self.on_update()
        if not self.every_update:
            self.finish()


@define_action
class Waiting(FsmAction[ContextT]):
    """Wait until `predicate` is true, on enter or in any update. A subclass overrides `go_on`."""

    predicate: Function[ContextT] = field(validator=is_function)

    @property
    def waits_for(self) -> str:
        return f"until {asked_by(self, self.predicate)}"

    @property
    def _answer_(self) -> str:
        return answered(self, self.predicate, holds=self.finished)

    def go_on(self) -> None:
        """Act on it."""
        raise NotImplementedError

    def on_enter(self) -> None:
        self.on_update()

    def on_update(self) -> None:
        ask: Any = self.predicate  # as `answer_of`, which takes a third of such an update
        if ask.function() if type(ask) is WithoutArguments else ask(self._fsmkit_state):
            self.go_on()


class HasTarget:
    """A condition about a target, which a subclass declares among its own parameters."""

    target: Any
    range: float


@define_action
class Condition(Hysteresis, HasTarget):
    """A question about a thing and a target, answered with True or False.

    It is called with the state or, in plain code, with nothing. With `until` it remembers its last
    answer, separately for each machine that asks and for plain code. A subclass overrides `answer`,
    and declares the target, its range and `until` among its own parameters.
    """

    until: float | None = field(
        default=None,
        kw_only=True,
        validator=optional(is_amount("units", computed=False)),
    )
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    asker: int = field(default=0, init=False)
    """The `id` of what asked last if the things depend on it: itself, it would be kept alive."""
    measured: float | None = field(default=None, init=False)
    """The distance when it was asked last; inf if one of the things was missing."""

    _fsmkit_handed = FsmAction._fsmkit_handed

    def __attrs_post_init__(self) -> None:
        who = type(self).__name__
        checked_amount(self.range, f"{who}: range", "units")
        if self.until is not None and self.until < self.range:
            raise ValueError(
                f"{who}: until must be at least the range of {self.range!r}, got {self.until!r}. "
                "It holds from the range on until the distance exceeds `until`."
            )

    def __call__(self, *state: FsmState[Any]) -> bool:
        if state and not (len(state) == 1 and isinstance(state[0], FsmState)):
            raise TypeError(
                f"{self!r} must be called with the state or with nothing, got "
                f"{', '.join(map(repr, state))}. The things it compares are given when it is made."
            )
        asker: Any = state[0] if state else _NoState(self)
        if self.until is None:  # comparing NumPy numbers gives a numpy.bool
            return bool(self.answer(asker, self.range, held=False))
        machine = asker.fsm if state else None
        held = self.holds_for(machine)
        holds = bool(self.answer(asker, self.until if held else self.range, held=held))
        self.hold(machine, holds=holds)
        return holds

    def answer(self, asker: FsmState[Any], reach: float, *, held: bool) -> bool:
        """Return True if it holds for a target up to `reach` units away; `held`: it did before.

        Sets `measured`, and `asker` if the things depend on it.
        """
        raise NotImplementedError

    def measured_for(self, state: FsmState[Any]) -> str:
        """Return the distance and the limit that counts next; empty if it is that of another."""
        if self.measured is None or self.asker not in (0, id(state)):
            return ""
        if self.measured == inf:
            return "nothing there"
        limit = self.range
        if self.until is not None and self.holds_for(state.fsm):
            limit = self.until
        return f"{self.measured:.4g} of {float(limit):g}"

    def hold(self, machine: Fsm[Any] | None, *, holds: bool) -> None:
        """Remember the last answer; without `until` nothing is remembered."""
        if self.until is not None:
            super().hold(machine, holds=holds)

    @property
    def _fsmkit_title(self) -> str:
        until = "" if self.until is None else f", until={float(self.until):g}"
        return f"{type(self).__name__}({_title_of(self.target)}, {float(self.range):g}{until})"

    def __repr__(self) -> str:
        return self._fsmkit_title


def asked_by(action: FsmAction[Any], function: Any) -> str:
    """Return the title of a function that `action` asks, and how near it was: `near: 5.2 of 4`."""
    title = action._fsmkit_described(function)
    measured = function.measured_for(action.state) if isinstance(function, Condition) else ""
    return f"{title}: {measured}" if measured else title


def answered(action: FsmAction[Any], function: Any, *, holds: bool) -> str:
    """Return what a function answered to `action`, in words."""
    return f"{'yes' if holds else 'no'}, {asked_by(action, function)}"


class _NoState:
    """Stands in for the state when a condition is called without one."""

    def __init__(self, condition: Condition) -> None:
        self._condition = condition

    def __getattr__(self, name: str) -> Never:
        raise TypeError(
            f"{self._condition!r} was called without a state, and one of its functions needs the "
            f"{name} of the state. Pass the state, as in sees(state), or give it functions that "
            "take nothing."
        )


def found_by(thing: Any, asker: FsmState[Any]) -> Any:
    """Return a thing, or the current result of a function."""
    return thing(asker) if is_computed(thing) else thing


def _title_of(thing: Any) -> str:
    if is_computed(thing):
        return FsmAction._fsmkit_described(thing, thing)
    try:
        return f"({', '.join(f'{number:g}' for number in components(thing))})"
    except TypeError:
        return type(thing).__name__
