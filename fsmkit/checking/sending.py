"""Sending: the events that users' code sends without any action declaring them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from fsmkit import FsmAction
from fsmkit.checking.events import events_of
from fsmkit.checking.mentions import given_functions
from fsmkit.checking.reading.moment import Fact
from fsmkit.checking.reading.objects import is_file_of_library, is_of_library
from fsmkit.checking.reading.reader import Reader, Sent
from fsmkit.checking.reading.values import UNKNOWN, known

CALLBACKS: Final = ("on_enter", "on_update", "on_event", "on_suspend", "on_resume", "on_exit")


@frozen
class Reading:
    """What was read in one callback of an action."""

    callback: str
    """Its name; empty for functions that the action was given and calls nobody knows when."""
    sent: tuple[Sent, ...]
    done: frozenset[Fact]
    """What it does whenever it is called."""
    maybe: frozenset[Fact]
    """What it may do."""
    is_complete: bool
    """True if nothing in it was called that could not be read."""


def readings_of(action: FsmAction[Any]) -> tuple[Reading, ...]:
    """Read what an action does in its callbacks.

    Actions of the library declare what they send: only what they were given is read.
    """
    given = given_functions(action)
    if is_of_library(type(action)) and not given:
        return ()
    reached: set[int] = set()
    readings = []
    for callback in CALLBACKS:
        if getattr(type(action), callback) is not getattr(FsmAction, callback):
            reader = Reader()
            arguments = [UNKNOWN, UNKNOWN] if callback == "on_event" else []
            end = reader.read(getattr(action, callback), *arguments)
            reached |= reader.reached
            readings.append(
                Reading(
                    callback, _undeclared(action, reader), end.done, end.maybe, reader.is_complete
                )
            )
    reader = Reader()
    for function in given:
        if id(function) not in reached:
            reader.hand_on(known(function))
    if reader.sent:
        nothing: frozenset[Fact] = frozenset()
        readings.append(Reading("", _undeclared(action, reader), nothing, nothing, False))
    return tuple(readings)


def _undeclared(action: FsmAction[Any], reader: Reader) -> tuple[Sent, ...]:
    if not is_of_library(type(action)):
        return reader.sent
    return tuple(_without(reader.sent, events_of(action)))


def _without(sent: tuple[Sent, ...], events: list[str]) -> Iterator[Sent]:
    """Yield what is sent, but for what the library sends itself."""
    for one in sent:
        is_own = one.code is not None and is_file_of_library(one.code.co_filename)
        if not (is_own and (one.event is None or one.event in events)):
            yield one
