"""Stop a robot at once, and have its motor off whatever happens.

The motor runs while the state lasts: one action switches it on and off again.
`STOP` is a global transition with `suspend=True`, so it applies everywhere,
switches the motor off by `on_suspend`, and `RELEASE` goes on with the rest of
the way; see [interruptions](../concepts/interruptions.md). Every other end
calls `on_exit`: arriving, another event, an error, Ctrl-C in a `with` block or
in `fsmkit.timing.run`. A second `STOP` changes nothing. This is software: a
safety circuit must not depend on it.
"""

from actions import Move
from fsmkit import BACK, FINISHED, Fsm, FsmAction
from fsmkit.space import Transform


class Robot(Transform):
    motor = "off"


class MotorOn(FsmAction[Robot]):
    background = True

    def on_enter(self) -> None:
        self.context.motor = "on"

    def on_exit(self) -> None:
        self.context.motor = "off"

    on_suspend, on_resume = on_exit, on_enter


def build() -> Fsm[Robot]:
    fsm = Fsm("Robot", context=Robot((0.0, 0.0)))
    drive, stopped = fsm.add_state("Drive"), fsm.add_state("Stopped")
    drive.add_action(MotorOn())
    drive.add_action(Move(fsm.context, None, (8.0, 0.0), duration=4.0))
    drive.add_transition(FINISHED, fsm.add_state("Arrived", final=True))
    fsm.add_global_transition("STOP", stopped, suspend=True)
    stopped.add_transition("RELEASE", BACK)
    return fsm


if __name__ == "__main__":
    with build().running() as fsm:
        for event in ("STOP", "RELEASE", "STOP"):
            fsm.update(1.0)
            fsm.send_event(event)
            print(event, *fsm.path, fsm.context.position, fsm.context.motor)
    print("the end", fsm.context.position, fsm.context.motor)
