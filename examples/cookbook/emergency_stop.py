"""Stop a robot at once, and have its motor off whatever happens.

One action switches the motor on, and off again however its state ends or is
interrupted. `STOP` is a global transition with `suspend=True`, so it applies
everywhere and switches the motor off by `on_suspend`; `RELEASE` continues with
the rest of the way. See [interruptions](../concepts/interruptions.md). Every
other end calls `on_exit`: arriving, another event, and in a `with` block or
`fsmkit.timing.run` an error and Ctrl-C as well. This is software; a safety
circuit must not depend on it.

```py
from fsmkit.testing import explore


def test_the_motor_runs_only_while_it_drives():
    def is_safe(fsm):
        return (fsm.context.motor == "on") == (fsm.path == ("Drive",))

    assert explore(build, always=is_safe)
```
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
            print(event, fsm.context.position, "motor", fsm.context.motor)
    print("the end", fsm.context.position, "motor", fsm.context.motor)
