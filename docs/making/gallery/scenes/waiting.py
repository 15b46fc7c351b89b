from random import Random
from types import SimpleNamespace

from attrs import define
from making.gallery.curves import curves
from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import (
    Cooldown,
    RandomWait,
    TimedAction,
    TimedWait,
    WaitFrames,
    WaitUntil,
)
from fsmkit import FINISHED, Fsm


def timed_wait() -> Strip:
    lamp = Fsm("Lamp")
    on, off = lamp.add_state("On"), lamp.add_state("Off")
    on.add_action(TimedWait(2.0))
    on.add_transition(FINISHED, off)
    return lanes(lamp, 3.0)


def random_wait() -> Strip:
    bird = Fsm("Bird")
    sit, hop = bird.add_state("Sit"), bird.add_state("Hop")
    sit.add_action(RandomWait(0.5, 2.0, rng=Random(7)))
    sit.add_transition(FINISHED, hop)
    hop.add_action(TimedWait(0.5))
    hop.add_transition(FINISHED, sit)
    return lanes(bird, 6.0, hidden=(FINISHED,))


def wait_frames() -> Strip:
    level = Fsm("Level")
    load, play = level.add_state("Load"), level.add_state("Play")
    load.add_action(WaitFrames(3))
    load.add_transition(FINISHED, play)
    return lanes(level, 0.1)


def wait_until() -> Strip:
    door = SimpleNamespace(locked=True)
    fsm = Fsm("Visitor")
    outside, inside = fsm.add_state("Outside"), fsm.add_state("Inside")
    outside.add_action(WaitUntil(lambda: not door.locked))
    outside.add_transition(FINISHED, inside)
    return lanes(fsm, 2.0, at={1.2: lambda: setattr(door, "locked", False)})


def cooldown() -> Strip:
    gun = Fsm("Gun")
    aim, shoot = gun.add_state("Aim"), gun.add_state("Shoot")
    aim.add_action(Cooldown("FIRE", 1.0))
    aim.add_transition("FIRE", shoot)
    shoot.add_action(TimedWait(0.3))
    shoot.add_transition(FINISHED, aim)
    return lanes(
        gun,
        3.0,
        at=dict.fromkeys((0.4, 0.9, 1.2, 1.9), "FIRE"),
        hidden=(FINISHED,),
    )


def timed_action() -> Strip:
    @define(eq=False, repr=False, slots=False)
    class Fade(TimedAction):
        lamp: SimpleNamespace
        duration: float

        def apply(self, progress):
            self.lamp.light = 1.0 - progress

    lamp = SimpleNamespace(light=1.0)
    fsm = Fsm("Lamp")
    fsm.add_state("Dusk").add_action(Fade(lamp, 2.0))
    return curves(fsm, 3.0, lambda: lamp.light, name="lamp.light", kind=TimedAction)
