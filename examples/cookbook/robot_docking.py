"""Dock a robot, and try again when it misses.

The robot drives to a point in front of the dock and then creeps in. `CONTACT`
comes from its sensor. If it has crept all the way without contact, `FINISHED`
comes instead, and it goes back for the next try. That event has two
transitions: the one with a [guard](../concepts/guards.md) leads to `Lost` after
three tries, the other one back. `MoveTowards` starts wherever the robot is, so
the same action also backs it off. `STOP` and `RELEASE` may come in any state: a
movement stands still while its state is suspended. A driver in a task or a
thread does not, so an `Await` or `InThread` in its place needs a `suspended=`;
see [emergency stop](emergency_stop.md).
"""

from actions import AddValue, MoveTowards
from fsmkit import BACK, FINISHED, Fsm, FsmState
from fsmkit.space import Transform

BEFORE, DOCK = (4.0, 0.0), (5.0, 0.0)


class Robot(Transform):
    tries = 0


def has_tried_enough(state: FsmState[Robot]) -> bool:
    return state.context.tries == 3


def build() -> Fsm[Robot]:
    robot = Robot((0.0, 0.0))
    fsm = Fsm("Robot", context=robot)
    come, creep, stopped = map(fsm.add_state, ("Come", "Creep", "Stopped"))
    docked, lost = (fsm.add_state(s, final=True) for s in ("Docked", "Lost"))
    come.add_action(MoveTowards(robot, BEFORE, 2.0))
    creep.add_action(AddValue(robot, "tries", 1))
    creep.add_action(MoveTowards(robot, DOCK, 0.5))
    come.add_transition(FINISHED, creep)
    creep.add_transition("CONTACT", docked)
    creep.add_transition(FINISHED, lost, when=has_tried_enough)
    creep.add_transition(FINISHED, come)
    fsm.add_global_transition("STOP", stopped, suspend=True)
    stopped.add_transition("RELEASE", BACK)
    return fsm


if __name__ == "__main__":
    with build().running() as fsm:
        fsm.send_event_after(6.5, "CONTACT", keep=True)
        for _ in range(7):
            fsm.update(1.0)
            where, tries = fsm.context.position, fsm.context.tries
            print(f"{fsm.time} s  {fsm.path[0]} at {where}, tries: {tries}")
