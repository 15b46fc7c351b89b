"""CodeState: what is known at one place in the code, on all paths that lead there."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit.checking.reading.known_values import UNKNOWN, CodeValue, merged

Deed: TypeAlias = tuple[str, Any, str | None]
"""A verb, its object, and the event if there is one: `("sent", machine, "GO")`.

For an action that finishes or fails, or a machine that is started or stopped, it holds the `id`.
"""

Keywords: TypeAlias = Mapping[str, CodeValue]
"""The arguments of a call that are given by name."""

ANYTHING: Final[Deed] = ("anything", None, None)
"""Something is done that cannot be read."""


@define(eq=False)
class CodeState:
    """The values on the stack and in the variables, and the deeds done so far.

    Below the values that are known to be there, the stack has any number of unknown ones.
    """

    stack: list[CodeValue] = field(factory=list)
    names: dict[str, CodeValue] = field(factory=dict)
    done: frozenset[Deed] = frozenset()
    """The deeds done for certain."""
    maybe: frozenset[Deed] = frozenset()
    """The deeds that may have been done."""
    is_later: bool = False
    """True in code that is passed on, to run at any time."""

    def copy(self) -> CodeState:
        return CodeState([*self.stack], {**self.names}, self.done, self.maybe, self.is_later)

    def push(self, *values: CodeValue) -> None:
        self.stack += values

    def pop(self) -> CodeValue:
        return self.stack.pop() if self.stack else UNKNOWN

    def take(self, count: int) -> list[CodeValue]:
        """Take the `count` uppermost values from the stack, the lowest first."""
        return [self.pop() for _ in range(count)][::-1]

    def name(self, name: str) -> CodeValue:
        return self.names.get(name, UNKNOWN)

    def note(self, fact: Deed) -> None:
        self.done |= {fact}
        self.maybe |= {fact}

    def doubt(self) -> None:
        """Note that code which cannot be read may do anything."""
        self.maybe |= {ANYTHING}

    def forget(self, instruction: str) -> None:
        """Forget what an unknown instruction may have changed."""
        self.stack.clear()
        if "FAST" in instruction or "DEREF" in instruction or "NAME" in instruction:
            self.names.clear()

    def meet(self, other: CodeState) -> bool:
        """Keep only what `other`, on another path to this place, agrees with; True if that is less.

        Stacks are compared from the top.
        """
        stack = _merged_stack(self.stack, other.stack)
        names: dict[str, CodeValue] = {
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
    value: CodeValue
    done: frozenset[Deed]
    maybe: frozenset[Deed]


def _merged_stack(a: list[CodeValue], b: list[CodeValue]) -> list[CodeValue]:
    pairs = zip_longest(reversed(a), reversed(b))
    return [merged(x, y) for x, y in pairs if x is not None and y is not None][::-1]
