"""Moment: what is known at one place in the code, on all of the ways that lead there."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit.checking.reading.values import UNKNOWN, Value, merged

Fact: TypeAlias = tuple[str, Any, str | None]
"""What is done, to whom, and the event if there is one: `("sent", machine, "GO")`.

Of an action that finishes, or a machine that is started or stopped, it has the `id`.
"""

ANYTHING: Final[Fact] = ("anything", None, None)
"""Something is done that cannot be read."""


@define(eq=False)
class Moment:
    """The values on the stack and in the variables, and what has been done by now.

    Below the values that are known to be there, the stack has any number of unknown ones.
    """

    stack: list[Value] = field(factory=list)
    names: dict[str, Value] = field(factory=dict)
    done: frozenset[Fact] = frozenset()
    """What has been done for certain."""
    maybe: frozenset[Fact] = frozenset()
    """What may have been done."""

    def copy(self) -> Moment:
        """Return a moment that can be changed by itself."""
        return Moment(list(self.stack), dict(self.names), self.done, self.maybe)

    def push(self, *values: Value) -> None:
        """Put values on the stack."""
        self.stack += values

    def pop(self) -> Value:
        """Take the uppermost value from the stack."""
        return self.stack.pop() if self.stack else UNKNOWN

    def take(self, count: int) -> list[Value]:
        """Take the `count` uppermost values from the stack, the lowest first."""
        return [self.pop() for _ in range(count)][::-1]

    def name(self, name: str) -> Value:
        """Return the value of a variable."""
        return self.names.get(name, UNKNOWN)

    def note(self, fact: Fact) -> None:
        """Have something done, here and for certain."""
        self.done |= {fact}
        self.maybe |= {fact}

    def doubt(self) -> None:
        """Have something done that cannot be read."""
        self.maybe |= {ANYTHING}

    def forget(self, instruction: str) -> None:
        """Forget what an instruction that is not known may have changed."""
        self.stack.clear()
        if "FAST" in instruction or "DEREF" in instruction or "NAME" in instruction:
            self.names.clear()

    def meet(self, other: Moment) -> bool:
        """Keep what `other`, on another way to the same place, agrees with; True if that is less.

        Stacks are compared from the top.
        """
        stack = _merged_stack(self.stack, other.stack)
        names: dict[str, Value] = {
            name: value
            for name in self.names.keys() & other.names.keys()
            if (value := merged(self.names[name], other.names[name])) is not UNKNOWN
        }
        done, maybe = self.done & other.done, self.maybe | other.maybe
        before = (self.stack, self.names, self.done, self.maybe)
        self.stack, self.names, self.done, self.maybe = stack, names, done, maybe
        return before != (stack, names, done, maybe)


@frozen
class Outcome:
    """What comes of a call: what it returns, and what is done then."""

    value: Value
    done: frozenset[Fact]
    maybe: frozenset[Fact]


def _merged_stack(a: list[Value], b: list[Value]) -> list[Value]:
    pairs = zip_longest(reversed(a), reversed(b))
    return [merged(x, y) for x, y in pairs if x is not None and y is not None][::-1]
