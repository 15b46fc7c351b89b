"""A beetle guards a bridge: she talks first, then attacks and defends herself until she dies.

    fsmkit run examples/fighter.py --seconds 13
    python examples/fighter.py

A blow from the player is an event, HIT, with its force as the data. Its effect depends on the
state: it ends the talk, it hurts while she attacks, and it glances off while she defends
herself, because an action there consumes the event. Her next move is random, with a seed, so the
fight is the same every time.
"""

from collections.abc import Generator
from dataclasses import dataclass
from random import Random

from actions import (
    Coroutine,
    DelegateAction,
    Repeat,
    SendRandomEvent,
    Sequence,
    TimedWait,
)
from fsmkit import FINISHED, Fsm, FsmAction, FsmState

HIT, DIED = "HIT", "DIED"
ATTACK, DEFEND = "ATTACK", "DEFEND"

BLOWS = [
    (2.6, 5),
    (3.0, 20),
    (4.7, 20),
    (6.3, 20),
    (8.2, 20),
    (9.3, 20),
    (11.0, 20),
    (12.0, 20),
]
"""The times at which the player strikes, and how hard."""


@dataclass
class Beetle:
    health: int = 80

    def say(self, words: str) -> None:
        print(f"    {words}")


class Shell(FsmAction[Beetle]):
    """Takes blows, and lets this share of their force through."""

    def __init__(self, share: float) -> None:
        self.share = share

    @property
    def sends(self) -> tuple[str, ...]:
        return (DIED,)

    def on_event(self, event: str, data: object) -> bool:
        if event != HIT or not isinstance(data, int):
            return False
        beetle = self.context
        beetle.health -= round(data * self.share)
        beetle.say(f"hit by {data}, {max(0, beetle.health)} health left")
        if beetle.health <= 0:
            self.fsm.send_event(DIED)
        return True


def talk(state: FsmState[Beetle]) -> Generator[float, None, None]:
    for words in (
        "Halt!",
        "This is my bridge.",
        "Nobody has ever",
        "got past me.",
    ):
        state.context.say(f'"{words}"')
        yield 1.0


def build() -> Fsm[Beetle]:
    fsm = Fsm("Beetle", context=Beetle(), on_unhandled="ignore")
    dialogue = fsm.add_state("Dialogue")
    attack = fsm.add_state("Attack")
    defend = fsm.add_state("Defend")
    death = fsm.add_state("Death", final=True)

    dialogue.add_action(Coroutine(talk))
    bite = DelegateAction[Beetle](lambda state: state.context.say("snap!"))
    attack.add_action(Shell(share=1.0))
    attack.add_action(
        Sequence(
            Repeat(Sequence(TimedWait(0.5), bite), times=3),
            SendRandomEvent({DEFEND: 2, ATTACK: 1}, rng=Random(8)),
        )
    )
    defend.add_action(Shell(share=0.1))
    defend.add_action(TimedWait(2.0, finish_event=ATTACK))
    death.add_action(
        DelegateAction(lambda state: state.context.say("Her legs give way."))
    )

    dialogue.add_transition(FINISHED, attack)
    dialogue.add_transition(HIT, attack)
    attack.add_transition(ATTACK, attack)
    attack.add_transition(DEFEND, defend)
    defend.add_transition(ATTACK, attack)
    fsm.add_global_transition(DIED, death)

    for seconds, force in BLOWS:
        fsm.send_event_after(seconds, HIT, force)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.current_state is not None and not fsm.current_state.final:
        before = fsm.current_state
        fsm.update(0.1)
        if fsm.current_state is not before:
            print(f"{fsm.time:4.1f} s  {fsm.current_state.name}")


if __name__ == "__main__":
    main()
