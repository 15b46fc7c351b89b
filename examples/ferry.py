"""A ferry crosses a river back and forth forever, and says where it is.

    fsmkit run examples/ferry.py --seconds 10
    python examples/ferry.py

The actions of a state run at the same time: one moves the ferry, another counts the metres aloud.
The second never ends, so the state never finishes. That is why the Move says when the ferry has
arrived, with a `finish_event`.
"""

from dataclasses import dataclass, field

from actions import DelegateAction, Move, Repeat, Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.space import Transform

TOWN, ISLAND = (0.0, 0.0), (30.0, 0.0)
LANDED = "LANDED"


@dataclass
class Ferry:
    hull: Transform = field(default_factory=Transform)

    def tell_where(self) -> None:
        x, _ = self.hull.position
        print(f"    {x:.0f} m from the town")


def announce(state: FsmState[Ferry]) -> None:
    print(f"{state.fsm.time:4.1f} s  {state.name}")


def build() -> Fsm[Ferry]:
    ferry = Ferry()
    fsm = Fsm("Ferry", context=ferry)
    to_island, at_island = fsm.add_state("ToIsland"), fsm.add_state("AtIsland")
    to_town, at_town = fsm.add_state("ToTown"), fsm.add_state("AtTown")

    for crossing, harbour in ((to_island, ISLAND), (to_town, TOWN)):
        tell = DelegateAction[Ferry](lambda state: state.context.tell_where())
        crossing.add_action(DelegateAction(announce))
        crossing.add_action(
            Move(ferry.hull, None, harbour, duration=3.5, finish_event=LANDED)
        )
        crossing.add_action(Repeat(Sequence(TimedWait(1.0), tell)))
    for stay in (at_island, at_town):
        stay.add_action(DelegateAction(announce))
        stay.add_action(TimedWait(1.0))

    to_island.add_transition(LANDED, at_island)
    at_island.add_transition(FINISHED, to_town)
    to_town.add_transition(LANDED, at_town)
    at_town.add_transition(FINISHED, to_island)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.time < 12.0:
        fsm.update(0.25)


if __name__ == "__main__":
    main()
