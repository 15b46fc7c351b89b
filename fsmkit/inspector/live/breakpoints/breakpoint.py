"""Breakpoint: where to stop, on which condition, at which hit; and why machines have stopped."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from json import dumps
from math import isfinite
from numbers import Number
from typing import Any, Final, Literal, TypeAlias, get_args

from attrs import asdict, define, field, frozen

from fsmkit import Fsm, FsmState
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import members_of
from fsmkit.inspector.live.requests.page_request import LONGEST_NAME, RequestError
from fsmkit.inspector.reading.page_values import PLAIN, text_of
from fsmkit.introspection.walk import OwnedTransition

BreakpointKind: TypeAlias = Literal["state", "event", "transition", "error", "unhandled", "value"]

KINDS: Final[tuple[BreakpointKind, ...]] = get_args(BreakpointKind)
NAMED: Final = ("state", "event")
"""Kinds whose name is that of a state or an event."""
ANY: Final[Mapping[str, str]] = {"error": "error", "unhandled": "unhandled event"}
"""Kinds without a name, in words."""
MOST_COUNTED: Final = 1_000_000

IN_BRACES: Final = re.compile(r"\{([^{}]+)\}")

Plain: TypeAlias = bool | int | float | str | None

ORDERINGS: Final[Mapping[str, Callable[..., bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">=": operator.ge,
    ">": operator.gt,
}
CHANGES: Final = "changes"
"""Holds whenever the value differs from the last one; for breakpoints on values only."""

OPERATORS: Final = (*ORDERINGS, "==", "!=", CHANGES)


@define(eq=False)
class Breakpoint:
    """Where to stop.

    A hit counts if its condition holds. It stops at each `count`th hit, or if not `every`, at
    that one only. With a `text` it is a log point, which writes it into the log and stops nothing.
    """

    number: int
    kind: BreakpointKind
    machine: str | None
    """The name of the machine; None for any."""
    name: str = ""
    """The state, the event or the value; empty for an error and for any unhandled event."""
    condition: ValueCondition | None = None
    count: int = 1
    every: bool = True
    text: str = ""
    """What a log point writes; the names in {braces} stand for values."""
    is_on: bool = True
    stays: bool = False
    """True if the machines remain held even if no page is open."""
    way: TransitionWay | None = None
    """The transition that it is on, whose event is the name."""
    hits: int = field(default=0, init=False)
    note: str = field(default="", init=False)
    """Why it has been switched off."""
    error: BaseException | None = field(default=None, init=False)
    """The error that hit it last: that of a nested machine is raised again by the outer one."""

    def is_hit(self) -> bool:
        """Count a hit; return True if it is one to stop at."""
        self.hits += 1
        return self.hits % self.count == 0 if self.every else self.hits == self.count

    def is_new(self, error: BaseException) -> bool:
        """Return False if this error, or one inside it, has hit it already in another machine."""
        is_known = any(each is self.error for each in _inside(error))
        self.error = error
        return not is_known

    @property
    def subject(self) -> object:
        """What it is on, apart from the machine and the kind."""
        return self.name if self.way is None else (self.name, self.way)

    @property
    def title(self) -> str:
        if self.kind in ANY:
            return f"any {ANY[self.kind]}"
        if self.way is not None:
            return f"{self.name!r} {self.way}"
        return str(self.condition) if self.kind == "value" else repr(self.name)

    def to_json(self) -> dict[str, Any]:
        hidden = ("stays", "error", "is_on", *(("way",) if self.way is None else ()))
        shown = asdict(self, filter=lambda each, _: each.name not in hidden)
        return {**shown, "on": self.is_on}


def _inside(error: BaseException) -> Iterator[BaseException]:
    yield error
    for each in members_of(error):
        yield from _inside(each)


@frozen
class TransitionWay:
    """Where a transition leads from and to, and its place among those for the same event.

    >>> str(TransitionWay("Patrol", "Chase")), str(TransitionWay("", None, 1))
    ("from 'Patrol' to 'Chase'", 'from any state back (2.)')
    """

    source: str
    """The name of its state or of its group; empty for a global one."""
    target: str | None
    """The name of the state that it leads to; None for `BACK`."""
    rank: int = 0
    """Its place among those of the same source and event, from 0."""

    def __str__(self) -> str:
        source = repr(self.source) if self.source else "any state"
        target = "back" if self.target is None else f"to {self.target!r}"
        return f"from {source} {target}" + (f" ({self.rank + 1}.)" if self.rank else "")


def way_of(owned: OwnedTransition) -> TransitionWay:
    source = "" if isinstance(owned.owner, Fsm) else owned.owner.name
    target = owned.transition.target
    return TransitionWay(source, target.name if isinstance(target, FsmState) else None, owned.rank)


def parse_way(raw: object) -> TransitionWay | None:
    """Return the way of a transition in a message, if any. Raises RequestError."""
    if raw is None:
        return None
    if not isinstance(raw, dict) or raw.keys() != {"source", "target", "rank"}:
        raise RequestError("The way of a transition must consist of a source, a target and a rank.")
    for end in "source", "target":
        name = raw[end]
        is_name = isinstance(name, str) and len(name) <= LONGEST_NAME
        if not is_name and (name is not None or end == "source"):
            raise RequestError(
                f"The {end} of a transition must be a string of at most {LONGEST_NAME} characters, "
                f"got {text_of(name)}."
            )
    rank = arguments.integer(raw["rank"], "The rank of a transition", least=0, error=RequestError)
    return TransitionWay(raw["source"], raw["target"], rank)


def names_in(text: str) -> list[str]:
    """Return the names in braces.

    >>> names_in("hit: health {health} by {data.by}")
    ['health', 'data.by']
    """
    return [name.strip() for name in IN_BRACES.findall(text)]


@frozen
class ValueCondition:
    """A comparison of a named value with a plain one.

    Only values of one type are compared: numbers, strings, or true and false. Values of different
    types are unequal, and neither is less. A member of an enum is compared by its name.

    >>> ValueCondition("health", "<", 20).holds(19), ValueCondition("health", "<", 20).holds("low")
    (True, False)
    """

    name: str
    operator: str
    value: Plain = None

    def holds(self, found: Any) -> bool:
        """Return True if a value meets it. Raises what the comparison of the values raises."""
        value: Any = self.value
        if isinstance(value, str) and isinstance(found, Enum):
            found = found.name
        fits = _sort(found) == _sort(value) != ""
        if self.operator in ORDERINGS:
            return fits and bool(ORDERINGS[self.operator](found, value))
        is_equal = fits and bool(found == value)
        return is_equal is (self.operator == "==")

    def check(self, found: object) -> None:
        """Raise RequestError if it makes no sense for a value such as `found`."""
        if self.operator == CHANGES or found is None or self.value is None:
            return
        if isinstance(found, Enum) and not isinstance(found, Number):
            if str(self.value) not in type(found).__members__:
                names = ", ".join(type(found).__members__)
                raise RequestError(f"{self.name!r} is one of {names}, never {text_of(self.value)}.")
            return
        sort = _sort(found)
        if sort == "":
            raise RequestError(
                f"{self.name!r} is {text_of(found)}, which cannot be compared. Choose a number, a "
                "string or true/false, or stop when it changes."
            )
        if sort != _sort(self.value):
            raise RequestError(
                f"{self.name!r} is {text_of(found)} now: compare it with {sort}, got "
                f"{text_of(self.value)}."
            )

    def __str__(self) -> str:
        if self.operator == CHANGES:
            return f"{self.name} changes"
        is_word = self.value is None or isinstance(self.value, bool)
        shown = dumps(self.value) if is_word else text_of(self.value)
        return f"{self.name} {self.operator} {shown}"


def parse_condition(raw: object) -> ValueCondition | None:
    """Return the condition in a message, if any. Raises RequestError."""
    if raw is None:
        return None
    if not isinstance(raw, dict) or not raw.keys() <= {"name", "operator", "value"}:
        raise RequestError("A condition must consist of a name, an operator and a value.")
    name, value = raw.get("name"), raw.get("value")
    comparison: Any = raw.get("operator")
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
        raise RequestError(
            f"The name in a condition must be a string of 1 to {LONGEST_NAME} characters, got "
            f"{text_of(name)}."
        )
    arguments.choice(comparison, "The operator of a condition", OPERATORS, RequestError)
    return ValueCondition(name, comparison, _checked_value(comparison, value))


def _checked_value(comparison: str, value: object) -> Plain:
    if comparison == CHANGES:
        if value is not None:
            raise RequestError(f"A value that changes is not compared, got {text_of(value)}.")
        return None
    if not isinstance(value, (bool, int, float, str, type(None))):
        raise RequestError(
            f"The value of a condition must be a number, a string, true, false or null, got "
            f"{text_of(value)}."
        )
    if isinstance(value, float) and not isfinite(value):
        raise RequestError(f"The value of a condition must be finite, got {value}.")
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        raise RequestError(
            f"The string in a condition must have at most {LONGEST_NAME} characters, got "
            f"{len(value)}."
        )
    if comparison in ORDERINGS and (value is None or isinstance(value, bool)):
        raise RequestError(f"{comparison} needs a number or a string, got {text_of(value)}.")
    return value


def mark_of(value: object) -> object:
    """Return a mark of `value` that differs once it has changed."""
    return (type(value), repr(value)) if isinstance(value, PLAIN) else text_of(value)


def _sort(value: object) -> str:
    """Return what a value can be compared with, in words; empty if with nothing."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "a string"
    return "a number" if isinstance(value, Number) and not isinstance(value, complex) else ""


@frozen
class Halt:
    """A change that is about to happen, an error or an unhandled event: a machine is held there."""

    machine: Fsm[Any]
    event: str
    """Empty if the machine is being started, and after an error."""
    state: str | None
    """None if it is not running yet."""
    target: str | None
    """The state that comes next; None if there is no change."""
    is_begun: bool = False
    """True if the machine is in the target already."""


@frozen
class StopReason:
    kind: str
    """The kind of the breakpoint; `change` at the next change of state."""
    machine: str
    title: str
    """What the breakpoint is on, in words."""
    text: str
    """The condition with the value that met it, the error or the change; may be empty."""
    number: int | None = None
    """The number of the breakpoint."""
    place: str = ""
    """The action and the callback that raised an error."""
    stays: bool = False
    """True if the machines remain held even if no page is open."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self, filter=lambda attribute, _: attribute.name != "stays")
