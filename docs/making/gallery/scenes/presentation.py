from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import Assert, Log, Play, TimedWait, TriggerAnimator
from fsmkit import ERROR, FINISHED, Fsm


def play() -> Strip:
    class Bell:  # or any sound of your engine
        def play(self):
            print("ding")

    door = Fsm("Door")
    shut, opened = door.add_state("Shut"), door.add_state("Open")
    opened.add_action(Play(Bell()))
    shut.add_transition("KNOCK", opened)
    return lanes(door, 3.0, at={1.5: "KNOCK"})


def trigger_animator() -> Strip:
    class Puppet:
        def set_trigger(self, name):
            print("animation:", name)

    fsm = Fsm("Hero")
    leap, run = fsm.add_state("Leap"), fsm.add_state("Run")
    leap.add_action(TriggerAnimator(Puppet(), "leap"))
    leap.add_action(TimedWait(1.2))
    leap.add_transition(FINISHED, run)
    return lanes(fsm, 3.0)


def log() -> Strip:
    fsm = Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(TimedWait(1.5))
    patrol.add_transition(FINISHED, chase)
    chase.add_action(Log(lambda state: f"the guard is in {state.name}"))
    return lanes(fsm, 3.0)


def assert_() -> Strip:
    hero = {"health": 100}
    fsm = Fsm("Hero")
    fight, fault = fsm.add_state("Fight"), fsm.add_state("Fault")
    alive = Assert(lambda: hero["health"] >= 0, "too low", every_update=True)
    fight.add_action(alive)
    fight.add_transition(ERROR, fault)
    return lanes(fsm, 3.0, at={1.8: lambda: hero.update(health=-5)})
