"""Give a boss phases.

The less health she has, the faster she strikes. Each phase is a state with its
own pattern, and the phases form a chain. `OnEvent` takes a hit and stays in the
state. `Compare` leads to the next phase as soon as her health is low enough. It
also compares when the state is entered, so one enormous hit leads through all
the phases at once, and she is dead.

A loop builds phases that differ only in numbers. A phase with its own moves
gets its own machine, inside its state: see [nesting](../concepts/nesting.md).
To begin a phase with a roar during which she is invulnerable, add a state
between two phases, with a wait and `IgnoreEvents("HIT")`.
"""

from itertools import pairwise

from actions import AddValue, Compare, OnEvent, Repeat, Sequence, TimedWait
from fsmkit import Fsm, FsmState

Boss = dict[str, int]
PHASES = (("Calm", 2.0, 60), ("Angry", 1.0, 20), ("Mad", 0.5, 1))


def hurt(state: FsmState[Boss], damage: int) -> None:
    state.context["health"] -= damage


def build() -> Fsm[Boss]:
    boss = {"health": 100, "strikes": 0}
    fsm = Fsm("Boss", context=boss)

    def health() -> int:
        return boss["health"]

    for name, pause, limit in PHASES:
        phase = fsm.add_state(name)
        phase.add_action(OnEvent("HIT", hurt))
        phase.add_action(Compare(health, limit, less="WEAK", every_update=True))
        strike = Sequence[Boss](TimedWait(pause), AddValue(boss, "strikes", 1))
        phase.add_action(Repeat(strike))
    fsm.add_state("Dead", final=True)
    for phase, following in pairwise(fsm.states.values()):
        phase.add_transition("WEAK", following)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for _ in range(10):
        fsm.send_event("HIT", 10)
        fsm.update(1.0)
        print(f"{fsm.time:4} s  {fsm.path[0]:5}  {fsm.context}")
