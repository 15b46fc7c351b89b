"""Journal: what machines do during a call, as an observer is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm, FsmState
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.chronicle import sender_title
from fsmkit.recording.replay.plain_text import NOTHING_TO_TELL, short_text
from fsmkit.recording.replay.steps import Entry
from fsmkit.terminal.console import described
from fsmkit.tooling.nesting import MachineNames


class Journal:
    """Observes machines, and keeps an entry for each event, change of state and error."""

    def __init__(self, names: MachineNames) -> None:
        self.data: object = None
        """The data that comes with the call; it is not told again."""
        self.visited: list[FsmState[Any]] = []
        """The states that were entered or left since the last `take`."""
        self._names = names
        self._entries: list[Entry] = []

    def take(self) -> tuple[Entry, ...]:
        """Return the entries since the last time."""
        if not self._entries:
            return ()
        entries = tuple(self._entries)
        self._entries, self.visited = [], []
        return entries

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Add it."""
        sender = sender_title(fsm.acting)
        name = event if isinstance(event, str) else described(event)  # a journal holds strings only
        entry: Entry = ("event", self._names.names[fsm], name, outcome, sender)
        if data is not None and data is not self.data:
            entry = (*entry, *_told(data))
        self._entries.append(entry)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it."""
        self._add("leave", fsm, state)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Add it."""
        self._add("enter", fsm, state, event or "")

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it."""
        self._add("suspend", fsm, state)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it."""
        self._add("resume", fsm, state)

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Add it."""
        self._entries.append(("error", self._names.names[fsm], shown_error(error)))

    def _add(self, kind: str, fsm: Fsm[Any], state: FsmState[Any], *more: str) -> None:
        self.visited.append(state)
        self._entries.append((kind, self._names.names[fsm], state.name, *more))


def whereabouts(names: Mapping[Fsm[Any], str]) -> tuple[Entry, ...]:
    """Return the entries that say where restored machines are now."""
    entries: list[Entry] = []
    for fsm, name in names.items():
        entries.append(("restored", name))
        entries += [("suspend", name, state.name) for state in fsm.suspended]
        if fsm.current_state is not None:
            entries.append(("in", name, fsm.current_state.name))
    return tuple(entries)


def _told(data: object) -> tuple[str, ...]:
    """Return the text of an event's data, as far as it is plain; nothing if none of it is."""
    try:
        text = short_text(data)
    except Exception:  # of a class of the game's own
        return ()
    return (text,) if text != NOTHING_TO_TELL else ()
