"""Conditions: events that an action of the machine sends when something comes about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.checking.endings import ending
from fsmkit.checking.events import all_actions
from fsmkit.checking.sending import Sending
from fsmkit.checking.ways import Ways


class Conditions:
    """What the actions of `machines` send on a condition, which another world may meet.

    An action that sends its event in any case, such as a TimedWait, is none of them: if that event
    never comes, something is in its way.
    """

    def __init__(self, machines: Sequence[Fsm[Any]]) -> None:
        self._sendings = [(machine, Sending(Ways(machine))) for machine in machines]

    def sender(
        self, machine: Fsm[Any], state: str | None, event: str,
        was_entered: Callable[[Fsm[Any], str], bool],
    ) -> FsmAction[Any] | None:  # fmt: skip
        """Return an action that was at work and might have sent `event` to `machine` in `state`.

        A `state` of None stands for any.
        """
        for home, sending in self._sendings:
            for place in home.states.values():
                is_here = home is not machine or state in (None, place.name)
                if is_here and was_entered(home, place.name):
                    for action in _senders(sending, place, event, machine):
                        return action
        return None


def _senders(
    sending: Sending, state: FsmState[Any], event: str, machine: Fsm[Any]
) -> Iterator[FsmAction[Any]]:
    for action in all_actions(state):
        is_certain = action.finishes in ("at once", "in time")
        is_declared = event in action.sends and not is_certain
        is_its_end = event == action.finish_event and ending(action) is None
        is_own = state.fsm is machine and (is_declared or is_its_end)
        if is_own or _sends_by_code(sending, action, event, machine):
            yield action


def _sends_by_code(sending: Sending, action: FsmAction[Any], event: str, machine: Fsm[Any]) -> bool:
    """Return True if the code of an action sends the event at once, but not always."""
    return any(
        (sent.event, sent.how) == (event, "now")
        and sent.receiver is machine
        and ("sent", machine, event) not in reading.done
        for reading in sending.readings(action)
        for sent in reading.sent
    )
