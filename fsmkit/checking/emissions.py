"""The events that are sent in a machine, as actions declare it or as their code shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from attrs import evolve, frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.checking.names_in_code import given_functions
from fsmkit.checking.reading.code_state import Deed
from fsmkit.checking.reading.known_values import UNKNOWN, known
from fsmkit.checking.reading.objects import is_file_of_library, is_of_library
from fsmkit.checking.reading.reader import CodeReader, Sent
from fsmkit.checking.transitions import Transitions
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import sent_events

CALLBACKS: Final = ("on_enter", "on_update", "on_event", "on_suspend", "on_resume", "on_exit")
DELIVERED_HERE: Final = ("on_enter", "on_update", "on_event")
"""The callbacks in which the state of an action is the current one."""


@frozen
class CallbackReading:
    callback: str
    """Its name; empty for functions that the action was given and calls at unknown times."""
    sent: tuple[Sent, ...] = ()
    done: frozenset[Deed] = frozenset()
    """Deeds that each call certainly does."""
    maybe: frozenset[Deed] = frozenset()
    """Deeds that a call may do."""
    is_complete: bool = True
    """True if everything that it calls could be read."""


@frozen
class Emission:
    state: FsmState[Any]
    action: FsmAction[Any]
    event: str
    receiver: Fsm[Any] | FsmGroup
    callback: str | None = None
    """The callback in which that was read; None if the action declares it."""
    is_here: bool = True
    """True if it can only be delivered while the state is the current one."""


class Emissions:
    def __init__(self, transitions: Transitions) -> None:
        self._transitions = transitions
        # By id: not every action has a hash.
        self._readings: dict[int, tuple[CallbackReading, ...]] = {}
        self._failing: dict[FsmState[Any], frozenset[int]] = {}

    def readings(self, action: FsmAction[Any]) -> tuple[CallbackReading, ...]:
        if id(action) not in self._readings:
            self._readings[id(action)] = tuple(_readings_of(action))
        return self._readings[id(action)]

    def on_enter(self, action: FsmAction[Any]) -> CallbackReading:
        readings = (each for each in self.readings(action) if each.callback == "on_enter")
        return next(readings, CallbackReading("on_enter"))

    def may_fail(self, action: FsmAction[Any]) -> bool | None:
        """Return whether an action may fail, as is declared or the code of its state shows.

        None if that cannot be known before it runs.
        """
        declared = action._may_fail_(self.may_fail)
        is_called = id(action) in self._failed_in(action.state)
        return True if is_called or FsmAction.fail in given_functions(action) else declared

    def _failed_in(self, state: FsmState[Any]) -> frozenset[int]:
        """Return the ids of the actions that code in a state may call `fail()` of.

        Without what actions of the library do themselves: they declare it.
        """
        if state not in self._failing:
            self._failing[state] = frozenset(
                receiver
                for action in walk.actions(state, "enabled")
                for reading in self.readings(action)
                if reading.callback != "on_exit"
                for verb, receiver, _ in reading.maybe
                if verb == "fail" and (receiver != id(action) or not is_of_library(type(action)))
            )
        return self._failing[state]

    def every(self) -> Iterator[Emission]:
        return chain.from_iterable(map(self.of_state, self._transitions.states))

    def of_state(self, state: FsmState[Any]) -> Iterator[Emission]:
        """Yield the events that are declared in a state, then those that its code sends."""
        for action in walk.actions(state, "enabled"):
            found: dict[tuple[str, int], Emission] = {}
            for event in sent_events(action):
                found[event, id(state.fsm)] = Emission(state, action, event, state.fsm)
            for reading in self.readings(action):
                for sent in reading.sent:
                    if sent.event is not None and sent.how != "offered":
                        one = self._sent_event(state, action, reading, sent)
                        found.setdefault((one.event, id(one.receiver)), one)
            yield from found.values()

    def _sent_event(
        self, state: FsmState[Any], action: FsmAction[Any], reading: CallbackReading, sent: Sent
    ) -> Emission:
        is_own = sent.receiver is state.fsm
        is_awaited = sent.how == "after" and not sent.is_kept
        is_here = (
            is_own
            and reading.callback in DELIVERED_HERE
            and not sent.is_later
            and (is_awaited or (sent.how == "now" and not self._may_lead_away(state, sent.before)))
        )
        event = str(sent.event)
        return Emission(state, action, event, sent.receiver, reading.callback, is_here)

    def _may_lead_away(self, state: FsmState[Any], deeds: frozenset[Deed]) -> bool:
        """Return True if one of these may have changed the state: later events are queued then."""
        return not all(
            verb == "sent"
            and (
                receiver is not state.fsm
                or (event is not None and not self._transitions.knows(state, event))
            )
            for verb, receiver, event in deeds
        )


def _readings_of(action: FsmAction[Any]) -> Iterator[CallbackReading]:
    """Read the callbacks of an action, and the functions that it was given and does not call.

    Actions of the library declare what they send: only what they were given is read.
    """
    given = given_functions(action)
    if is_of_library(type(action)) and not given:
        return
    reached: set[int] = set()
    readings: list[CallbackReading] = []
    for callback in CALLBACKS:
        if getattr(type(action), callback) is not getattr(FsmAction, callback):
            reader = CodeReader()
            arguments = [UNKNOWN, UNKNOWN] if callback == "on_event" else []
            end = reader.read(getattr(action, callback), *arguments)
            reached |= reader.reached
            sent = tuple(_undeclared(action, reader))
            readings.append(
                CallbackReading(callback, sent, end.done, end.maybe, reader.is_complete)
            )
    if rest := [function for function in given if id(function) not in reached]:
        reader = CodeReader()
        for function in rest:
            reader.hand_on(known(function))
        readings = [evolve(reading, is_complete=False) for reading in readings]
        readings.append(CallbackReading("", tuple(_undeclared(action, reader)), is_complete=False))
    yield from readings


def _undeclared(action: FsmAction[Any], reader: CodeReader) -> Iterator[Sent]:
    """Yield what is sent, except what an action of the library sends itself."""
    is_declared = is_of_library(type(action))
    for sent in reader.sent:
        is_its_own = sent.code is not None and is_file_of_library(sent.code.co_filename)
        if not (is_declared and is_its_own):
            yield sent
