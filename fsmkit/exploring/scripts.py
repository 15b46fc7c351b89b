"""Scripts: the steps that lead to a moment, as `fsmkit.testing.drive` takes them."""

from __future__ import annotations

from ast import literal_eval
from itertools import groupby
from typing import Any, TypeAlias, TypeVar

from attrs import define, field, frozen

from fsmkit.core.words.quoting import quote
from fsmkit.introspection.walk import ActionPath

KeyT = TypeVar("KeyT")

ScriptStep: TypeAlias = "float | Input"
"""Seconds to update by, or an event to send."""

Script: TypeAlias = "tuple[ScriptStep, ...]"


@frozen
class Input:
    event: str
    data: object = field(default=None, eq=False)
    number: int = 0
    """Its index among the data to try for this event."""


@frozen(repr=False)
class InducedFailure(Input):
    """An action is made to fail, by its `fail()`. Does nothing where it is not under way."""

    machine: str = ""
    """The name of its machine, as findings have it."""
    state: str = ""
    place: ActionPath = ""
    code: str = field(default="", eq=False)
    """The action as Python code, such as `fsm.states['Grab'].actions[0]`."""

    def __repr__(self) -> str:
        return f"<failure of {self.code}>"


class LastStep(float):
    """The update that ends a wait, because something happens in it."""

    __slots__ = ()


Rank: TypeAlias = "tuple[int, float, int]"


def rank(script: Script) -> Rank:
    """Return the key that sorts scripts by length: things to do, then time, then steps."""
    return (cost(script), seconds_of(script), len(script))


@define
class ShortestScripts:
    """Keys of several kinds, each with the shortest script that was noted for it."""

    _scripts: dict[Any, Script] = field(factory=dict)
    _ranks: dict[Any, Rank] = field(factory=dict)

    def note(self, key: object, script: Script) -> None:
        before = self._ranks.get(key)
        if before is not None and len(script) >= before[2] and before[0] <= 1:
            return
        here = rank(script)
        if before is None or here < before:
            self._scripts[key] = script
            self._ranks[key] = here

    def of(self, kind: type[KeyT]) -> dict[KeyT, Script]:
        """Return the keys of a kind with their scripts, the shortest first."""
        keys = [key for key in self._scripts if type(key) is kind]
        return {key: self._scripts[key] for key in sorted(keys, key=self._ranks.__getitem__)}

    def __contains__(self, key: object) -> bool:
        return key in self._scripts


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
    return sum(step for step in script if isinstance(step, float))


def drivable(script: Script) -> list[Any]:
    return [_drivable(step) for step in script]


def _drivable(step: ScriptStep) -> Any:
    if isinstance(step, InducedFailure):
        return step
    if not isinstance(step, Input):
        return float(step)
    return step.event if step.data is None else (step.event, step.data)


def written(script: Script) -> str:
    """Return the script as Python code.

    >>> written((0.5, 0.5, 0.5, 0.5, Input("HIT", 3), Input("GO")))
    "[*[0.5] * 4, ('HIT', 3), 'GO']"
    """
    parts: list[str] = []
    for code, steps in groupby(map(code_of, script)):
        count = len(list(steps))
        parts += [code] * count if count < 4 else [f"*[{code}] * {count}"]
    return f"[{', '.join(parts)}]"


def code_of(step: ScriptStep) -> str:
    if isinstance(step, InducedFailure):
        return f"lambda: {step.code}.fail()"
    if not isinstance(step, Input):
        return repr(step)
    if step.data is None:
        return repr(step.event)
    return f"({quote(step.event)}, {data_code(step)})"


def data_code(step: Input) -> str:
    """Return the data of an event as Python code: without a literal, as an item of inputs."""
    if _is_literal(step.data):
        return repr(step.data)
    return f"inputs[{quote(step.event)}][{step.number}]"


def _is_literal(value: object) -> bool:
    try:
        return bool(literal_eval(repr(value)) == value)
    except Exception:  # there is no literal for it, or its class fails
        return False
