"""Functions that a user hands over: what they take, and what they are called in a picture.

Rule 24: such a function takes nothing, the state, or the state and the event's data where there is
an event. One that is called for any event may ask for the event as well. `handed` reads that once,
from the required positional parameters, and returns something that can always be called with all of
them: mostly the function itself.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from functools import lru_cache, partial
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAMBDA: Final = "<lambda>"

_OFFERED: Final = (
    "nothing",
    "nothing or the state",
    "nothing, the state, or the state and the event's data",
    "nothing, the state, the state and the event's data, or the state, the event and its data",
)
"""What a function may take, by how much is offered to it."""


def handed(
    function: Callable[..., Any],
    what: str,
    *,
    data: bool = False,
    event: bool = False,
    generator: bool = False,
    awaitable: bool = False,
) -> Callable[..., Any]:
    """Return what is called as `f(state)`, or with `data` as `f(state, data)`.

    With `event` it is called as `f(state, event, data)`, and may take the state and the data alone.
    `what` names the place in messages, such as `"WaitUntil: predicate"`. Raises TypeError for what
    cannot be called so, and for async and generator functions, whose call does nothing yet; with
    `generator` generator functions are welcome, with `awaitable` async ones.

    >>> def is_closed():
    ...     return True
    >>> handed(is_closed, "WaitUntil: predicate")("the state")
    True
    >>> handed(lambda a, b: a, "WaitUntil: predicate")
    Traceback (most recent call last):
    TypeError: WaitUntil: predicate must take nothing or the state, but lambda a, b: a requires \
'a' and 'b'. Give the others defaults, or bind them with functools.partial.
    """
    taken = _plain_count(function)
    if taken is None:
        if isinstance(function, Adapted):
            options = {"event": event, "generator": generator, "awaitable": awaitable}
            kept: Any = function
            again = handed(kept.function, what, data=data, **options)
            return kept if type(again) is type(kept) else again
        _refuse_unless_plain(function, what, _makers(generator=generator, awaitable=awaitable))
        taken = _read_count(function, what)
    offered = 3 if event else 2 if data else 1
    if taken == offered:
        return function
    if taken > offered:
        raise _takes_too_much(function, what, _OFFERED[offered])
    return (TakesNothing, TakesState, TakesStateAndData)[taken](function)


def taking_nothing(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Return `function`, where there is no state to offer; raise TypeError as `handed` does."""
    _refuse_unless_plain(function, what, _MAKERS)
    if any(map(_is_required, _parameters(function))):
        raise _takes_too_much(function, what, _OFFERED[0])
    return function


class Adapted:
    """A function that takes less than it is called with; seen from outside, that function.

    It has its name and its `repr`, is equal to it, and is copied and pickled where it can be.
    """

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The function, for `inspect`."""
        return self.function

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return getattr(self.function, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        return bool(self.function == (other.function if isinstance(other, Adapted) else other))

    def __hash__(self) -> int:
        return hash(self.function)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.function,)

    def __repr__(self) -> str:
        return repr(self.function)


class TakesNothing(Adapted):
    """A function that takes nothing."""

    __slots__ = ()

    def __call__(self, _state: object = None, _event: object = None, _data: object = None) -> Any:
        """Call it with nothing."""
        return self.function()


class TakesState(Adapted):
    """A function that takes the state, in a place where the event's data is offered as well."""

    __slots__ = ()

    def __call__(self, state: object, _event: object = None, _data: object = None) -> Any:
        """Call it with the state."""
        return self.function(state)


class TakesStateAndData(Adapted):
    """A function that takes the state and the data, where the event is offered as well."""

    __slots__ = ()

    def __call__(self, state: object, _event: object, data: object) -> Any:
        """Call it with the state and the data."""
        return self.function(state, data)


def described(function: Callable[..., Any]) -> str:
    """Return what a function is called in pictures and messages.

    Its name; for a lambda its text, where that is known and takes one line.

    >>> described(described), described(lambda state: state.time > 3)
    ('described', 'lambda state: state.time > 3')
    """
    if isinstance(function, Adapted):
        return described(function.function)
    if isinstance(function, partial):
        return described(function.func)
    name: object = getattr(function, "__qualname__", None)
    if not isinstance(name, str):
        title: object = getattr(function, "_fsmkit_title", None)
        return title if isinstance(title, str) else type(function).__name__
    last = name.rpartition(".")[2]
    return last if last != LAMBDA else _lambda_text(function) or LAMBDA


# How many arguments it takes

_OTHER_KINDS: Final = (
    inspect.CO_VARARGS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_ITERABLE_COROUTINE
)


def _plain_count(function: Any) -> int | None:
    """The number for an ordinary function or bound method, read without `inspect`; else None."""
    bound = type(function) is MethodType
    plain = function.__func__ if bound else function
    if type(plain) is not FunctionType:
        return None
    code = plain.__code__
    if code.co_flags & _OTHER_KINDS or code.co_kwonlyargcount or hasattr(plain, "__wrapped__"):
        return None
    return max(0, code.co_argcount - len(plain.__defaults__ or ()) - bound)


def _read_count(function: Callable[..., Any], what: str) -> int:
    """The number for a callable of any kind; 1, the state, if it cannot be read."""
    parameters = _parameters(function)
    required = [each for each in parameters if _is_required(each)]
    for parameter in required:
        if parameter.kind is parameter.KEYWORD_ONLY:
            raise TypeError(
                f"{what} must not require keywords, but {described(function)} requires "
                f"{parameter.name!r}. Give it a default, or bind it with functools.partial."
            )
    takes_any = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    return max(1, len(required)) if takes_any else len(required)


def _is_required(parameter: inspect.Parameter) -> bool:
    kind = parameter.kind
    is_rest = kind is parameter.VAR_POSITIONAL or kind is parameter.VAR_KEYWORD
    return parameter.default is parameter.empty and not is_rest


_UNREADABLE: Final = (inspect.Parameter("arguments", inspect.Parameter.VAR_POSITIONAL),)


def _parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Its parameters. A wrapper's own are the true ones, unless it takes any and passes them on."""
    code = getattr(function, "__code__", None)
    own = isinstance(code, CodeType) and not code.co_flags & inspect.CO_VARARGS
    try:
        signature = inspect.signature(function, follow_wrapped=not own)
    except (TypeError, ValueError):
        return _UNREADABLE
    return tuple(signature.parameters.values())


def _takes_too_much(function: Callable[..., Any], what: str, offered: str) -> TypeError:
    *others, last = (repr(each.name) for each in _parameters(function) if _is_required(each))
    required = f"{', '.join(others)} and {last}" if others else last
    return TypeError(
        f"{what} must take {offered}, but {described(function)} requires {required}. "
        "Give the others defaults, or bind them with functools.partial."
    )


# Whether a call of it does the work

_MAKERS: Final = (
    (inspect.CO_COROUTINE, "an async function, which would only make a coroutine", "Await"),
    (inspect.CO_ASYNC_GENERATOR, "an async generator, which nobody would run", "Await"),
    (inspect.CO_GENERATOR, "a generator function, which nobody would run", "Coroutine"),
)


def _makers(*, generator: bool, awaitable: bool) -> tuple[tuple[int, str, str], ...]:
    welcome = inspect.CO_GENERATOR * generator | inspect.CO_COROUTINE * awaitable
    return tuple(maker for maker in _MAKERS if not maker[0] & welcome)


def _refuse_unless_plain(
    function: Any, what: str, makers: tuple[tuple[int, str, str], ...]
) -> None:
    """Raise TypeError for what is no function, and for one whose call does nothing yet."""
    if not callable(function):
        raise TypeError(f"{what} must be a function, got {function!r}.")
    flags = _flags(function)
    for flag, kind, instead in makers:
        if flags & flag:
            raise TypeError(
                f"{what} must be a plain function. {described(function)} is {kind}. Use {instead}."
            )


def _flags(function: Any) -> int:
    """The flags of the code that a call of `function` comes to, through all its wrappings."""
    while not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
        if isinstance(function, partial):
            function = function.func
        elif isinstance(function, MethodType):
            function = function.__func__
        elif (innermost := _unwrapped(function)) is not function:
            function = innermost
        elif not hasattr(function, "__code__") and isinstance(
            type(function).__call__, FunctionType
        ):
            function = type(function).__call__
        else:
            break
    flags: object = getattr(getattr(function, "__code__", None), "co_flags", 0)
    return flags if isinstance(flags, int) else 0


def _unwrapped(function: Any) -> Any:
    try:
        return inspect.unwrap(function)
    except ValueError:  # it wraps itself
        return function


# The text of a lambda


def _lambda_text(function: Any) -> str | None:
    """The text of a lambda that takes one line; None if it cannot be told."""
    code: object = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    text = "".join(linecache.getlines(code.co_filename, getattr(function, "__globals__", None)))
    span = _span(code)
    candidates = [
        node
        for node in _lambdas(text)
        if node.lineno == code.co_firstlineno and (span is None or _holds(node.body, span))
    ]
    if span is None and len(candidates) > 1:
        return None
    node = max(candidates, key=lambda node: node.col_offset, default=None)
    return ast.get_source_segment(text, node) if node and node.lineno == node.end_lineno else None


@lru_cache(maxsize=16)
def _lambdas(text: str) -> tuple[ast.Lambda, ...]:
    try:
        return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Lambda))
    except (SyntaxError, ValueError):
        return ()


_Place = tuple[int, int]
"""A line and a column in bytes."""


def _span(code: CodeType) -> tuple[_Place, _Place] | None:
    """Where the text of the code begins and ends; None if Python has not kept it."""
    places = list(_places(code))
    return (min(places)[0], max(end for _, end in places)) if places else None


def _places(code: CodeType) -> Iterator[tuple[_Place, _Place]]:
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or not end_column:
            continue  # instructions that stand for no text
        yield (line, column), (end_line, end_column)


def _holds(node: ast.expr, span: tuple[_Place, _Place]) -> bool:
    begin, end = span
    return (node.lineno, node.col_offset) <= begin and end <= (
        node.end_lineno or 0,
        node.end_col_offset or 0,
    )
