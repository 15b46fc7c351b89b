"""When actions finish, and with the last of them the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsmkit.core.errors import FINISHED
from fsmkit.core.failing import note_place
from fsmkit.core.types import ENTER, EXIT, UPDATE

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState


def finish(fsm: Fsm[Any], action: FsmAction[Any]) -> None:
    """End the part of `action` in the present visit, if it has one."""
    if action._finished or not _takes_part(fsm, action):
        return
    action._finished = True
    fsm._finished += 1
    fsm._visit = fsm._visit.resting(action)
    if fsm._phase is UPDATE and action is not fsm._acting:
        fsm._interrupted = fsm._unsettled = True  # the walk has to look who is left
    if fsm._phase is None:
        fsm._call(_announce, fsm, action)
    else:
        _announce(fsm, action)


def finish_child(child: FsmAction[Any]) -> None:
    """End the part of an action that is run by another one; that one sees to the rest."""
    if child._finished or not child._under_way:
        return
    child._finished = True
    if child.fsm._phase is None:
        child.fsm._call(_announce_child, child.fsm, child)
    else:
        _announce_child(child.fsm, child)


def send_finished(fsm: Fsm[Any]) -> None:
    """Send FINISHED if it leads somewhere and no change of this state has been decided."""
    state = fsm._current_state
    if state is None or fsm._next is not None:
        return
    if FINISHED in state._transitions or FINISHED in fsm._global_transitions:
        fsm.send_event(FINISHED)


def forget_finished(state: FsmState[Any]) -> None:
    """Make the actions of a state that is left ready for the next visit."""
    for action in state._actions:  # even one whose on_enter finished it and then raised
        action._finished = False
    state.fsm._finished = 0


def withdraw(fsm: Fsm[Any], action: FsmAction[Any]) -> None:
    """Take an action that is removed from the current state out of the visit."""
    visit = fsm._visit
    if visit.position(action) < 0:
        return
    fsm._finished -= action._finished
    action._finished = False
    fsm._visit = visit.without(action)
    try:
        fsm._phase = EXIT
        for function, other in visit.exits:
            if other is action:
                function(action)
    except BaseException as error:
        note_place(error, action, EXIT)
        raise
    finally:
        fsm._phase = None


def _announce_child(fsm: Fsm[Any], action: FsmAction[Any]) -> bool:
    if fsm._observers is not None:
        fsm._observers.action_finished(action)
    if action.finish_event is not None:
        fsm.send_event(action.finish_event)
    return True


def _announce(fsm: Fsm[Any], action: FsmAction[Any]) -> bool:
    _announce_child(fsm, action)
    if fsm._finished == fsm._visit.size:
        send_finished(fsm)
    return True


def _takes_part(fsm: Fsm[Any], action: FsmAction[Any]) -> bool:
    """Whether `action` was entered in this visit, or is just being entered."""
    if action is fsm._acting and (fsm._phase is ENTER or fsm._phase is UPDATE):
        return True
    if fsm._phase is EXIT or action.state is not fsm._current_state:
        return False
    position = fsm._visit.position(action)
    if fsm._phase is ENTER:
        return 0 <= position <= fsm._visit.position(fsm._acting)
    return position >= 0
