"""The action library of fsmkit: what states do, ready made."""

from actions.coroutine import Coroutine
from actions.delegate_action import DelegateAction
from actions.move import Move
from actions.parallel import Parallel
from actions.race import Race
from actions.repeat import Repeat
from actions.run_fsm import RunFsm
from actions.sequence import Sequence
from actions.timed_action import TimedAction
from actions.timed_wait import TimedWait
from actions.timeout import Timeout
from actions.when import When

__all__ = [
    "Coroutine",
    "DelegateAction",
    "Move",
    "Parallel",
    "Race",
    "Repeat",
    "RunFsm",
    "Sequence",
    "TimedAction",
    "TimedWait",
    "Timeout",
    "When",
]
