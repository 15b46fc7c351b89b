"""The text of a small file that builds a machine."""

DOOR = '''\
"""A door."""

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm

PUSH = "PUSH"  # by anybody
SLOW = 2.5


def is_free(_: object) -> bool:
    return True


def build():
    door = Fsm("Door")
    closed = door.add_state("Closed")
    opened = door.add_state("Open")  # at first

    closed.add_action(DelegateAction(print))
    closed.add_transition(PUSH, opened, when=is_free)

    opened.add_action(TimedWait(1.0))  # seconds
    opened.add_action(
        TimedWait(
            SLOW,
            # the event:
            "LATE",
        )
    )
    opened.add_transition(FINISHED, closed)
    return door
'''
