"""The action library of fsmkit: what states do, ready made."""

from actions.delegate_action import DelegateAction
from actions.move import Move
from actions.timed_action import TimedAction
from actions.timed_wait import TimedWait

__all__ = [
    "DelegateAction",
    "Move",
    "TimedAction",
    "TimedWait",
]
