"""Pause a game, open its settings, and resume it.

`ESC` in the level opens the menu, the menu opens the settings, and each further
`ESC` leads one step back. Your code need not remember where the player came
from: each step suspends the state below it, and `BACK` resumes that state.
Everything that the level runs stands still with it, here a wolf that would wake
after three seconds.

`QUIT` is an ordinary transition: it exits the menu and the suspended level.
Anything that the level does not run needs a check: update it only while
`Fsm.suspended` is empty. [Interruptions](../concepts/interruptions.md) has the
rules.
"""

from actions import RunFsm, TimedWait
from fsmkit import BACK, FINISHED, Fsm


def wolf() -> Fsm[None]:
    fsm = Fsm("Wolf")
    sleep, hunt = map(fsm.add_state, ("Sleep", "Hunt"))
    sleep.add_action(TimedWait(3.0))
    sleep.add_transition(FINISHED, hunt)
    return fsm


def build() -> Fsm[None]:
    fsm = Fsm("Game")
    title, level = map(fsm.add_state, ("Title", "Level"))
    menu, settings = map(fsm.add_state, ("Menu", "Settings"))
    level.add_action(RunFsm(wolf()))

    title.add_transition("START", level)
    level.add_transition("ESC", menu, suspend=True)
    menu.add_transition("ESC", BACK)
    menu.add_transition("SETTINGS", settings, suspend=True)
    menu.add_transition("QUIT", title)
    settings.add_transition("ESC", BACK)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for event in ("START", "ESC", "SETTINGS", "ESC", "ESC", "ESC", "QUIT"):
        fsm.send_event(event)
        fsm.update(2.0)
        below = [state.name for state in fsm.suspended]
        print(f"{fsm.time:4} s  {event:8}  {' > '.join([*below, *fsm.path])}")
