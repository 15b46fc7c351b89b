"""Breakpoint: where to stop, on which condition, at which hit; or what to log instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias, get_args

from attrs import define, field

from fsmkit.core.words.notes import members_of
from fsmkit.inspector.loop.stops.condition import Condition

Kind: TypeAlias = Literal["state", "event", "error", "unhandled", "value"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NAMED: Final = ("state", "event")
"""Kinds of which the name is that of a state or an event."""
MOST_COUNTED: Final = 1_000_000

IN_BRACES: Final = re.compile(r"\{([^{}]+)\}")


@define(eq=False)
class Breakpoint:
    """Where to stop.

    Every hit counts whose condition holds. It stops at each `count`th hit, or if not `every`, at
    that one only. With a `text` it is a log point, which writes it into the log and stops nothing.
    """

    number: int
    kind: Kind
    machine: str | None
    """The name of the machine; None for any."""
    name: str = ""
    """The state, the event or the value; empty for an error and for any unhandled event."""
    condition: Condition | None = None
    count: int = 1
    every: bool = True
    text: str = ""
    """What a log point writes; the names in {braces} stand for values."""
    is_on: bool = True
    stays: bool = False
    """Whether the machines stay where they are though no page is open."""
    hits: int = field(default=0, init=False)
    note: str = field(default="", init=False)
    """Why it has been switched off."""
    _error: BaseException | None = field(default=None, init=False)
    """The last one that it was hit by, since the error of a nested machine is raised again."""

    @property
    def is_plain(self) -> bool:
        """True if it stops each time."""
        return self.condition is None and self.count == 1 and self.every and not self.text

    def is_hit(self) -> bool:
        """Count a hit; return True if it is one to stop at."""
        self.hits += 1
        return self.hits % self.count == 0 if self.every else self.hits == self.count

    def is_new(self, error: BaseException) -> bool:
        """Return True if it was not hit by this error in another machine, alone or among others."""
        is_known = any(each is self._error for each in _inside(error))
        self._error = error
        return not is_known

    def forget_error(self) -> None:
        """Hold on to no error: the call that raised it is over."""
        self._error = None

    def switch(self, on: bool, note: str = "") -> None:
        """Switch it on or off."""
        self.is_on, self.note = on, note

    @property
    def title(self) -> str:
        """What it is on, in words."""
        match self.kind:
            case "error":
                return "any error"
            case "unhandled":
                return "any unhandled event"
            case "value":
                return str(self.condition)
        return repr(self.name)

    def to_json(self) -> dict[str, Any]:
        """Return it as data for the page."""
        return {
            "number": self.number,
            "kind": self.kind,
            "machine": self.machine,
            "name": self.name,
            "condition": self.condition.to_json() if self.condition is not None else None,
            "count": self.count,
            "every": self.every,
            "text": self.text,
            "on": self.is_on,
            "hits": self.hits,
            "note": self.note,
        }


def _inside(error: BaseException) -> Iterator[BaseException]:
    yield error
    for each in members_of(error):
        yield from _inside(each)


def names_in(text: str) -> list[str]:
    """Return the names in braces.

    >>> names_in("hit: health {health} by {data.by}")
    ['health', 'data.by']
    """
    return [name.strip() for name in IN_BRACES.findall(text)]
