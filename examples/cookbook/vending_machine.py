"""Take coins, sell what they pay for, and give change.

This recipe is for anything that costs money, ammunition or fuel. A
[guard](../concepts/guards.md) says whether there is enough, and an effect takes
it. If the guard refuses, nothing happens and `send_event` returns `False`.
`COIN` in `Choose` leads back to `Choose` and restarts its wait: a customer who
does nothing for twenty seconds gets the money back, and each coin gives twenty
more. Guards only answer; effects and actions change the values that guards
read.
"""

from actions import SetValue, TimedWait
from fsmkit import FINISHED, Fsm, FsmState


class Till:
    credit = 0


def insert(state: FsmState[Till], coin: int) -> None:
    state.context.credit += coin


def is_paid(state: FsmState[Till], price: int) -> bool:
    return state.context.credit >= price


def pay(state: FsmState[Till], price: int) -> None:
    state.context.credit -= price


def build() -> Fsm[Till]:
    fsm = Fsm("Vending machine", context=Till())
    ready, choose, serve = map(fsm.add_state, ("Ready", "Choose", "Serve"))
    ready.add_action(SetValue(fsm.context, "credit", 0))  # gives it back
    choose.add_action(TimedWait(20.0))
    serve.add_action(TimedWait(3.0))
    ready.add_transition("COIN", choose, do=insert)
    choose.add_transition("COIN", choose, do=insert)
    choose.add_transition("BUY", serve, when=is_paid, do=pay)
    choose.add_transition(FINISHED, ready)
    serve.add_transition(FINISHED, ready)
    return fsm


if __name__ == "__main__":
    with build().running() as fsm:
        for step in (("COIN", 2), ("BUY", 3), ("COIN", 2), ("BUY", 3)):
            taken = "taken" if fsm.send_event(*step) else "refused"
            print(*step, taken, *fsm.path, "credit", fsm.context.credit)
