"""Journal: what machines do during a call, as an observer is told."""

from __future__ import annotations

from typing import Any

from fsmkit import Fsm, FsmState
from fsmkit.recording.chronicle import sender_title
from fsmkit.recording.replay.steps import Entry
from fsmkit.terminal.console import described
from fsmkit.tooling.nesting import MachineNames


class Journal:
    """Observes machines, and keeps an entry for each event, change of state and error."""

    def __init__(self, names: MachineNames) -> None:
        self._names = names
        self._entries: list[Entry] = []

    def take(self) -> tuple[Entry, ...]:
        """Return the entries since the last time."""
        entries, self._entries = tuple(self._entries), []
        return entries

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Add it."""
        sender = sender_title(fsm.acting)
        name = event if isinstance(event, str) else described(event)  # a journal holds strings only
        self._entries.append(("event", self._names.names[fsm], name, outcome, sender))

    def state_left(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it."""
        self._entries.append(("leave", self._names.names[fsm], state.name))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Add it."""
        self._entries.append(("enter", self._names.names[fsm], state.name, event or ""))

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it."""
        self._entries.append(("suspend", self._names.names[fsm], state.name))

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Add it."""
        self._entries.append(("resume", self._names.names[fsm], state.name))

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Add it."""
        self._entries.append(("error", self._names.names[fsm], error_text(error)))


def error_text(error: BaseException) -> str:
    """Return the type and the message of an error."""
    try:
        return f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # a user's class may have a failing __str__
        return type(error).__name__
