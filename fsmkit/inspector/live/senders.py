"""The senders of events: the calls to watched machines, and the events between machines."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit import FAILED, FINISHED, Fsm
from fsmkit.inspector.reading.candidates import state_name
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.entries import (
    NOBODY,
    CallOrigin,
    MachineNaming,
    called_by,
    caller_of,
    is_global,
    machines_around,
    outside_of_observers,
)
from fsmkit.inspector.reading.machine_log import LogEntry, Ring
from fsmkit.inspector.reading.page_values import text_of
from fsmkit.introspection.run_state import DelayedEvent, as_delayed

PendingCall: TypeAlias = tuple[str, object, CallOrigin]
"""A pending event, its data, and its sender."""

MOST_PENDING: Final = 1_000
"""Pending events that are kept, for each machine and each kind."""

MOST_SENDS: Final = 2_000
"""Events between machines that are kept."""

FEW: Final = 32
"""Up to this many machines, events are always noted; with more, only while a page shows them."""

LATELY: Final = 8
"""The latest entries, searched for the same event before it was passed on."""


class NotedCalls:
    """Notes who calls the machines it is attached to.

    An event may be reported long after the call: if it was queued, posted or delayed. Its sender is
    kept here until then.
    """

    def __init__(self, names: MachineNaming, code: Code) -> None:
        self._names = names
        self.code = code
        """The lines by which callers are shown."""
        self._notes: dict[Fsm[Any], _CallNotes] = {}

    def attach(self, machine: Fsm[Any]) -> Callable[[], None]:
        """Note the calls to `machine`, until the returned function has been called as often."""
        notes = self._notes.get(machine)
        if notes is None:
            notes = self._notes[machine] = _CallNotes(machine.observe(self))
        notes.users += 1

        def undo() -> None:
            notes.users -= 1
            if not notes.users:
                del self._notes[machine]
                notes.undo()

        return undo

    def event_reported(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Find the sender of an event, before `sender` is asked. Called by the journal."""
        notes = self._notes.get(fsm)
        if notes is not None:
            caller = notes.take(event, data) or NOBODY
            if outcome == "queued":
                notes.queued.append((event, data, caller))
            notes.last = event, caller

    def sender(self, fsm: Fsm[Any], event: str) -> CallOrigin:
        """Return the origin of the event that is being reported.

        For a machine that is not attached, it is known only while the event is being sent.
        """
        notes = self._notes.get(fsm)
        if notes is None:
            return caller_of(fsm, outside_of_observers(sys._getframe(1)), self._names)
        return notes.last[1] if notes.last[0] == event else NOBODY

    def halted(self, fsm: Fsm[Any], event: str) -> LogEntry:
        """Describe the caller of the change at which `fsm` is held.

        Without an event it is being started.
        """
        notes = self._notes.get(fsm)
        if event:
            way = {"global": True} if is_global(fsm, event) else {}
            return {**called_by(self.sender(fsm, event), self.code), **way}
        if notes is not None and notes.command[0] == "start":
            return called_by(notes.command[1], self.code)
        return called_by(caller_of(fsm, sys._getframe(1), self._names), self.code)

    def take_command(self, fsm: Fsm[Any], call: str) -> CallOrigin:
        """Return the origin of a `start()` or `stop()`, once; else `NOBODY`."""
        notes = self._notes.get(fsm)
        if notes is None or notes.command[0] != call:
            return NOBODY
        caller, notes.command = notes.command[1], ("", NOBODY)
        return caller

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        notes = self._notes.get(fsm)
        if notes is None or call not in _NOTED:
            if notes is not None and notes.delayed:
                notes.forget_cancelled()  # the others are delivered in an update
            return carry_out(**arguments)
        caller = caller_of(fsm, sys._getframe(1), self._names)
        if caller is NOBODY or (caller.place is None and not caller.sender):
            caller = self._handed_on(fsm, arguments) or caller
        match call:
            case "post_event":
                return notes.post(caller, arguments, carry_out)
            case "send_event_after":
                return notes.delay(caller, arguments, carry_out)
            case "start" | "stop":
                notes.command = call, caller
                return carry_out(**arguments)
        notes.calls.append(_Call(arguments["event"], caller))
        try:
            return carry_out(**arguments)
        finally:
            notes.calls.pop()

    def _handed_on(self, fsm: Fsm[Any], arguments: dict[str, Any]) -> CallOrigin | None:
        """Return the origin of a pending event that the outer machine passes on to `fsm`."""
        sent = arguments.get("event"), arguments.get("data")
        for outer in machines_around(fsm):
            notes = self._notes.get(outer)
            if notes is not None and (found := notes.find(*sent)) is not None:
                return found[1]
        return None


_NOTED: Final = frozenset(
    {"send_event", "offer_event", "post_event", "send_event_after", "start", "stop"}
)
"""The calls that are noted."""


@define(eq=False)
class _Call:
    """A call that sends an event and has not returned."""

    event: object
    caller: CallOrigin
    is_reported: bool = False
    """True once the outcome was reported; later reports are about another event."""


@define(eq=False)
class _CallNotes:
    undo: Callable[[], None]
    users: int = 0
    calls: list[_Call] = field(factory=list)
    queued: deque[PendingCall] = field(factory=lambda: deque(maxlen=MOST_PENDING))
    posted: deque[PendingCall] = field(factory=lambda: deque(maxlen=MOST_PENDING))
    """Written by any thread."""
    delayed: list[tuple[DelayedEvent, CallOrigin]] = field(factory=list)
    last: tuple[str, CallOrigin] = ("", NOBODY)
    """The event that was reported last, and its sender."""
    command: tuple[str, CallOrigin] = ("", NOBODY)
    """The last `start` or `stop`, until it has taken effect."""

    def take(self, event: str, data: object) -> CallOrigin | None:
        """Return the origin of an event that is being reported, once."""
        call = self.calls[-1] if self.calls else None
        if call is not None and not call.is_reported and call.event == event:
            call.is_reported = True
            return call.caller
        found = self.find(event, data)
        if found is None:
            return None
        pending, caller = found
        if isinstance(pending, DelayedEvent):
            self.forget_cancelled()
        else:
            while pending and pending.popleft()[2] is not caller:
                pass  # it was dropped before: they come in order
        return caller

    def find(
        self, event: object, data: object
    ) -> tuple[deque[PendingCall] | DelayedEvent, CallOrigin] | None:
        for pending in self.queued, self.posted:
            for other, given, caller in tuple(pending):
                if other == event and given is data:
                    return pending, caller
        due = [each for each in self.delayed if not each[0].pending and each[0].event == event]
        if not due:
            return None
        return min(due, key=lambda each: (each[0].data is not data, each[0].due))

    def forget_cancelled(self) -> None:
        self.delayed = [each for each in self.delayed if each[0].pending]

    def post(
        self, caller: CallOrigin, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        """Note a call that posts an event; before, since the loop may send it at any time."""
        pending = arguments["event"], arguments["data"], caller._replace(how="posted")
        self.posted.append(pending)
        try:
            return carry_out(**arguments)
        except BaseException:
            self.posted.remove(pending)
            raise

    def delay(
        self, caller: CallOrigin, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        handle = carry_out(**arguments)
        if len(self.delayed) >= MOST_PENDING:
            self.forget_cancelled()
            del self.delayed[: max(0, 1 + len(self.delayed) - MOST_PENDING)]
        delayed = as_delayed(handle)  # while it is recorded, another object stands for it
        if delayed is not None:
            self.delayed.append((delayed, caller._replace(how=f"after {arguments['delay']:g} s")))
        return handle


@define(eq=False)
class Sends:
    """Keeps the events that another machine's code, or the game, has sent to a machine.

    Events that a machine sends to itself are left out. To find the sender, the frames of the call
    are walked: about 13 us an event. When an event that was posted or delayed is reported, its
    sender is no longer on the stack: it is known only if the call was noted, which is done while a
    page has selected the receiver or shows who sends.

    `names` are those of all machines; `outermost_name` returns that of the machine around one.
    """

    _calls: NotedCalls
    _names: Mapping[Fsm[Any], str]
    _outermost_name: Callable[[Fsm[Any]], str]
    _now: Callable[[], float]
    ring: Ring[LogEntry] = field(factory=lambda: Ring(MOST_SENDS), init=False)
    is_wanted: bool = field(default=False, init=False)
    """True while a page shows them."""
    _queued: deque[tuple[Fsm[Any], str, object, CallOrigin]] = field(
        factory=lambda: deque(maxlen=MOST_PENDING), init=False
    )
    _changing: list[Fsm[Any]] = field(factory=list, init=False)
    """Machines that are changing their state, each once, the last one last.

    The effect of a transition may send events."""
    _last_nested: int = field(default=-LATELY, init=False)
    """The number of the last entry about a nested machine."""

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        if not self.is_wanted and len(self._names) > FEW:
            return
        queued = self._take_queued(fsm, event, data) if self._queued else None
        caller = queued if queued is not None else self._calls.sender(fsm, event)
        if outcome == "queued":
            self._queued.append((fsm, event, data, caller))
            return
        if outcome == "changed" and self._changing != [fsm]:
            self._changing = [
                each for each in self._changing if each is not fsm and each.phase is not None
            ]
            self._changing.append(fsm)
        sender = caller.action.fsm if caller.action is not None else self._in_effect(fsm)
        is_own = sender is fsm or (caller == NOBODY and event in (FINISHED, FAILED))
        if not is_own:
            self._add({
                "to": self._outermost_name(fsm),
                "machine": self._names[fsm],
                "event": event,
                "outcome": outcome,
                "state": state_name(fsm) or "",
                "data": "" if data is None else text_of(data),
                **called_by(caller, self._calls.code),
                **self._by(sender, caller),
            })  # fmt: skip

    def _by(self, sender: Fsm[Any] | None, caller: CallOrigin) -> LogEntry:
        if sender is None:
            return {}
        name = self._names.get(sender, sender.name)
        effect = {} if caller.sender else {"sender": f"{name}: the effect of a transition"}
        return {"from": self._outermost_name(sender), "by": name, **effect}

    def _add(self, parts: LogEntry) -> None:
        kept = {name: value for name, value in parts.items() if value != ""}
        entry = {"seq": self.ring.next, "time": self._now(), **kept}
        self._mark_handed_on(entry)
        self.ring.add(entry)

    def _mark_handed_on(self, entry: LogEntry) -> None:
        """Mark the entry of a nested machine if the outermost one is reported to take its event."""
        if entry["machine"] != entry["to"]:
            self._last_nested = entry["seq"]
        if self._last_nested < entry["seq"] - LATELY or self._last_nested == entry["seq"]:
            return
        for other in self.ring.since(self.ring.next - LATELY, LATELY):
            same = all(other[part] == entry[part] for part in ("to", "event", "time"))
            if same and other["machine"] != other["to"]:
                other["handed"] = True

    def _take_queued(self, fsm: Fsm[Any], event: str, data: object) -> CallOrigin | None:
        for pending in self._queued:
            if pending[0] is fsm and pending[1] == event and pending[2] is data:
                self._queued.remove(pending)
                return pending[3]
        return None

    def _in_effect(self, fsm: Fsm[Any]) -> Fsm[Any] | None:
        """Return the machine whose transition is running its effect, if any."""
        machine: Fsm[Any]
        for machine in reversed(self._changing):
            if machine is not fsm and machine.phase and machine.acting is None:
                return machine
        return None
