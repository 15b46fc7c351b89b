"""Parameters given as a value, or as a function that is called when the value is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from typing_extensions import TypeVar

from fsmkit import FsmAction, FsmState
from fsmkit.space import is_registered

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True, default=object)

StateT_contra = TypeVar("StateT_contra", contravariant=True)
ContextT = TypeVar("ContextT", default=Any)
"""The context of the machine, known to a type checker inside lambdas."""


class TakesNothing(Protocol[T_co]):
    """A function that takes nothing.

    Not written as a `Callable`: beside a second one mypy would lose the context inside lambdas.
    """

    def __call__(self) -> T_co:
        """Call it."""
        ...


Function: TypeAlias = Callable[[FsmState[ContextT]], object] | TakesNothing
"""A function that takes the state, or nothing."""


class TakesState(Protocol[StateT_contra]):
    """A function that takes the state, beside one that takes the data of an event as well."""

    def __call__(self, state: StateT_contra, /) -> object:
        """Call it."""
        ...


Handler: TypeAlias = (
    Callable[[FsmState[ContextT], Any], object] | TakesState[FsmState[ContextT]] | TakesNothing
)
"""A function that takes the state and the data of an event, the state alone, or nothing.

mypy knows the context inside a lambda with two parameters; one with fewer it refuses, so for mypy
write `lambda state, _: ...`, or a `def`. pyright knows the context in each of them.
"""


class TakesStateAndData(Protocol[StateT_contra]):
    """A function that takes the state and the data of an event, beside one that sees its name."""

    def __call__(self, state: StateT_contra, data: Any, /) -> object:
        """Call it."""
        ...


Listener: TypeAlias = (
    Callable[[FsmState[ContextT], str, Any], object]
    | TakesStateAndData[FsmState[ContextT]]
    | TakesState[FsmState[ContextT]]
    | TakesNothing
)
"""A function that takes the state, an event and its data, or what a `Handler` takes.

mypy knows the context inside a lambda with three parameters, as of a `Handler` with two.
"""

Message: TypeAlias = str | Callable[[FsmState[ContextT]], object] | TakesNothing
"""A text, or a function that returns it, called when the text is needed."""

Param: TypeAlias = T | Callable[[], T] | Callable[[FsmState[Any]], T]
"""A value, or a function that takes nothing or the state and is called on enter."""


def is_computed(parameter: object) -> bool:
    """Whether a parameter is a function, and no value that Python could call, as a struct of C."""
    return callable(parameter) and not is_registered(parameter)


def value_of(parameter: Param[T], action: FsmAction[Any]) -> T:
    """Return the current value of a parameter of `action`, which `is_parameter` has passed.

    >>> from actions import TimedWait
    >>> wait = TimedWait(lambda: 3.0)
    >>> value_of(2.0, wait), value_of(wait.duration, wait)
    (2.0, 3.0)
    """
    if not callable(parameter) or is_registered(parameter):
        return parameter  # type: ignore[return-value]  # of a type whose values Python could call
    return parameter(action.state)  # type: ignore[call-arg]  # takes the state by now


def text_of(message: Message[ContextT], action: FsmAction[ContextT]) -> str:
    """Return the current text of a message of `action`, which `is_message` has passed."""
    return message if isinstance(message, str) else str(message(action.state))  # type: ignore[call-arg]  # takes the state by now
