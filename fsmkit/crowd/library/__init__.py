"""Actions for crowds, like those of the library for single machines.

They write to fields of the agents, which are given by name. Their parameters are numbers, names of
such fields, or of fields of the world (`"world.player_x"`). Those that end send an event,
`FINISHED` by default, at once: they do not wait for the other actions of the state.
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
