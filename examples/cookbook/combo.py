"""Chain blows to a combo.

Each key leads to the next blow if it comes in time, and one that comes too
early still counts. Here it is punch, punch, kick. A blow takes half a second:
it lands after 0.2 seconds, and the rest is the window for the next one. When
it has passed and nothing was pressed, the combo is over.

`Defer` keeps an early press and sends it when the blow has landed, so nothing
is cut short and nothing lost. It comes before the wait, so that in a long
frame the press is sent before the state has `FINISHED`.
`on_unhandled="ignore"` is for the presses that belong to no combo.
[Events](../concepts/events.md) tells who gets an event, and when.
"""

from actions import Defer, TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.testing import Recorder, drive


def has_landed(state: FsmState[None]) -> bool:
    return state.fsm.time_in_state >= 0.2


def build() -> Fsm[None]:
    fsm = Fsm("Fighter", on_unhandled="ignore")
    ready, jab = map(fsm.add_state, ("Ready", "Jab"))
    cross, kick = map(fsm.add_state, ("Cross", "Kick"))
    jab.add_action(Defer("PUNCH", until=has_landed, latest=True))
    cross.add_action(Defer("KICK", until=has_landed, latest=True))

    ready.add_transition("PUNCH", jab)
    jab.add_transition("PUNCH", cross)
    cross.add_transition("KICK", kick)
    for blow in (jab, cross, kick):
        blow.add_action(TimedWait(0.5))
        blow.add_transition(FINISHED, ready)
    return fsm


if __name__ == "__main__":
    for pause in (0.15, 0.3, 0.6):
        fsm = build()
        with Recorder(fsm) as recorder:
            drive(fsm, ["PUNCH", pause, "PUNCH", pause, "KICK", 0.2])
        print(f"pressed every {pause} s:", " > ".join(recorder.path))
