"""A light bulb: somebody flips the switch, and it is light in the room.

    fsmkit run examples/light_bulb.py
    python examples/light_bulb.py

What comes in is an event, FLIP. What the bulb is in is a state: it remembers whether it is on, so
the same event means one thing in the one state and the opposite in the other. What comes out is
what the actions of the state do. That the room is dark again afterwards is part of the same action.
"""

from dataclasses import dataclass

from actions import SetValue
from fsmkit import Fsm

FLIP = "FLIP"
FLIPS = [1.0, 3.5, 4.0, 8.0]
"""The seconds at which somebody flips the switch."""


@dataclass
class Room:
    is_lit: bool = False


def build() -> Fsm[Room]:
    room = Room()
    fsm = Fsm("LightBulb", context=room)
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    on.add_action(SetValue(room, "is_lit", True, restore_on_exit=True))
    off.add_transition(FLIP, on)
    on.add_transition(FLIP, off)

    for seconds in FLIPS:
        fsm.send_event_after(seconds, FLIP)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.time < 10.0:
        fsm.update(0.25)
        print("#" if fsm.context.is_lit else ".", end="")
    print(f"  {fsm.time:.0f} s: one sign is a quarter of a second, and # is light")


if __name__ == "__main__":
    main()
