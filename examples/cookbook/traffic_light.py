"""Run a traffic light with a push button and a night mode.

The light is green until somebody pushes the button. Green lasts at least five
seconds: `Defer` keeps an early push until the wait is over, and a later push
leads to amber at once. In the other states a push means nothing, hence
`on_unhandled="ignore"`. `NIGHT` is a [global
transition](../concepts/global_transitions.md), since night may fall in any
state. With `carry_time=True` the next state uses the rest of an update, so a
cycle takes the same time at any frame rate; see [time](../concepts/time.md).

```py
from fsmkit.testing import drive


def test_a_push_that_comes_too_early_waits():
    light = build()
    drive(light, [2.0, "BUTTON", 2.9])
    assert light.path == ("Green",)
    light.update(0.1)
    assert light.path == ("Amber",)
```
"""

from actions import Defer, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.recording import History, timeline_text

SECONDS = {"Green": 5.0, "Amber": 1.0, "Red": 4.0, "Red+Amber": 1.0}


def build() -> Fsm:
    fsm = Fsm("Light", on_unhandled="ignore", carry_time=True)
    for name, seconds in SECONDS.items():
        fsm.add_state(name).add_action(TimedWait(seconds))
    green, amber, red, red_amber = fsm.states.values()
    flashing = fsm.add_state("Flashing")
    green.add_action(Defer("BUTTON", latest=True))
    green.add_transition("BUTTON", amber)
    amber.add_transition(FINISHED, red)
    red.add_transition(FINISHED, red_amber)
    red_amber.add_transition(FINISHED, green)
    fsm.add_global_transition("NIGHT", flashing)
    flashing.add_transition("DAY", red)
    return fsm


if __name__ == "__main__":
    fsm = build()
    history = History(fsm)
    fsm.start()
    for seconds, event in [(2, "BUTTON"), (18, "BUTTON"), (26, "NIGHT")]:
        fsm.send_event_after(seconds, event, keep=True)
    for _ in range(30):
        fsm.update(1.0)
    print(timeline_text(history.chronicle(), width=79).split("\n\n")[0])
