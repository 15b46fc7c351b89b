"""What an action may remember, as a part of the types of its fields; read when it is restored.

`Annotated[int, AtLeast(0)]` is an `int` from 0 on. A snapshot that was edited may hold anything; it
is refused if it holds what a field does not allow.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from attrs import frozen


@frozen
class AtLeast:
    """Allows numbers from `least` on."""

    least: float

    def allows(self, action: object, value: Any) -> bool:  # noqa: ARG002  # whatever action
        """Whether an action may remember the value."""
        return bool(value >= self.least)

    def __str__(self) -> str:
        return f">= {self.least}"


@frozen
class OneOf:
    """Allows one of a few values: those that it may have while no callback is on the stack."""

    values: tuple[object, ...]

    def allows(self, action: object, value: object) -> bool:  # noqa: ARG002  # whatever action
        """Whether an action may remember the value."""
        return value in self.values

    def __str__(self) -> str:
        return f"({' or '.join(map(repr, self.values))})"


Seconds: TypeAlias = Annotated[float, AtLeast(0)]
Count: TypeAlias = Annotated[int, AtLeast(0)]
