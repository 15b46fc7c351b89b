from making.gallery.curves import curves
from making.gallery.strip import Strip

from actions import AddValue, SetValue, TimedWait, Toggle
from fsmkit import FINISHED, Fsm


def set_value() -> Strip:
    guard = {"speed": 1.0}
    fsm = Fsm("Guard")
    walk, run = fsm.add_state("Walk"), fsm.add_state("Run")
    run.add_action(SetValue(guard, "speed", 3.0, restore_on_exit=True))
    walk.add_transition("SEEN", run)
    run.add_transition("LOST", walk)
    return curves(
        fsm,
        3.0,
        lambda: guard["speed"],
        (1.0, 3.0),
        name="speed",
        each=1,
        at={1.0: "SEEN", 2.0: "LOST"},
        told=("SEEN", "LOST"),
    )


def add_value() -> Strip:
    hero = {"health": 40.0}
    fsm = Fsm("Hero")
    rest, hurt = fsm.add_state("Rest"), fsm.add_state("Hurt")
    rest.add_action(AddValue(hero, "health", 20.0, per_second=True))
    rest.add_transition("HIT", hurt)
    hurt.add_action(AddValue(hero, "health", -50.0))
    hurt.add_transition(FINISHED, rest)
    return curves(
        fsm,
        4.0,
        lambda: hero["health"],
        (0.0, 50.0, 100.0),
        name="health",
        each=1,
        at={2.0: "HIT"},
        told=("HIT",),
    )


def toggle() -> Strip:
    lamp = {"lit": False}
    fsm = Fsm("Lamp")
    blink = fsm.add_state("Blink")
    blink.add_action(Toggle(lamp, "lit"))
    blink.add_action(TimedWait(0.5))
    blink.add_transition(FINISHED, blink)
    return curves(fsm, 3.0, lambda: float(lamp["lit"]), name="lit", each=1)
