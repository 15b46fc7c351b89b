"""Stop a robot at once, with its motors off whatever happens.

One action switches the motors on, and off again however its state ends or is
interrupted. `STOP` is a global transition with `suspend=True`, so it applies in
every state, and `on_suspend` switches the motors off. `RELEASE` continues with
the rest of the way. See [interruptions](../concepts/interruptions.md). Every
other end calls `on_exit`: arriving, another event and, in a `with` block or
`fsmkit.timing.run`, also an error or Ctrl-C.

Switching off the power is not enough: the driver code must stop as well. `STOP`
cancels an asyncio driver and `RELEASE` starts it again, so it must drive on
from where the robot is. `Await` does that by default; `suspended="begin again"`
says that you want it. A driver that blocks runs in a thread, and nothing can
cancel a thread: it must keep asking whether the motors are on, and return if
they are not. `Repeat` then calls it again after `RELEASE`; `suspended="go on"`
says that you know. `check` finds each `Await` and `InThread` that may be
suspended and says neither. This is software: a safety circuit must not depend
on it.

```py
from fsmkit.testing import explore


def test_the_motors_are_on_only_while_it_drives():
    def is_safe(fsm):
        return (fsm.context.motors == "on") == (fsm.path == ("Drive",))

    assert explore(build, always=is_safe)
```
"""

import asyncio
from time import sleep

from actions import Await, InThread, Race, Repeat
from fsmkit import BACK, FINISHED, Fsm, FsmAction


class Robot:
    motors = "off"

    def __init__(self) -> None:
        self.moving: set[str] = set()

    async def drive(self) -> None:  # a driver made for asyncio
        self.moving.add("wheels")
        try:
            await asyncio.sleep(60.0)  # on its way
        finally:
            self.moving.remove("wheels")

    def sweep(self) -> None:  # a driver that blocks
        self.moving.add("brush")
        while self.motors == "on":
            sleep(0.01)
        self.moving.remove("brush")


class MotorsOn(FsmAction[Robot]):
    background = True

    def on_enter(self) -> None:
        self.context.motors = "on"

    def on_exit(self) -> None:
        self.context.motors = "off"

    on_suspend, on_resume = on_exit, on_enter


def build() -> Fsm[Robot]:
    robot = Robot()
    fsm = Fsm("Robot", context=robot)
    drive, stopped = fsm.add_state("Drive"), fsm.add_state("Stopped")
    wheels = Await(robot.drive, suspended="begin again")
    brush = InThread(robot.sweep, suspended="go on")
    drive.add_action(MotorsOn())
    drive.add_action(Race(wheels, Repeat(brush)))
    drive.add_transition(FINISHED, fsm.add_state("Arrived", final=True))
    fsm.add_global_transition("STOP", stopped, suspend=True)
    stopped.add_transition("RELEASE", BACK)
    return fsm


async def show(fsm: Fsm[Robot], number: int) -> None:
    while len(fsm.context.moving) != number:
        fsm.update(0.01)
        await asyncio.sleep(0.01)
    robot = fsm.context
    print("motors", robot.motors, "and moving:", *sorted(robot.moving))


async def main() -> None:
    with build().running() as fsm:
        await show(fsm, 2)
        for event, number in (("STOP", 0), ("RELEASE", 2)):
            print(event, fsm.send_event(event))
            await show(fsm, number)
    await show(fsm, 0)


if __name__ == "__main__":
    asyncio.run(main())
