"""Stun a character and return to what it did.

A blow in the middle of a swing stuns the knight for two seconds, and then the
swing continues where it was. A transition with `suspend=True` does not exit the
state that it interrupts: its actions keep what they know, and time stands
still for them. The transition to `BACK` resumes it.

The transition is global, so the knight can be hit in whatever he does, and
its effect, `do`, takes the damage. While he is stunned already, a global
transition to the current state does nothing, and its effect is not called
either. So an `OnEvent` takes the blow there: it hurts, and the stun is no
longer for it.

Every blow leads to the stun or finds him there, so at its end a guard asks
whether he gets up. His death exits the interrupted swing for good. A global
transition leads out of `Dead` as well: the `IgnoreEvents` there keeps the dead
from [rising](../concepts/global_transitions.md#mistakes).
[Interruptions](../concepts/interruptions.md) has the rules.

What matters here is tested in a few lines:

```py
def test_the_swing_continues_after_the_stun():
    fsm = build()
    drive(fsm, ["ATTACK", 0.5, ("HIT", 30), 2.0, 0.25])
    assert fsm.context.sword == 90.0


def test_a_blow_hurts_who_is_stunned_as_well():
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
