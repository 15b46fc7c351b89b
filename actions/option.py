"""Option: one of the things that a `Selector` or a `Utility` may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeAlias

from attrs import Attribute, field, frozen

from actions.parts.parameters import ContextT, Function, TakesNothing, is_computed, is_function
from actions.parts.validators import is_instance
from fsmkit import FsmAction, FsmState
from fsmkit.timing import arguments

Score: TypeAlias = float | Callable[[FsmState[ContextT]], float] | TakesNothing[float]
"""A number, or a function that takes the state or nothing and returns one."""


def _is_score(option: Any, attribute: Attribute[Any], score: Any) -> None:
    """Raise TypeError or ValueError unless `score` is a finite number, a function or None."""
    if is_computed(score):
        is_function(option, attribute, score)
    elif score is not None:
        arguments.number(score, "Option: score", otherwise=", a function that returns one, or None")


@frozen(eq=False, repr=False, slots=False)
class Option(Generic[ContextT]):
    """An action with a condition for when it may run, or a score that says how useful it is now.

    `when` is a function that takes the state or nothing; an option without it may always run.
    `score`, for a `Utility`, is a finite number, or a function that returns one; `fsmkit.curves`
    has the usual shapes. The action becomes a child of the action that gets the option. Raises
    TypeError or ValueError for anything else.

    >>> from actions import TimedWait
    >>> Option(TimedWait(1.0), when=callable)
    Option(action=TimedWait(duration=1.0), when=callable)
    """

    action: FsmAction[ContextT] = field(validator=is_instance(FsmAction, "an FsmAction"))
    when: Function[ContextT] | None = field(default=None, kw_only=True, validator=is_function)
    score: Score[ContextT] | None = field(default=None, kw_only=True, validator=_is_score)

    _fsmkit_handed = FsmAction._fsmkit_handed
    __repr__ = FsmAction.__repr__
