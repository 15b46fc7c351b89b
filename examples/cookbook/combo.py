"""Chain hits into a combo.

Each key press in time leads to the next hit, and one that comes too early still
counts. Here the combo is punch, punch, kick. A hit takes half a second: it
lands after 0.2 seconds, and the rest is the window for the next key. If that
passes without a key, the combo is over.

`Defer` keeps an early press and sends it when the hit has landed, so no hit is
cut short and no press is lost. It comes before the wait, so in a long frame it
sends the press before the state sends `FINISHED`. `on_unhandled="ignore"` is
for key presses outside a combo. [Events](../concepts/events.md) explains who
gets an event, and when.
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
