"""The fields of actions: parameters, given as a value or a function, and what they remember.

A parameter given as a function may take nothing or the state. The validators here read that when
the action is made, and the field then holds a function that takes the state.

The type of a remembered field may say which values it allows: `Annotated[int, LowerBound(0)]` is an
`int` from 0 on. An edited snapshot may hold anything, so restoring it checks that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Protocol, TypeAlias

from attrs import Attribute, frozen
from typing_extensions import TypeVar

from fsmkit import FsmAction, FsmState
from fsmkit.space import is_registered
from fsmkit.timing import WithoutArguments

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True, default=object)

StateT_contra = TypeVar("StateT_contra", contravariant=True)
ContextT = TypeVar("ContextT", default=Any)
"""The context of the machine, known to a type checker inside lambdas."""
EventDataT = TypeVar("EventDataT", default=Any)
"""The data of an event, as an `Event` says it."""

# Types


class TakesNothing(Protocol[T_co]):
    """A function that takes nothing.

    Not written as a `Callable`: beside a second one mypy would lose the context inside lambdas.
    """

    def __call__(self) -> T_co: ...


Function: TypeAlias = Callable[[FsmState[ContextT]], object] | TakesNothing
"""A function that takes the state, or nothing."""


class TakesState(Protocol[StateT_contra]):
    """A function that takes the state, beside one that takes the data of an event as well."""

    def __call__(self, state: StateT_contra, /) -> object: ...


Handler: TypeAlias = (
    Callable[[FsmState[ContextT], EventDataT], object]
    | TakesState[FsmState[ContextT]]
    | TakesNothing
)
"""A function that takes the state and the data of an event, the state alone, or nothing.

mypy knows the context inside a lambda with two parameters, and rejects one with fewer: for mypy
write `lambda state, _: ...`, or a `def`. pyright knows the context in each of them.
"""


class TakesStateAndData(Protocol[StateT_contra]):
    """A function that takes the state and the data of an event, beside one that sees its name."""

    def __call__(self, state: StateT_contra, data: Any, /) -> object: ...


Listener: TypeAlias = (
    Callable[[FsmState[ContextT], str, Any], object]
    | TakesStateAndData[FsmState[ContextT]]
    | TakesState[FsmState[ContextT]]
    | TakesNothing
)
"""A function that takes the state, an event and its data, or what a `Handler` takes.

mypy knows the context inside a lambda with three parameters, as of a `Handler` with two.
"""

LogText: TypeAlias = str | Callable[[FsmState[ContextT]], object] | TakesNothing
"""A text, or a function that returns it, called when the text is needed."""

Param: TypeAlias = T | Callable[[], T] | Callable[[FsmState[Any]], T]
"""A value, or a function that takes nothing or the state and is called on enter."""


# Values


def is_computed(parameter: object) -> bool:
    """Whether a parameter is a function, and not a value that Python can call, as a struct of C."""
    return callable(parameter) and not is_registered(parameter)


def value_of(parameter: Param[T], action: FsmAction[Any]) -> T:
    """Return the current value of a parameter of `action` that `is_parameter` has validated.

    >>> from actions import TimedWait
    >>> wait = TimedWait(lambda: 3.0)
    >>> value_of(2.0, wait), value_of(wait.duration, wait)
    (2.0, 3.0)
    """
    given: Any = parameter
    if type(given) is WithoutArguments:
        return given.function()  # type: ignore[no-any-return]  # as in `answer_of`
    if not callable(given) or is_registered(given):
        return given  # type: ignore[no-any-return]  # of a type whose values Python could call
    return given(action._fsmkit_state)  # type: ignore[no-any-return]  # takes the state by now


def answer_of(function: Any, action: FsmAction[Any]) -> Any:
    """Return the answer of a function of `action` that `is_function` has validated."""
    if type(function) is WithoutArguments:
        return function.function()  # called itself, it would take 80 ns more
    return function(action._fsmkit_state)


def text_of(message: LogText[ContextT], action: FsmAction[ContextT]) -> str:
    """Return the current text of a message of `action` that `is_message` has validated."""
    return message if isinstance(message, str) else str(message(action.state))  # type: ignore[call-arg]  # takes the state by now


# Validators


def takes_state(**options: bool) -> Callable[[FsmAction[Any], Attribute[Any], Any], None]:
    """Return a validator that makes a function take the state, or raises TypeError if it cannot.

    The default of the field passes. `options` are those of `handed` in fsmkit.core: what else the
    function may take, and whether generator or async functions are allowed.
    """

    def validate(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
        if value is not field.default:
            name = field.alias or field.name
            _put(action, field.name, value, action._fsmkit_handed(name, value, **options))

    return validate


is_function: Final = takes_state()


def is_parameter(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """Validate a value, or a function that returns it."""
    if is_computed(value):
        is_function(action, field, value)


def is_message(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """Validate a text, or a function that returns it."""
    if not isinstance(value, str) and not callable(value):
        name = type(action).__name__
        raise TypeError(f"{name}: {field.alias} must be a text or a function, got {value!r}.")
    is_parameter(action, field, value)


def adapt_parameters(action: FsmAction[Any], *names: str) -> None:
    """Make those parameters that are functions take the state: for fields of subclasses."""
    for name in names:
        value = getattr(action, name)
        if is_computed(value):
            _put(action, name, value, action._fsmkit_handed(name, value))


def _put(action: FsmAction[Any], name: str, given: object, function: Callable[..., object]) -> None:
    """Replace the function given by the one that takes the state; not in a later assignment."""
    if function is given:
        return
    if getattr(action, name) is not given:
        raise TypeError(
            f"{type(action).__name__}: {name} must take the state if it is set later, "
            f"got {given!r}, which takes nothing. Make a new {type(action).__name__}."
        )
    object.__setattr__(action, name, function)


# What an action remembers


@frozen
class LowerBound:
    """Allows numbers from `least` on."""

    least: float

    def allows(self, action: object, value: Any) -> bool:  # noqa: ARG002  # any action
        """Whether an action may remember the value."""
        return bool(value >= self.least)

    def __str__(self) -> str:
        return f">= {self.least}"


@frozen
class OneOf:
    """Allows a few values: those possible while no callback is on the stack."""

    values: tuple[object, ...]

    def allows(self, action: object, value: object) -> bool:  # noqa: ARG002  # any action
        """Whether an action may remember the value."""
        return value in self.values

    def __str__(self) -> str:
        return f"({' or '.join(map(repr, self.values))})"


Seconds: TypeAlias = Annotated[float, LowerBound(0)]
Count: TypeAlias = Annotated[int, LowerBound(0)]
