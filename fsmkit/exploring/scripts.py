"""Scripts: the steps that lead to a moment, as `fsmkit.testing.drive` takes them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, TypeAlias

from attrs import field, frozen

from fsmkit.core.words.quoting import quote

Step: TypeAlias = "float | Input"
"""Seconds to update by, or an event to send."""

Script: TypeAlias = "tuple[Step, ...]"


@frozen
class Input:
    """An event that comes from outside, with its data."""

    event: str
    data: object = field(default=None, eq=False)
    number: int = 0
    """Its place among the data to try for this event."""


class LastStep(float):
    """The update that ends a wait, as something happens in it."""

    __slots__ = ()


def cost(script: Script) -> int:
    """Return the number of things to do: inputs, and waits until something happens.

    >>> cost((0.5, LastStep(0.5), 0.5, Input("GO"), 0.5))
    4
    """
    count, is_waiting = 0, False
    for step in script:
        count += not is_waiting or isinstance(step, Input)
        is_waiting = not isinstance(step, Input | LastStep)
    return count


def seconds_of(script: Script) -> float:
    """Return how long a script takes."""
    return sum(step for step in script if isinstance(step, float))


def drivable(script: Script) -> list[Any]:
    """Return the steps as `drive` takes them."""
    return [_drivable(step) for step in script]


def written(script: Script) -> str:
    """Return the script as Python code.

    >>> written((0.5, 0.5, 0.5, 0.5, Input("HIT", 3), Input("GO")))
    "[*[0.5] * 4, ('HIT', 3), 'GO']"
    """
    return f"[{', '.join(_parts(script))}]"


def code_of(step: Step) -> str:
    """Return one step as Python code."""
    if not isinstance(step, Input):
        return repr(step)
    if step.data is None:
        return repr(step.event)
    return f"({quote(step.event)}, {data_code(step)})"


def data_code(step: Input) -> str:
    """Return the data of an event as Python code: where it has no literal, its place in inputs."""
    if _is_literal(step.data):
        return repr(step.data)
    return f"inputs[{quote(step.event)}][{step.number}]"


def _parts(script: Script) -> Iterator[str]:
    for code, steps in groupby(map(code_of, script)):
        count = len(list(steps))
        yield from [code] * count if count < 4 else [f"*[{code}] * {count}"]


def _drivable(step: Step) -> Any:
    if not isinstance(step, Input):
        return float(step)
    return step.event if step.data is None else (step.event, step.data)


def _is_literal(value: object) -> bool:
    match value:
        case None | bool() | int() | float() | str() | bytes():
            return True
        case list() | tuple() | set():
            return all(map(_is_literal, value))
        case dict():
            return all(_is_literal(part) for item in value.items() for part in item)
    return False
