"""Stun a character and return to what it did.

A blow in the middle of a swing stuns the knight for two seconds, and then the
swing goes on where it was. A transition with `suspend=True` does not exit the
state that it interrupts: its actions keep what they know, and time stands
still for them. The transition to `BACK` resumes it.

The transition is global, so the knight can be stunned in whatever he does. A
second blow while he is stunned has no effect, because a global transition to
the current state does nothing. Any other change, such as his death, exits the
interrupted swing for good. [Interruptions](../concepts/interruptions.md) has
the rules.

What matters here is tested in three lines:

```py
def test_the_swing_goes_on_after_the_stun():
    fsm = build()
    drive(fsm, ["ATTACK", 0.5, "STUN", 2.0, 0.25])
    assert fsm.context.sword == 90.0
```
"""

from dataclasses import dataclass

from actions import TimedWait, Tween
from fsmkit import BACK, FINISHED, Fsm
from fsmkit.testing import drive


@dataclass
class Knight:
    sword: float = 0.0  # degrees


def build() -> Fsm[Knight]:
    knight = Knight()
    fsm = Fsm("Knight", context=knight)
    ready, swing, stunned = map(fsm.add_state, ("Ready", "Swing", "Stunned"))
    swing.add_action(Tween(knight, "sword", 0.0, 120.0, duration=1.0))
    stunned.add_action(TimedWait(2.0))

    ready.add_transition("ATTACK", swing)
    swing.add_transition(FINISHED, ready)
    stunned.add_transition(FINISHED, BACK)
    fsm.add_global_transition("STUN", stunned, suspend=True)
    return fsm


if __name__ == "__main__":
    fsm = build()
    for step in ("ATTACK", 0.5, "STUN", 1.0, 1.0, 0.25, 0.25):
        drive(fsm, [step])
        print(f"{step:6}  {fsm.path[0]:7}  {fsm.context.sword:3.0f}°")
