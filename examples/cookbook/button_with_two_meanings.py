"""Give one button two meanings.

The same key opens the chest where there is one, and jumps anywhere else. The
input code sends one event, `USE`, and knows nothing about chests. Two
transitions for the same event are tried in the order in which you added them.
The first has a [guard](../concepts/guards.md), the second has none, so they
read like `if` and `else`.

Add the special case first. After a transition without a guard, another one for
the same event could never be taken, so adding it raises a
`DuplicateTransitionError`.
"""

from dataclasses import dataclass

from actions import Jump, MoveConstantly, TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.space import Transform, distance


@dataclass
class Hero:
    body: Transform
    chest: tuple[float, float]


def at_the_chest(state: FsmState[Hero]) -> bool:
    return distance(state.context.body.position, state.context.chest) < 1.5


def build() -> Fsm[Hero]:
    hero = Hero(Transform((0.0, 0.0)), chest=(6.0, 0.0))
    fsm = Fsm("Hero", context=hero, on_unhandled="ignore")
    walk, jump, loot = map(fsm.add_state, ("Walk", "Jump", "Loot"))
    walk.add_action(MoveConstantly(hero.body, (2.0, 0.0)))
    jump.add_action(Jump(hero.body, height=1.0, duration=0.5))
    loot.add_action(TimedWait(1.0))
    walk.add_transition("USE", loot, when=at_the_chest)
    walk.add_transition("USE", jump)
    jump.add_transition(FINISHED, walk)
    loot.add_transition(FINISHED, walk)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for _ in range(4):
        fsm.update(1.0)
        fsm.send_event("USE")
        print(fsm.context.body.position, fsm.path[0])
        fsm.update(1.0)
