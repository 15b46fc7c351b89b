"""A light bulb: someone flips the switch, and the room is lit.

    fsmkit run examples/light_bulb.py
    python examples/light_bulb.py

The input is an event, FLIP. The bulb is in a state, which remembers whether it is on, so the same
event means one thing in one state and the opposite in the other. The output comes from the state's
actions. The action that lights the room also makes it dark again on exit.
"""

from dataclasses import dataclass

from actions import SetValue
from fsmkit import Fsm

FLIP = "FLIP"
FLIPS = [1.0, 3.5, 4.0, 8.0]
"""The seconds at which someone flips the switch."""


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
    print(
        f"  {fsm.time:.0f} s: one sign is a quarter of a second, and # is light"
    )


if __name__ == "__main__":
    main()
