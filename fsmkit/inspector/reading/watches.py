"""Watches: the values that the program wants to see, each a function of a machine's context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature
from logging import getLogger
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.reading.values import text_of
from fsmkit.space.hysteresis import is_condition, leaving_no_trace

Watch: TypeAlias = Mapping[str, Callable[[Any], object]] | Iterable[str]
"""Name -> function of the context, or names of attributes of the context."""

MOST: Final = 32
LONGEST_NAME: Final = 80

_RETURN_LATER: Final = (iscoroutinefunction, isgeneratorfunction, isasyncgenfunction)

_logger: Final = getLogger("fsmkit")


@frozen(repr=False)
class Unreadable:
    """Stands for a value that cannot be read; its text says why."""

    text: str

    def __repr__(self) -> str:
        return self.text


ABSENT: Final = Unreadable("-")
"""Stands for an attribute that this context does not have."""


class Watches:
    """Reads watched values; each of a machine's once until `expire()`, however many ask.

    A function that raises is never fatal: the value is an `Unreadable` with the error, which is
    logged once for each watch and type of error. An attribute that the context does not have is
    `ABSENT`.

    >>> watches = Watches({"distance": lambda guard: 12 - guard["x"]})
    >>> watches.read(Fsm("Guard", context={"x": 5}))
    {'distance': 7}
    >>> watches.read(Fsm("Guard", context={"y": 5}))
    {'distance': <KeyError: 'x'>}
    >>> Watches(["x", "y"]).read(Fsm("Guard", context={"x": 5}))
    {'x': 5, 'y': -}
    """

    def __init__(self, watch: Watch | None = None) -> None:
        self._functions = dict(_checked(watch)) if watch is not None else {}
        self._values: dict[Fsm[Any], dict[str, object]] = {}
        self._logged: set[tuple[str, type[Exception]]] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of display."""
        return tuple(self._functions)

    def read(self, machine: Fsm[Any]) -> Mapping[str, object]:
        """Return name -> value for `machine`."""
        if machine not in self._values:
            self._values[machine] = {}  # for a function that asks in turn
            self._values[machine] = {
                name: self._read(name, function, machine)
                for name, function in self._functions.items()
            }
        return self._values[machine]

    def read_now(self, machine: Fsm[Any], name: str) -> object:
        """Return one value, read anew: in the middle of an update it may be another already."""
        return self._read(name, self._functions[name], machine)

    def expire(self) -> None:
        """Read anew from now on: time has passed, or something has been changed."""
        self._values.clear()

    def _read(self, name: str, function: Callable[[Any], object], machine: Fsm[Any]) -> object:
        try:
            if is_condition(function):
                return _answer(function, machine)
            return function(machine.context)
        except Exception as error:  # the game must not suffer from it
            if (name, type(error)) not in self._logged:
                self._logged.add((name, type(error)))
                _logger.exception("The inspector could not read the watch %r.", name)
            return Unreadable(f"<{type(error).__name__}: {_message(error)}>")


@frozen
class _Attribute:
    """Reads an attribute of the context, or an entry if that is a mapping."""

    name: str

    def __call__(self, context: object) -> object:
        if isinstance(context, Mapping):
            return context.get(self.name, ABSENT)
        try:
            return getattr(context, self.name)
        except AttributeError as error:
            if error.name == self.name and error.obj is context:
                return ABSENT
            raise


def _message(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # from a user's __str__
        return "…"
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def _answer(condition: Any, machine: Fsm[Any]) -> object:
    """Return what a machine that asks is answered, without a trace; ABSENT if it does not run."""
    if machine.current_state is None:
        return ABSENT
    with leaving_no_trace(machine):
        return condition(machine.current_state)


def _checked(watch: Watch) -> Iterator[tuple[str, Callable[[Any], object]]]:
    """Yield names and functions. Raises TypeError or ValueError."""
    if isinstance(watch, (str, bytes)) or not isinstance(watch, Iterable):
        raise TypeError(
            "watch must be a mapping of names to functions of the context, or a list of names of "
            f"its attributes, got {text_of(watch)}."
        )
    names = list(watch)
    if len(names) > MOST:
        raise ValueError(f"watch must have at most {MOST} names, got {len(names)}.")
    for index, name in enumerate(names):
        _check_name(name)
        if name in names[:index]:
            raise ValueError(f"watch must name each value once, got {name!r} twice.")
        yield name, _function(name, watch[name]) if isinstance(watch, Mapping) else _Attribute(name)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"watch: a name must be a str, got {text_of(name)}.")
    if not name.strip() or len(name) > LONGEST_NAME:
        raise ValueError(
            f"watch: a name must have 1 to {LONGEST_NAME} letters, got {text_of(name)}."
        )


def _function(name: str, function: object) -> Callable[[Any], object]:
    needed = f"watch: {name!r} must be a function of the context"
    if not callable(function):
        raise TypeError(f"{needed}, got {text_of(function)}.")
    if any(returns_later(function) for returns_later in _RETURN_LATER):
        raise TypeError(f"{needed} that returns a value at once, got {text_of(function)}.")
    try:
        found = signature(function)
    except ValueError:  # of some functions in C it cannot be read
        return function
    try:
        found.bind(None)
    except TypeError:
        required = [each.name for each in found.parameters.values() if each.default is each.empty]
        takes = f"requires {len(required)}: {', '.join(required)}" if required else "takes none"
        raise TypeError(f"{needed}, with one argument, but {text_of(function)} {takes}.") from None
    return function
