"""Who sends an event that leads out of a state: the machine itself, an action, or code outside."""

from __future__ import annotations

from typing import Any

from fsmkit import ERROR, FINISHED, Fsm, FsmGroup, FsmState
from fsmkit.checking.sending import Sending, SentEvent
from fsmkit.checking.ways import Ways
from fsmkit.diagram.graph import Origin
from fsmkit.diagram.wording import visible


class Senders:
    """The actions of a machine, and the events that they send it: declared, or read in the code."""

    def __init__(self, machine: Fsm[Any]) -> None:
        self._kinds: dict[tuple[FsmState[Any] | None, str], dict[str, None]] = {}
        self._late: dict[str, dict[str, None]] = {}
        """Event -> those whose event may come when another state is the current one."""
        sending = Sending(Ways(machine))
        for state in machine.states.values():
            for sent in sending.of_state(state):
                if _is_to(machine, sent):
                    self._add(sent)

    def of(self, event: str, state: FsmState[Any] | None) -> tuple[str, ...]:
        """Return the kinds of the actions that send `event` in `state`, each once.

        That includes actions of other states whose event may come late. None stands for any state.
        """
        own = self._kinds.get((state, event), {})
        return tuple({**own, **self._late.get(event, {})})

    def _add(self, sent: SentEvent) -> None:
        kind = {visible(type(sent.action).__name__): None}
        for state in (sent.state, None):
            self._kinds.setdefault((state, sent.event), {}).update(kind)
        if not sent.is_here:
            self._late.setdefault(sent.event, {}).update(kind)


def origin_of(event: str, senders: tuple[str, ...]) -> Origin:
    """Return who sends `event`, if actions of these kinds do."""
    if event in (FINISHED, ERROR):
        return "itself"
    return "action" if senders else "outside"


def _is_to(machine: Fsm[Any], sent: SentEvent) -> bool:
    to = sent.receiver
    return machine in to if isinstance(to, FsmGroup) else to is machine
