"""Stun a character, then return to what it was doing.

A hit in the middle of a swing stuns the knight for two seconds, and then the
swing continues where it was. A transition with `suspend=True` does not exit the
state that it interrupts: the actions of that state keep their progress, and
their time stands still. The transition to `BACK` resumes it.

The transition is global, so the knight can be hit in any state, and its effect,
`do`, takes the damage. While he is stunned, a global transition to the current
state does nothing, and its effect is not called. So there an `OnEvent` handles
the hit: it costs health, and does not prolong the stun.

Every hit leads to the stun or arrives during one, so when it ends a guard
decides whether he gets up. His death exits the interrupted swing for good. The
global transition also applies in `Dead`, where an `IgnoreEvents` keeps the dead
from [rising](../concepts/global_transitions.md#mistakes).
[Interruptions](../concepts/interruptions.md) has the rules.

A few lines test the essentials:

```py
def test_the_swing_continues_after_the_stun():
    fsm = build()
    drive(fsm, ["ATTACK", 0.5, ("HIT", 30), 2.0, 0.25])
    assert fsm.context.sword == 90.0


def test_a_hit_during_the_stun_costs_health():
    fsm = build()
    drive(fsm, [("HIT", 30), 1.0, ("HIT", 20)])
    assert fsm.context.health == 50
```
"""

from dataclasses import dataclass

from actions import IgnoreEvents, OnEvent, TimedWait, Tween
from fsmkit import BACK, FINISHED, Fsm, FsmState
from fsmkit.testing import drive


@dataclass
class Knight:
    health: int = 100
    sword: float = 0.0  # degrees


def hurt(state: FsmState[Knight], damage: int) -> None:
    state.context.health -= damage


def build() -> Fsm[Knight]:
    fsm = Fsm("Knight", context=Knight())
    ready, swing, stunned = map(fsm.add_state, ("Ready", "Swing", "Stunned"))
    swing.add_action(Tween(fsm.context, "sword", 0.0, 120.0, duration=1.0))
    stunned.add_action(TimedWait(2.0))
    stunned.add_action(OnEvent("HIT", hurt))
    ready.add_transition("ATTACK", swing)
    swing.add_transition(FINISHED, ready)
    fsm.add_state("Dead", final=True).add_action(IgnoreEvents("HIT"))
    stunned.add_transition(
        FINISHED, "Dead", when=lambda state: state.context.health <= 0
    )
    stunned.add_transition(FINISHED, BACK)
    fsm.add_global_transition("HIT", stunned, do=hurt, suspend=True)
    return fsm


if __name__ == "__main__":
    fsm = build()
    for step in ("ATTACK", 0.5, ("HIT", 30), 1.0, ("HIT", 20), 1.0, 0.5):
        drive(fsm, [step])
        print(f"{step!s:13} {fsm.path[0]:8} {fsm.context}")
