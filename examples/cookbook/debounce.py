"""Debounce a switch that chatters.

A mechanical contact closes and opens many times before it settles, so one press
looks like ten. The machine accepts a change only after it has lasted for twenty
milliseconds. A change leads to a state that waits; if the contact changes back
during the wait, the machine leaves that state, and the next change starts a new
wait.

Send the state of the pin in every update, as here: with
`on_unhandled="ignore"`, an event that is no news has no effect. Or send an
event for each change from the callback of a driver, with `Fsm.post_event` if
that runs in [another thread](../concepts/threads.md). `Opening` still counts as
on, and `Closing` as off.
"""

from actions import TimedWait
from fsmkit import FINISHED, Fsm


def build() -> Fsm[None]:
    fsm = Fsm("Switch", on_unhandled="ignore")
    off, closing = map(fsm.add_state, ("Off", "Closing"))
    on, opening = map(fsm.add_state, ("On", "Opening"))
    closing.add_action(TimedWait(0.02))
    opening.add_action(TimedWait(0.02))

    off.add_transition("CLOSED", closing)
    closing.add_transition("OPENED", off)
    closing.add_transition(FINISHED, on)
    on.add_transition("OPENED", opening)
    opening.add_transition("CLOSED", on)
    opening.add_transition(FINISHED, off)
    return fsm


if __name__ == "__main__":
    contact = "..#.##.#.############.##.#..........##.."
    lamp = ""
    fsm = build()
    fsm.start()
    for sign in contact:
        fsm.update(0.005)
        fsm.send_event("CLOSED" if sign == "#" else "OPENED")
        lamp += "#" if fsm.path[0] in {"On", "Opening"} else "."
    print(f"contact  {contact}\nswitch   {lamp}")
