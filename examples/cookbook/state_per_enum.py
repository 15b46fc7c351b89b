"""Name states and events by an enum.

A member of a `StrEnum` is a string, so it can name a state or an event as it
is. Your editor then finds a typo and renames in one step, and a type checker
requires a `match` over the current state to be complete, here by
`assert_never`. In [pictures](../pictures.md), files and logs the members are
plain strings, so save games need nothing extra; `Mode(name)` turns a string
back into a member. See [types](../concepts/types.md).
"""

from enum import StrEnum
from typing import assert_never

from fsmkit import Fsm


class Mode(StrEnum):
    IDLE = "Idle"
    WASH = "Wash"
    SPIN = "Spin"


class Key(StrEnum):
    START = "START"
    NEXT = "NEXT"


def build() -> Fsm:
    fsm = Fsm("Washer")
    idle, wash, spin = map(fsm.add_state, Mode)
    idle.add_transition(Key.START, wash)
    wash.add_transition(Key.NEXT, spin)
    spin.add_transition(Key.NEXT, idle)
    return fsm


def lamp(mode: Mode) -> str:
    match mode:
        case Mode.IDLE:
            return "green"
        case Mode.WASH | Mode.SPIN:
            return "red"
    assert_never(mode)


if __name__ == "__main__":
    with build().running() as fsm:
        for key in (Key.START, Key.NEXT, Key.NEXT):
            print(key, fsm.send_event(key), *fsm.path, lamp(Mode(fsm.path[0])))
