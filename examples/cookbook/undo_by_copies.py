"""Undo moves by copying the machine.

Before each move the machine is copied, with everything that belongs to it: its
state, its timers, its nested machines and its context. To undo a move, continue
with the copy. You need not write the reverse of each move, and a wait that the
undone move cut short continues.

A copy has its own context, so functions must reach it through the state, as
`step` does, and not through a variable. Observers are not copied. An object
that all copies should share, such as the images of a game, needs a
`__deepcopy__` that returns the object itself: see
[copies](../concepts/copies.md).
"""

from copy import deepcopy

from actions import OnEvent
from fsmkit import Fsm, FsmState

Robot = dict[str, int]


def step(state: FsmState[Robot], distance: int) -> None:
    state.context["x"] += distance


def build() -> Fsm[Robot]:
    fsm = Fsm("Robot", context={"x": 0})
    empty, loaded = map(fsm.add_state, ("Empty", "Loaded"))
    for state in (empty, loaded):
        state.add_action(OnEvent("STEP", step))
    empty.add_transition("GRAB", loaded)
    loaded.add_transition("DROP", empty)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    past: list[Fsm[Robot]] = []
    for event, data in [("STEP", 2), ("GRAB", None), ("STEP", 3)]:
        past.append(deepcopy(fsm))
        fsm.send_event(event, data)
        print(f"{event:4}  {fsm.path[0]:6}  {fsm.context}")
    while past:
        fsm = past.pop()
        print(f"undo  {fsm.path[0]:6}  {fsm.context}")
