"""A miner digs, carries her gold to the bank, and drops everything when she is hungry.

    fsmkit run examples/miner.py --seconds 30
    python examples/miner.py

What she does next is one list, the most urgent first, and no transition leads from one to another:
a Selector runs the first Option whose condition holds. Hunger interrupts the digging and the way to
the bank alike. Done with one thing, she looks at the list again.
"""

from dataclasses import dataclass, field

from actions import (
    DelegateAction,
    MoveTowards,
    Option,
    Repeat,
    Selector,
    Sequence,
    TimedWait,
)
from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.space import Transform

MINE, BANK, INN = (0.0, 0.0), (4.0, 0.0), (4.0, 3.0)


@dataclass
class Miner:
    body: Transform = field(default_factory=lambda: Transform(MINE))
    gold: int = 0
    saved: int = 0
    hunger: float = 0.0  # seconds since she ate

    def dig(self) -> None:
        self.gold += 1
        print(f"    A nugget: {self.gold} in the bag.")

    def deposit(self) -> None:
        self.saved, self.gold = self.saved + self.gold, 0
        print(f"    {self.saved} nuggets in the bank.")

    def eat(self) -> None:
        self.hunger = 0.0
        print("    She has eaten.")


class GrowHungry(FsmAction[Miner]):
    background = True  # so it does not keep her work from finishing

    def on_update(self) -> None:
        self.context.hunger += self.delta_time


def is_hungry(state: FsmState[Miner]) -> bool:
    return state.context.hunger > 10.0


def is_full(state: FsmState[Miner]) -> bool:
    return state.context.gold == 3


def build() -> Fsm[Miner]:
    miner = Miner()
    fsm = Fsm("Miner", context=miner)
    work = fsm.add_state("Work")
    sleep = fsm.add_state("Sleep")

    def go(place: tuple[float, float]) -> MoveTowards:
        return MoveTowards(miner.body, place, speed=2.0)

    dig = Sequence(TimedWait(1.5), DelegateAction(miner.dig))
    meal = Sequence(go(INN), TimedWait(2.0), DelegateAction(miner.eat))
    work.add_action(GrowHungry())
    work.add_action(
        Selector(
            Option(meal, when=is_hungry),
            Option(
                Sequence(go(BANK), DelegateAction(miner.deposit)), when=is_full
            ),
            Option(Sequence(go(MINE), Repeat(dig))),
        )
    )

    work.add_transition(FINISHED, work)
    work.add_transition("NIGHT", sleep)
    sleep.add_transition("MORNING", work)
    return fsm


def main() -> None:
    fsm = build()
    with fsm.running():
        for _ in range(30 * 60):
            fsm.update(1 / 60)
        print(f"{fsm.context.saved} saved, {fsm.context.gold} in the bag.")


if __name__ == "__main__":
    main()
