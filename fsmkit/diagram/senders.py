"""Who sends an event that leads out of a state: the machine itself, an action, or code outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsmkit import ERROR, FINISHED, FsmAction, FsmGroup, FsmState
from fsmkit.checking.events import all_actions, events_of
from fsmkit.checking.sending import readings_of
from fsmkit.diagram.graph import Origin
from fsmkit.diagram.wording import visible


class Senders:
    """The actions of some states, and the events that they send."""

    def __init__(self, states: Iterable[FsmState[Any]]) -> None:
        self._kinds: dict[str, dict[str, None]] = {}
        for state in states:
            for action in all_actions(state):
                for event in (*events_of(action), *_events_in_code(action)):
                    kind = visible(type(action).__name__)
                    self._kinds.setdefault(event, {})[kind] = None

    def of(self, event: str) -> tuple[str, ...]:
        """Return the kinds of the actions that send `event`, each once."""
        return tuple(self._kinds.get(event, ()))

    def origin(self, event: str) -> Origin:
        """Return who sends `event`."""
        if event in (FINISHED, ERROR):
            return "itself"
        return "action" if event in self._kinds else "outside"


def _events_in_code(action: FsmAction[Any]) -> Iterator[str]:
    """Yield the events that the code of a user sends to the machine without declaring them."""
    for reading in readings_of(action):
        for sent in reading.sent:
            to = sent.receiver
            is_here = action.fsm in to if isinstance(to, FsmGroup) else to is action.fsm
            if sent.event is not None and is_here:
                yield sent.event
