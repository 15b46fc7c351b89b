"""Failures: the states and actions whose callbacks have raised errors, until they are left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm, FsmState
from fsmkit.core.words.notes import members_of, notes_of
from fsmkit.inspector.reading.values import error_text

ACTION: Final = re.compile(r"actions\[(\d+)\] \(")
CHILD: Final = re.compile(r"\w+\.children\[(\d+)\] \(")
"""The beginnings of the notes that the machine adds to an error, to say where it was raised."""


@frozen
class Failure:
    """An error that was raised in a state of a machine."""

    machine: Fsm[Any]
    state: str
    places: Sequence[str]
    """The action that raised it and those around it, from the outside in, like `"0"`, `"0/1"`;
    none for an error of a guard or an effect."""
    text: str
    where: str
    """The callback, in words."""
    is_over: bool
    """True if the state was exited already."""


class Failures:
    """The latest failure of each action. It counts for the visit in which it was raised."""

    def __init__(self) -> None:
        self._failures: dict[object, Failure] = {}

    def __iter__(self) -> Iterator[Failure]:
        return iter(self._failures.values())

    def add(self, machine: Fsm[Any], error: BaseException) -> None:
        """Note what an error says about the place where it was raised."""
        for failure in failures_of(machine, error):
            self._failures[_place_of(failure)] = failure

    def begin(self, machine: Fsm[Any], state: str) -> None:
        """Forget those of an earlier visit, as another one begins or ends."""
        for failure in [*self]:
            if failure.machine is machine and (failure.state == state or failure.is_over):
                del self._failures[_place_of(failure)]

    def forget(self, machine: Fsm[Any]) -> None:
        """Forget those of a machine."""
        for failure in [*self]:
            if failure.machine is machine:
                del self._failures[_place_of(failure)]


def _place_of(failure: Failure) -> object:
    return failure.machine, failure.state, tuple(failure.places)


def failures_of(machine: Fsm[Any], error: BaseException) -> Iterator[Failure]:
    """Yield the failures in states of `machine`; a group of errors may tell of several."""
    notes = notes_of(error)
    for state in machine.states.values():
        beginning = f"{state}, "
        for index in range(len(notes) - 1, -1, -1):
            if notes[index].startswith(beginning):
                yield _failure(machine, state, error, notes, index)
                break
    for each in members_of(error):
        yield from failures_of(machine, each)


def _failure(
    machine: Fsm[Any], state: FsmState[Any], error: BaseException, notes: Sequence[str], index: int
) -> Failure:
    where = notes[index].removeprefix(f"{state}, ")
    action = ACTION.match(where)
    is_there = state is machine.current_state or state in machine.suspended
    return Failure(
        machine=machine,
        state=state.name,
        places=list(_places(action[1], notes[:index])) if action else [],
        text=error_text(error),
        where=where,
        is_over=not is_there,
    )


def _places(place: str, notes: Sequence[str]) -> Iterator[str]:
    """Yield the place of an action and those of the children that the notes before it name."""
    yield place
    for note in reversed(notes):
        child = CHILD.match(note)
        if child is None:
            return
        place = f"{place}/{child[1]}"
        yield place
