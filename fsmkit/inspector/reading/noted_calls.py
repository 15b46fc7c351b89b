"""NotedCalls: the calls to watched machines, so that of each event it is known who has sent it."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from attrs import define, evolve, field

from fsmkit import Fsm
from fsmkit.inspector.reading.callers import (
    NOBODY,
    Caller,
    Names,
    caller_of,
    outside_of_observers,
)
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.entries import called_by, is_global, place_of_error
from fsmkit.inspector.reading.log import Entry
from fsmkit.tooling.run_state import DelayedEvent, as_delayed

Waiting: TypeAlias = tuple[str, object, Caller]
"""An event that waits, its data, and who has sent it."""

MOST_WAITING: Final = 1_000
"""Events of one machine that are kept while they wait, of each kind."""


@define(eq=False)
class _Call:
    """A call that sends an event and has not returned."""

    event: object
    caller: Caller
    is_reported: bool = False
    """True once observers were told what has become of it; what they are told then is another."""


class NotedCalls:
    """Notes who calls the machines it is attached to.

    An event may be reported long after the call: one that was queued, posted or delayed. Its sender
    waits here as long as it does. Attach it before those that ask it.
    """

    def __init__(self, names: Names, code: Code) -> None:
        self._names = names
        self.code = code
        """The lines to which the calls are told."""
        self._notes: dict[Fsm[Any], _Notes] = {}

    def attach(self, machine: Fsm[Any]) -> Callable[[], None]:
        """Note the calls to `machine`, until the function returned was called as often."""
        notes = self._notes.get(machine)
        if notes is None:
            notes = self._notes[machine] = _Notes(machine.observe(self))
        notes.users += 1

        def undo() -> None:
            notes.users -= 1
            if not notes.users:
                del self._notes[machine]
                notes.undo()

        return undo

    def sender(self, fsm: Fsm[Any], event: str) -> Caller:
        """Return who has sent an event, for an observer in `event_sent`.

        Of a machine that is not attached it is known only if the event is being sent right now.
        """
        notes = self._notes.get(fsm)
        if notes is None:
            return caller_of(fsm, outside_of_observers(sys._getframe(1)), self._names)
        return notes.last[1] if notes.last[0] == event else NOBODY

    def called_by(self, fsm: Fsm[Any], event: str, data: object) -> Entry:
        """Return what there is to say of the sender, for an observer that may be told before."""
        return called_by(self.caller(fsm, event, data), self.code)

    def caller(self, fsm: Fsm[Any], event: str, data: object) -> Caller:
        """Return who has sent an event, for an observer that may be told before."""
        notes = self._notes.get(fsm)
        caller = None if notes is None else notes.sender(event, data)
        return caller or self.sender(fsm, event)

    def place_of(self, error: BaseException) -> Entry:
        """Return what there is to say of the line that an error came from."""
        place = place_of_error(error, self.code)
        return {} if place is None else {"place": place}

    def halted(self, fsm: Fsm[Any], event: str) -> Entry:
        """Return what there is to say of who wants the change at which `fsm` is held.

        Without an event it is being started.
        """
        notes = self._notes.get(fsm)
        if event:
            way = {"global": True} if is_global(fsm, event) else {}
            return {**called_by(self.sender(fsm, event), self.code), **way}
        if notes is not None and notes.command[0] == "start":
            return called_by(notes.command[1], self.code)
        return called_by(caller_of(fsm, sys._getframe(1), self._names), self.code)

    def take_command(self, fsm: Fsm[Any], call: str) -> Caller:
        """Return who has called `start()` or `stop()`, once; `NOBODY` if nobody has."""
        notes = self._notes.get(fsm)
        if notes is None or notes.command[0] != call:
            return NOBODY
        caller, notes.command = notes.command[1], ("", NOBODY)
        return caller

    # As an observer

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Find out who has sent it."""
        notes = self._notes[fsm]
        caller = notes.take(event, data) or NOBODY
        if outcome == "queued":
            notes.queued.append((event, data, caller))
        notes.last = event, caller

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Note who makes the call, and carry it out."""
        notes = self._notes.get(fsm)
        note = _NOTED_BY.get(call)
        if notes is None or note is None:
            if notes is not None and notes.delayed:
                notes.forget_cancelled()  # the others are delivered in an update
            return carry_out(**arguments)
        caller = caller_of(fsm, sys._getframe(1), self._names)
        if caller is NOBODY or (caller.place is None and not caller.sender):
            caller = self._handed_on(fsm, arguments) or caller
        return note(notes, caller, arguments, carry_out)

    def _handed_on(self, fsm: Fsm[Any], arguments: dict[str, Any]) -> Caller | None:
        """Return who has sent a waiting event that the outer machine hands on to `fsm`."""
        host = fsm.host
        while host is not None and (outer := host.fsm) is not None:
            notes = self._notes.get(outer)
            found = (
                None
                if notes is None
                else notes.found(arguments.get("event"), arguments.get("data"))
            )
            if found is not None:
                return found[1]
            host = outer.host
        return None


@define(eq=False)
class _Notes:
    """What is noted of one machine."""

    undo: Callable[[], None]
    users: int = 0
    calls: list[_Call] = field(factory=list)
    queued: deque[Waiting] = field(factory=lambda: deque(maxlen=MOST_WAITING))
    posted: deque[Waiting] = field(factory=lambda: deque(maxlen=MOST_WAITING))
    """Written by any thread."""
    delayed: list[tuple[DelayedEvent, Caller]] = field(factory=list)
    last: tuple[str, Caller] = ("", NOBODY)
    command: tuple[str, Caller] = ("", NOBODY)
    """The last `start` or `stop`, until it has taken effect."""

    def sender(self, event: str, data: object) -> Caller | None:
        """Return who has sent an event that has not been reported here yet."""
        if (call := self._call(event)) is not None:
            return call.caller
        found = self.found(event, data)
        return None if found is None else found[1]

    def take(self, event: str, data: object) -> Caller | None:
        """Return the same, once."""
        if (call := self._call(event)) is not None:
            call.is_reported = True
            return call.caller
        found = self.found(event, data)
        if found is None:
            return None
        waiting, caller = found
        if isinstance(waiting, DelayedEvent):
            self.forget_cancelled()
        else:
            while waiting and waiting.popleft()[2] is not caller:
                pass  # it was dropped before: they come in order
        return caller

    def _call(self, event: str) -> _Call | None:
        """Return the call that is sending an event, unless that was reported."""
        call = self.calls[-1] if self.calls else None
        return call if call is not None and not call.is_reported and call.event == event else None

    def found(
        self, event: object, data: object
    ) -> tuple[deque[Waiting] | DelayedEvent, Caller] | None:
        """Return where a waiting event is noted, and who has sent it."""
        for waiting in self.queued, self.posted:
            for other, given, caller in tuple(waiting):
                if other == event and given is data:
                    return waiting, caller
        due = [each for each in self.delayed if not each[0].pending and each[0].event == event]
        if not due:
            return None
        return min(due, key=lambda each: (each[0].data is not data, each[0].due))

    def forget_cancelled(self) -> None:
        """Forget the delayed events that do not wait any more."""
        self.delayed = [each for each in self.delayed if each[0].pending]

    def send(
        self, caller: Caller, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        """Note a call that sends an event at once."""
        self.calls.append(_Call(arguments["event"], caller))
        try:
            return carry_out(**arguments)
        finally:
            self.calls.pop()

    def post(
        self, caller: Caller, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        """Note a call that posts an event; before, since the loop may send it at any time."""
        waiting = arguments["event"], arguments["data"], evolve(caller, how="posted")
        self.posted.append(waiting)
        try:
            return carry_out(**arguments)
        except BaseException:
            self.posted.remove(waiting)
            raise

    def delay(
        self, caller: Caller, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        """Note a call that sends an event later."""
        handle = carry_out(**arguments)
        if len(self.delayed) >= MOST_WAITING:
            self.forget_cancelled()
            del self.delayed[: max(0, 1 + len(self.delayed) - MOST_WAITING)]
        delayed = as_delayed(handle)  # while it is recorded, another object stands for it
        if delayed is not None:
            self.delayed.append((delayed, evolve(caller, how=f"after {arguments['delay']:g} s")))
        return handle

    def start(
        self, caller: Caller, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        """Note a call of `start()`."""
        self.command = "start", caller
        return carry_out(**arguments)

    def stop(
        self, caller: Caller, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        """Note a call of `stop()`."""
        self.command = "stop", caller
        return carry_out(**arguments)


_NOTED_BY: Final = {
    "send_event": _Notes.send,
    "offer_event": _Notes.send,
    "post_event": _Notes.post,
    "send_event_after": _Notes.delay,
    "start": _Notes.start,
    "stop": _Notes.stop,
}
"""How each call is noted; the others are not."""
