"""Sends: who has sent which event to whom lately."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from fsmkit import FINISHED, Fsm
from fsmkit.inspector.loop.all_machines import AllMachines
from fsmkit.inspector.reading.callers import NOBODY, Caller
from fsmkit.inspector.reading.entries import called_by
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.noted_calls import NotedCalls
from fsmkit.inspector.reading.ring import Ring
from fsmkit.inspector.reading.values import text_of

MOST_SENDS: Final = 2_000
"""Events that are kept."""

MOST_QUEUED: Final = 1_000
"""Events in the queues of machines whose senders are remembered."""

FEW: Final = 32
"""Machines up to which events are noted always; of more, only while a page shows them."""

LATELY: Final = 8
"""Entries among which the one is looked for that is about the same event, handed on."""


class Sends:
    """Notes each event that one machine's code, or the game, has sent to a machine.

    What a machine sends to itself is left out. To find the sender, the frames of the call are
    walked: about 3 us an event. An event that a machine has posted or delayed is reported when
    nobody knows any more who has sent it, unless a page has selected its receiver.
    """

    def __init__(
        self, known: AllMachines, calls: NotedCalls, names: Mapping[Fsm[Any], str]
    ) -> None:
        self.ring: Ring[Entry] = Ring(MOST_SENDS)
        self.is_wanted = False
        """True while a page shows them."""
        self._known = known
        self._calls = calls
        self._names = names
        self._queued: deque[tuple[Fsm[Any], str, object, Caller]] = deque(maxlen=MOST_QUEUED)
        self._changing: list[Fsm[Any]] = []
        """Machines that are changing their state; the effect of a transition may send events."""
        known.listener = self.event_sent

    @property
    def are_noted(self) -> bool:
        """True if events are being noted."""
        return self.is_wanted or self._known.count <= FEW

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Note an event, for an observer in `event_sent`."""
        if not self.are_noted:
            return
        caller = self._take_queued(fsm, event, data) or self._calls.caller(fsm, event, data)
        if outcome == "queued":
            self._queued.append((fsm, event, data, caller))
            return
        if outcome == "changed":
            self._changing = [each for each in self._changing if each.phase is not None]
            self._changing.append(fsm)
        sender = caller.action.fsm if caller.action is not None else self._in_effect(fsm)
        is_own = sender is fsm or (caller == NOBODY and event == FINISHED)
        if not is_own:
            text = "" if data is None else text_of(data)
            told = {"event": event, "outcome": outcome, "data": text}
            self._add(fsm, sender, {**told, **called_by(caller, self._calls.code)})

    def _add(self, fsm: Fsm[Any], sender: Fsm[Any] | None, told: Entry) -> None:
        state = fsm.current_state
        entry: Entry = {
            "seq": self.ring.next,
            "time": self._known.now(),
            "to": self._known.record(fsm).name,
            "machine": self._names.get(fsm, fsm.name),
            "state": state.name if state is not None else "",
            **told,
        }
        if sender is not None:
            outer = self._known.record(sender).name if sender in self._known else sender.name
            entry |= {"from": outer, "by": self._names.get(sender, sender.name)}
            if "sender" not in entry:
                entry["sender"] = f"{entry['by']}: the effect of a transition"
        self._mark_handed_on(entry)
        self.ring.add({name: value for name, value in entry.items() if value != ""})

    def _mark_handed_on(self, entry: Entry) -> None:
        """Mark what a nested machine got of an event that its outermost one is reported to take."""
        if entry["machine"] != entry["to"]:
            return
        for other in self.ring.since(self.ring.next - LATELY, LATELY):
            same = all(other[part] == entry[part] for part in ("to", "event", "time"))
            if same and other["machine"] != other["to"]:
                other["handed"] = True

    def _take_queued(self, fsm: Fsm[Any], event: str, data: object) -> Caller | None:
        """Return who has sent an event that was waiting in the queue of `fsm`; None if none was."""
        for waiting in self._queued:
            if waiting[0] is fsm and waiting[1] == event and waiting[2] is data:
                self._queued.remove(waiting)
                return waiting[3]
        return None

    def _in_effect(self, fsm: Fsm[Any]) -> Fsm[Any] | None:
        """Return the machine whose transition has an effect just now; None if there is none."""
        changing = (
            machine
            for machine in reversed(self._changing)
            if machine is not fsm and machine.phase is not None and machine.acting is None
        )
        return next(changing, None)
