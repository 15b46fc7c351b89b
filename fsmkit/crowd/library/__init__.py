"""Actions for crowds, as the library has them for single machines.

What they write to is given by the name of a field of the agents; what they are given is a number,
the name of such a field, or of one of the world (`"world.player_x"`). Those that end send an event,
`FINISHED` by default, at once: there is no waiting for the other actions of the state.
"""

from fsmkit.crowd.library.events import SendEventWhen, SendRandomEvent, TimedWait
from fsmkit.crowd.library.motion import FollowWaypoints, Move, MoveConstantly, MoveTowards

__all__ = [
    "FollowWaypoints",
    "Move",
    "MoveConstantly",
    "MoveTowards",
    "SendEventWhen",
    "SendRandomEvent",
    "TimedWait",
]
