"""A gun that shoots as long as the trigger is held, and reloads when it is empty.

    fsmkit run examples/gun.py --seconds 8
    python examples/gun.py

A press of the trigger means something different in every state: it fires an idle gun, and does
nothing while the gun is being loaded. In a game the keys send these events. Here they are scripted.
"""

from dataclasses import dataclass

from actions import (
    AddValue,
    Compare,
    Cooldown,
    DelegateAction,
    Sequence,
    SetValue,
    TimedWait,
)
from fsmkit import FINISHED, Fsm

PULL, RELEASE, LOAD, EMPTY = "PULL", "RELEASE", "LOAD", "EMPTY"
MAGAZINE = 4
BETWEEN_SHOTS = 0.2
"""Seconds; also for those whose finger is quicker than the gun."""

PRESSES = [
    (0.5, PULL), (0.9, RELEASE),
    (1.5, LOAD), (2.0, PULL),
    (4.0, PULL), (4.05, RELEASE), (4.1, PULL), (4.15, RELEASE),
    (5.0, PULL), (6.5, RELEASE),
]  # fmt: skip
"""The times at which the player does something."""


@dataclass
class Gun:
    rounds: int = MAGAZINE

    def bang(self) -> None:
        print(f"    Bang! {self.rounds} left.")

    def click(self) -> None:
        print("    Click.")


def build() -> Fsm[Gun]:
    gun = Gun()
    # It is not an error if a key does nothing at the moment.
    fsm = Fsm("Gun", context=gun, on_unhandled="ignore")
    idle = fsm.add_state("Idle")
    shooting = fsm.add_state("Shooting")
    loading = fsm.add_state("Loading")

    idle.add_action(Cooldown(PULL, BETWEEN_SHOTS))
    shooting.add_action(Compare(lambda: gun.rounds, 0, equal=EMPTY))
    shooting.add_action(AddValue(gun, "rounds", -1))
    shooting.add_action(DelegateAction(lambda state: state.context.bang()))
    shooting.add_action(TimedWait(BETWEEN_SHOTS))
    loading.add_action(DelegateAction(lambda state: state.context.click()))
    loading.add_action(
        Sequence(TimedWait(1.5), SetValue(gun, "rounds", MAGAZINE))
    )

    idle.add_transition(PULL, shooting)
    idle.add_transition(LOAD, loading)
    shooting.add_transition(FINISHED, shooting)
    shooting.add_transition(RELEASE, idle)
    shooting.add_transition(EMPTY, loading)
    loading.add_transition(FINISHED, idle)

    for seconds, press in PRESSES:
        fsm.send_event_after(seconds, press)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.time < 8.0:
        before = fsm.current_state
        fsm.update(0.05)
        if fsm.current_state is not None and fsm.current_state is not before:
            print(f"{fsm.time:4.2f} s  {fsm.current_state.name}")


if __name__ == "__main__":
    main()
