"""Animate legs and arms independently.

A character walks and fires at the same time. One machine for both would need a
state for each combination. Instead, `Regions` runs two small machines at the
same time, and both get every event: `FIRE` concerns only the arms, `DANGER` the
legs and the arms.

An event that ends both, here `DIE`, is a transition of the outer machine: it
stops them in whatever state they are. `TriggerAnimator` calls the animation
system of your engine; the class `Layer` stands in for one layer of it.
[Nesting](../concepts/nesting.md) says more about machines inside states.
"""

from actions import Regions, RunFsm, TriggerAnimator
from fsmkit import Fsm


class Layer:
    playing = ""

    def set_trigger(self, name: str) -> None:
        self.playing = name


def region(name: str, states: list[str], start: str, stop: str) -> Fsm[Layer]:
    fsm = Fsm(name, context=Layer())
    for state in map(fsm.add_state, states):
        state.add_action(TriggerAnimator(fsm.context, state.name))
    rest, act, cover = fsm.states.values()
    rest.add_transition(start, act)
    act.add_transition(stop, rest)
    cover.add_transition("SAFE", rest)
    fsm.add_global_transition("DANGER", cover)
    return fsm


def build() -> Fsm[list[Layer]]:
    legs = region("Legs", ["Stand", "Walk", "Duck"], "GO", "STOP")
    arms = region("Arms", ["Rest", "Fire", "Shield"], "FIRE", "CEASE")
    fsm = Fsm("Hero", context=[legs.context, arms.context])
    alive, dead = fsm.add_state("Alive"), fsm.add_state("Dead", final=True)
    alive.add_action(Regions(RunFsm(legs), RunFsm(arms)))
    alive.add_transition("DIE", dead)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for event in ("GO", "FIRE", "STOP", "DANGER", "SAFE"):
        fsm.send_event(event)
        print(f"{event:7}", *(layer.playing for layer in fsm.context))
