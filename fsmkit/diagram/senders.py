"""Who sends an event that leads out of a state: the machine itself, an action, or code outside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, field

from fsmkit import ERROR, FINISHED, FsmAction, FsmState
from fsmkit.checking.events import all_actions, events_of
from fsmkit.checking.user_code import class_words, given_words
from fsmkit.diagram.graph import Origin
from fsmkit.diagram.wording import visible


@define
class Senders:
    """The actions of some states, and the events that they send."""

    states: Iterable[FsmState[Any]]
    _kinds: dict[str, list[str]] | None = field(default=None, init=False)

    def of(self, event: str) -> tuple[str, ...]:
        """Return the kinds of the actions that send `event`, each once.

        An action whose code mentions the event counts too: a lambda that sends it.
        """
        if self._kinds is None:
            self._kinds = self._read()
        return tuple(dict.fromkeys(self._kinds.get(event, ())))

    def origin(self, event: str) -> Origin:
        """Return who sends `event`."""
        if event in (FINISHED, ERROR):
            return "itself"
        return "action" if self.of(event) else "outside"

    def _read(self) -> dict[str, list[str]]:
        kinds: dict[str, list[str]] = {}
        for state in self.states:
            for action in all_actions(state):
                for word in (*events_of(action), *_mentioned(action)):
                    kinds.setdefault(word, []).append(visible(type(action).__name__))
        return kinds


def _mentioned(action: FsmAction[Any]) -> set[str]:
    """Return the words in the code of an action that sends something itself."""
    words = given_words([action])
    if type(action).__module__.partition(".")[0] != "actions":
        words |= class_words(action)
    return words if "send_event" in words else set()
