"""What becomes of an event: who takes it, and whether it decides a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsmkit.core.errors import ERROR, UnhandledEventError
from fsmkit.core.failing import (
    change_on_exit,
    check_event,
    error_target,
    keep_failure,
    note_place,
    take_failures,
    unhandled_message,
)
from fsmkit.core.types import BETWEEN, ENTER, EVENT, EXIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsmkit.core.action import FsmAction
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState


def offer_in_turn(fsm: Fsm[Any], event: str, data: object, optional: bool) -> bool:
    """Offer `event` after those that an error has left."""
    if fsm._queue:
        fsm._settle()
    return offer(fsm, event, data, optional)


def offer(fsm: Fsm[Any], event: str, data: object, optional: bool = False) -> bool:
    """Offer `event` to the actions first, then the state, then the machine; True if it was taken.

    An `optional` event that nobody takes is no fault.
    """
    if fsm._next is not None:
        return _wait(fsm, event, data, optional)
    state = fsm._current_state
    if state is None:
        return _unhandled(fsm, event, data, optional)
    if fsm._visit.listeners and fsm._phase is not EXIT and _consumed(fsm, event, data):
        return True
    target = state._transitions.get(event)
    if target is None:
        target = fsm._global_transitions.get(event)
        if target is None:
            return _unhandled(fsm, event, data, optional)
        if target is state:
            _tell(fsm, event, data, "ignored")
            return False
    if fsm._phase is EXIT:
        raise change_on_exit(fsm, f"send_event({event!r})")
    decide(fsm, target, event, data)
    return True


def change_watched(fsm: Fsm[Any], event: str, data: object, _optional: bool) -> bool:
    """Tell the observers of `event` and carry out the change that it leads straight to."""
    visit = fsm._visit
    fsm._phase = EXIT  # nothing else may be decided any more
    fsm._acting = visit.state
    if fsm._observers is not None:
        fsm._observers.event_sent(fsm, event, data, "changed")
    fsm.process_state_actions(EXIT, visit.exits, visit.watched[event], event, data)
    if fsm._unsettled:
        fsm._settle(changes=1)
    return True


def decide(fsm: Fsm[Any], target: FsmState[Any], event: str, data: object) -> None:
    """Decide that `event` leads to `target`; the callback goes on, its walk does not."""
    fsm._next = (target, event, data)
    fsm._interrupted = fsm._unsettled = True
    _tell(fsm, event, data, "changed")


def resolve_failures(fsm: Fsm[Any]) -> None:
    """Turn what failed into the event ERROR if that leads somewhere, else raise it."""
    error = take_failures(fsm)
    target = error_target(fsm, error)
    if target is None:
        raise error
    if fsm._observers is not None:
        fsm._observers.error_raised(fsm, error)
    decide(fsm, target, ERROR, error)


def _wait(fsm: Fsm[Any], event: str, data: object, optional: bool) -> bool:
    """Let `event` wait for the state that was decided; after a stop there will be none."""
    if fsm._next is not None and fsm._next[0] is None:
        return _unhandled(fsm, event, data, optional)
    fsm._queue.append((event, data))
    _tell(fsm, event, data, "queued")
    return True


def _consumed(fsm: Fsm[Any], event: str, data: object) -> bool:
    """Offer `event` to the entered actions that listen; True if one of them took it."""
    visit = fsm._visit
    if fsm._phase is ENTER:  # only those before the one that is being entered
        visit = visit.first(max(0, visit.position(fsm._acting)))
    phase = fsm._phase
    if phase is BETWEEN:
        fsm._phase = EVENT
    taken = False
    try:
        for function, action in visit.listeners:
            if fsm._phase is EVENT:
                fsm._acting = action
            taken = _takes(fsm, function, action, event, data)
            if taken:
                break
    except BaseException as error:
        if phase is not BETWEEN:
            fsm._next = None
            raise  # to the callback that sent the event
        keep_failure(fsm, error)
        return True
    finally:
        fsm._phase = phase
    if taken:
        _tell(fsm, event, data, "consumed")
    return taken


def _takes(
    fsm: Fsm[Any],
    on_event: Callable[..., bool],
    action: FsmAction[Any],
    event: str,
    data: object,
) -> bool:
    try:
        return on_event(action, event, data) or fsm._next is not None
    except BaseException as error:
        note_place(error, action, EVENT)
        raise


def _unhandled(fsm: Fsm[Any], event: str, data: object, optional: bool) -> bool:
    check_event(fsm, event)  # here, because what is handled is one
    if optional:
        return False
    _tell(fsm, event, data, "unhandled")
    if fsm.on_unhandled == "raise":
        raise UnhandledEventError(unhandled_message(fsm, event))
    if fsm.on_unhandled == "warn":
        import logging  # here, because most programs never need it and it costs start-up time

        logging.getLogger("fsmkit").warning(unhandled_message(fsm, event))
    return False


def _tell(fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
    if fsm._observers is not None:
        fsm._observers.event_sent(fsm, event, data, outcome)
