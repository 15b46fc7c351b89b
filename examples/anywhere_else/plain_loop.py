"""A loop of one's own: read what has happened, update by the time that has passed, sleep.

    python examples/anywhere_else/plain_loop.py

A kettle that is switched on, boils, and switches itself off. `fsmkit.timing.run` is such a loop
too, with fewer lines.
"""

from __future__ import annotations

import time

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm

FRAME = 1 / 60


def build() -> Fsm[None]:
    fsm = Fsm[None]("Kettle")
    off, heat = fsm.add_state("Off"), fsm.add_state("Heat")
    heat.add_action(DelegateAction(lambda _: print("it heats up")))
    heat.add_action(TimedWait(0.5))
    off.add_transition("SWITCH", heat)
    heat.add_transition("SWITCH", off)
    heat.add_transition(FINISHED, off)
    return fsm


def main() -> None:
    fsm = build()
    with fsm.running():
        fsm.send_event("SWITCH")
        last = time.perf_counter()
        while fsm.current_state is not fsm.states["Off"]:
            time.sleep(FRAME)
            now = time.perf_counter()
            fsm.update(now - last)
            last = now
        print(f"it boils after {fsm.time:.1f} s")


if __name__ == "__main__":
    main()
