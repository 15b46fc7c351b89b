"""Notes: what was seen on a walk, each with the shortest script that led to it."""

from __future__ import annotations

import traceback
from collections.abc import Hashable
from pathlib import Path
from typing import Final, Generic, TypeAlias, TypeVar

from attrs import define, field, frozen

from fsmkit.core.words.notes import notes_of, traceback_of
from fsmkit.exploring.scripts import Script, cost, seconds_of

KeyT = TypeVar("KeyT", bound=Hashable)

OUR_FOLDERS: Final = (Path(__file__).parents[1], Path(__file__).parents[2] / "actions")

Rank: TypeAlias = "tuple[int, float, int]"


def rank(script: Script) -> Rank:
    """Return what makes one script shorter than another: things to do, then time, then steps."""
    return (cost(script), seconds_of(script), len(script))


@define
class Shortest(Generic[KeyT]):
    """Keys, each with the shortest script that was noted for it."""

    scripts: dict[KeyT, Script] = field(factory=dict)
    _ranks: dict[KeyT, Rank] = field(factory=dict)

    def note(self, key: KeyT, script: Script) -> bool:
        """Note that `script` leads to `key`; True if no shorter one does."""
        before = self._ranks.get(key)
        if before is not None and len(script) >= before[2] and before[0] <= 1:
            return False
        here = rank(script)
        if before is None or here < before:
            self.scripts[key] = script
            self._ranks[key] = here
            return True
        return False


@frozen
class Failure:
    """An error, by its class and its place; two at the same place are the same."""

    kind: type[BaseException]
    notes: tuple[str, ...]
    """What the notes of the error say: machine, state, action and callback, the innermost first."""
    line: str
    """The innermost line of user code."""
    error: BaseException = field(eq=False)


def failure_of(error: BaseException) -> Failure:
    """Return the failure that an error stands for."""
    notes = notes_of(error)
    return Failure(type(error), notes, _line_of(error), error)


def _line_of(error: BaseException) -> str:
    """Return the innermost line of user code that led to `error`; empty if there is none."""
    for call in reversed(traceback.extract_tb(traceback_of(error))):
        path = Path(call.filename)
        if not any(path.is_relative_to(folder) for folder in OUR_FOLDERS):
            return f"{path.name}, line {call.lineno}, {call.name}"
    return ""
