"""Watches: the values that the program wants to see, and every value that a reader may name.

A reader names values in the conditions of breakpoints and in log points.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature
from logging import getLogger
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import field, frozen

from fsmkit import Fsm
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import message_of
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.inspector.reading.candidates import state_name
from fsmkit.inspector.reading.page_values import name_of, public_fields, shortened, text_of
from fsmkit.space.hysteresis import is_condition, leaving_no_trace

if TYPE_CHECKING:
    from symtable import SymbolTable

Watch: TypeAlias = Mapping[str, Callable[[Any], object]] | Iterable[str]
"""Name -> function of the context, or names of attributes of the context."""

MOST: Final = 32
LONGEST_NAME: Final = 80
"""Characters of a name, and of an error in its place."""

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
    """Reads watched values, each once per machine until `expire()`, however often it is asked for.

    A function that raises is never fatal: the value is an `Unreadable` with the error, which is
    logged once for each watch and type of error, unless it is an expression. An attribute that the
    context does not have is `ABSENT`.

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
        self.names = tuple(self._functions)
        """In the order of display."""
        self._values: dict[Fsm[Any], dict[str, object]] = {}
        self._logged: set[tuple[str, type[Exception]]] = set()

    def read(self, machine: Fsm[Any]) -> Mapping[str, object]:
        if machine not in self._values:
            self._values[machine] = {}  # for a function that asks in turn
            self._values[machine] = {
                name: self._read(name, function, machine)
                for name, function in self._functions.items()
            }
        return self._values[machine]

    def read_now(self, machine: Fsm[Any], name: str) -> object:
        """Return one value, read again: it may have changed during the update."""
        return self._read(name, self._functions[name], machine)

    def expire(self) -> None:
        """Read again from now on: time has passed, or something has been changed."""
        self._values.clear()

    def _read(self, name: str, function: Callable[[Any], object], machine: Fsm[Any]) -> object:
        try:
            if is_condition(function):
                return _answer(function, machine)
            if isinstance(function, Expression):
                return function.value_in(machine)
            return function(machine.context)
        except Exception as error:  # the game must not suffer from it
            is_typed = isinstance(function, Expression)  # by somebody who sees the error
            if not is_typed and (name, type(error)) not in self._logged:
                self._logged.add((name, type(error)))
                _logger.exception("The inspector could not read the watch %r.", name)
            text = shortened(message_of(error), LONGEST_NAME)
            return Unreadable(f"<{type(error).__name__}: {text}>")


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


@frozen
class Expression:
    """A Python expression about a machine, from a command line: never from a page.

    Its names are `fsm` and `context`, the attributes of the context, `time`, `time_in_state` and
    `state` as in conditions of breakpoints, and those of a loaded module, in this order. Raises
    ValueError for a text that is no expression, or too long to be a name.

    >>> guard = Fsm("Guard", context={"health": 15})
    >>> Expression("f'{health / 20:.0%} at {fsm.time} s'").value_in(guard)
    '75% at 0.0 s'
    """

    text: str
    module: str = ""
    """Its names are known as well, if it is loaded."""
    _code: CodeType = field(init=False, eq=False, repr=False)
    _names: tuple[str, ...] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        from symtable import symtable  # here: few programs have expressions, and the page none

        if len(self.text) > LONGEST_NAME:
            raise ValueError(
                f"an expression must have at most {LONGEST_NAME} characters, got "
                f"{len(self.text)}. Write a function in your module, and call it here."
            )
        try:
            code = compile(self.text.strip(), "<watch>", "eval")
            names = _free_names(symtable(self.text.strip(), "<watch>", "eval"))
        except (SyntaxError, ValueError) as error:  # ValueError: a null character
            raise ValueError(
                f"{self.text!r} is not a Python expression ({getattr(error, 'msg', error)}). "
                "Write one such as health, or 'fsm.time - context.last_seen'."
            ) from None
        object.__setattr__(self, "_code", code)
        object.__setattr__(self, "_names", tuple(dict.fromkeys(names)))

    def value_in(self, machine: Fsm[Any]) -> object:
        """Evaluate it; conditions that it asks leave no trace. Raises what that raises."""
        names = {name: self._named(name, machine) for name in self._names}
        with leaving_no_trace(machine):
            return eval(self._code, names)  # the user's own, of the command line

    def _named(self, name: str, machine: Fsm[Any]) -> object:
        if name == "fsm":
            return machine
        if name == "context":
            return machine.context
        value = _Attribute(name)(machine.context)
        if value is not ABSENT:
            return value
        if name in OWN:
            return OWN[name](Occasion(machine))
        of_module = vars(sys.modules.get(self.module, builtins))
        for known in (of_module, vars(builtins)):
            if name in known:
                return known[name]
        fields = [each for each in public_fields(machine.context) if isinstance(each, str)]
        meant = did_you_mean(name, ["fsm", "context", *fields, *OWN, *of_module]).strip()
        raise NameError(f"There is no {name!r}. {meant}".strip())


def _free_names(table: SymbolTable) -> Iterator[str]:
    """Yield the names that an expression does not bind itself."""
    for symbol in table.get_symbols():
        if symbol.is_global() and not symbol.is_assigned():
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _free_names(inner)


def _answer(condition: Any, machine: Fsm[Any]) -> object:
    """Return the condition's answer, leaving no trace; ABSENT if the machine is not running."""
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
        arguments.instance(name, "watch: a name", str, "a str")
        if not name.strip() or len(name) > LONGEST_NAME:
            raise ValueError(
                f"watch: a name must have 1 to {LONGEST_NAME} characters, got {name!r:.200}."
            )
        if name in names[:index]:
            raise ValueError(f"watch must name each value once, got {name!r} twice.")
        yield name, _function(name, watch[name]) if isinstance(watch, Mapping) else _Attribute(name)


def _function(name: str, function: object) -> Callable[[Any], object]:
    needed = f"watch: {name!r} must be a function of the context"
    if isinstance(function, Expression):
        return function  # type: ignore[return-value]  # `Watches` asks it with the machine
    if not callable(function):
        raise TypeError(f"{needed}, got {text_of(function)}.")
    if any(returns_later(function) for returns_later in _RETURN_LATER):
        raise TypeError(f"{needed} that returns a value at once, got {text_of(function)}.")
    try:
        found = signature(function)
    except ValueError:  # as of some functions in C
        return function
    try:
        found.bind(None)
    except TypeError:
        required = [each.name for each in found.parameters.values() if each.default is each.empty]
        takes = f"requires {len(required)}: {', '.join(required)}" if required else "takes none"
        raise TypeError(f"{needed}, with one argument, but {text_of(function)} {takes}.") from None
    return function


@frozen
class Occasion:
    """What may stop a machine or write a log point: an event, an error, or an update."""

    machine: Fsm[Any]
    event: str = ""
    data: object = None
    """The data of the event."""
    error: BaseException | None = None


class UnreadableValueError(Exception):
    """A value could not be read: the function of its watch raises."""


OWN: Final[Mapping[str, Callable[[Occasion], object]]] = {
    "time": lambda occasion: occasion.machine.time,
    "time_in_state": lambda occasion: occasion.machine.time_in_state,
    "state": lambda occasion: state_name(occasion.machine),
}
OF_EVENTS: Final[Mapping[str, Callable[[Occasion], object]]] = {
    "event": lambda occasion: occasion.event,
    "data": lambda occasion: occasion.data,
}
DATA: Final = "data."
"""The prefix of the names of the fields of an event's data."""


@frozen
class NamedValues:
    """Reads a value by its name: a watched one, a field of the context, one of the machine's own.

    Fields and entries are read, never properties: those only if the program watches them.

    >>> values = NamedValues(Watches())
    >>> hit = Occasion(Fsm("Guard", context={"health": 19}), "HIT", {"by": 3})
    >>> values.read("health", hit), values.read("data.by", hit)
    (19, 3)
    """

    watches: Watches

    def read(self, name: str, occasion: Occasion) -> object:
        """Return the value; `ABSENT` if there is none now. Raises what reading it raises."""
        if name in self.watches.names:
            value = self.watches.read_now(occasion.machine, name)
            if isinstance(value, Unreadable) and value is not ABSENT:
                raise UnreadableValueError(value.text)
            return value
        fields = public_fields(occasion.machine.context)
        if name and name in fields:
            return fields[name]
        read = OWN.get(name) or OF_EVENTS.get(name)
        if read is not None:
            return read(occasion)
        if name.startswith(DATA):
            return public_fields(occasion.data).get(name.removeprefix(DATA), ABSENT)
        return ABSENT

    def names(self, machine: Fsm[Any], *, of_events: bool) -> Iterator[str]:
        fields = (name_of(key) for key in public_fields(machine.context) if key != "")
        own = (*OWN, *OF_EVENTS) if of_events else OWN
        yield from dict.fromkeys((*self.watches.names, *fields, *own))
