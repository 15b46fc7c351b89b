"""A ship fires until it has no shells left, with one-line functions instead of action classes.

    fsmkit run examples/ship.py
    python examples/ship.py

What a state does is often a single call. A DelegateAction takes it as a function of the state, and
`state.context` is the ship, also for the type checker.
"""

from dataclasses import dataclass

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm

RELOAD = "RELOAD"
OUT_OF_SHELLS = "OUT_OF_SHELLS"


@dataclass
class Ship:
    shells: int = 3

    def fire(self) -> None:
        self.shells -= 1
        print(f"    Fire! {self.shells} left.")

    def open_hatch(self) -> None:
        print("    The hatch is open.")

    def close_hatch(self) -> None:
        print("    The hatch is closed.")


def build() -> Fsm[Ship]:
    fsm = Fsm("Ship", context=Ship())
    fire = fsm.add_state("Fire")
    reload = fsm.add_state("Reload")
    retreat = fsm.add_state("Retreat")
    harbour = fsm.add_state("Harbour", final=True)

    fire.add_action(DelegateAction(lambda state: state.context.fire()))
    fire.add_action(
        DelegateAction(
            lambda state: state.send_event(
                RELOAD if state.context.shells else OUT_OF_SHELLS
            )
        )
    )
    reload.add_action(
        DelegateAction(
            on_enter=lambda state: state.context.open_hatch(),
            on_exit=lambda state: state.context.close_hatch(),
        )
    )
    reload.add_action(TimedWait(1.5))
    retreat.add_action(TimedWait(3.0))
    harbour.add_action(DelegateAction(lambda state: state.fsm.stop()))

    fire.add_transition(RELOAD, reload)
    fire.add_transition(OUT_OF_SHELLS, retreat)
    reload.add_transition(FINISHED, fire)
    retreat.add_transition(FINISHED, harbour)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.is_running:
        fsm.update(1 / 60)
    print(f"Home after {fsm.time:.1f} s.")


if __name__ == "__main__":
    main()
