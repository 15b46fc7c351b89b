from random import Random

from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import (
    HOST,
    Broadcast,
    Compare,
    Defer,
    IgnoreEvents,
    OnChange,
    OnEvent,
    RunFsm,
    SendEvent,
    SendEventWhen,
    SendRandomEvent,
    SequenceEvent,
    Switch,
    TimedWait,
)
from fsmkit import FINISHED, Fsm, FsmGroup


def on_event() -> Strip:
    knight = Fsm("Knight", context={"health": 100})

    def hurt(state, damage):
        state.context["health"] -= damage

    fight = knight.add_state("Fight")
    fight.add_action(OnEvent("HIT", hurt))
    return lanes(knight, 3.0, at={1.0: ("HIT", 30), 2.0: ("HIT", 10)})


def ignore_events() -> Strip:
    knight = Fsm("Knight")
    asleep, fight = knight.add_state("Asleep"), knight.add_state("Fight")
    asleep.add_action(IgnoreEvents("SEEN"))
    asleep.add_transition("HIT", fight)
    knight.add_global_transition("SEEN", fight)
    return lanes(knight, 3.0, at={1.0: "SEEN", 2.0: "HIT"})


def defer() -> Strip:
    knight = Fsm("Knight")
    swing, dodge = knight.add_state("Swing"), knight.add_state("Dodge")
    swing.add_action(TimedWait(2.0))
    swing.add_action(Defer("DODGE"))
    swing.add_transition("DODGE", dodge)
    return lanes(knight, 3.0, at={0.8: "DODGE"})


def send_event() -> Strip:
    bomb = Fsm("Bomb")
    lit, blown = bomb.add_state("Lit"), bomb.add_state("Blown")
    lit.add_action(SendEvent("BOOM", delay=2.0))
    lit.add_transition("BOOM", blown)
    return lanes(bomb, 3.0)


def host() -> Strip:
    clock = Fsm("Clock")
    clock.add_state("Tick").add_action(SendEvent("ALARM", delay=2.0, to=HOST))
    sleeper = Fsm("Sleeper")
    asleep, awake = sleeper.add_state("Asleep"), sleeper.add_state("Awake")
    asleep.add_action(RunFsm(clock))
    asleep.add_transition("ALARM", awake)
    return lanes(sleeper, 3.0)


def send_random_event() -> Strip:
    idle = Fsm("Idle")
    think, yawn = idle.add_state("Think"), idle.add_state("Yawn")
    look = idle.add_state("Look")
    weights = {"YAWN": 1, "LOOK": 3}
    think.add_action(SendRandomEvent(weights, delay=1.0, rng=Random(3)))
    think.add_transition("YAWN", yawn)
    think.add_transition("LOOK", look)
    for state in (yawn, look):
        state.add_action(TimedWait(0.5))
        state.add_transition(FINISHED, think)
    return lanes(idle, 6.0, hidden=(FINISHED,), only=SendRandomEvent)


def sequence_event() -> Strip:
    lift = Fsm("Lift")
    choose, ride = lift.add_state("Choose"), lift.add_state("Ride")
    choose.add_action(SequenceEvent("UP", "UP", "DOWN", delay=0.5))
    choose.add_transition("UP", ride)
    choose.add_transition("DOWN", ride)
    ride.add_action(TimedWait(1.0))
    ride.add_transition(FINISHED, choose)
    return lanes(lift, 6.0, hidden=(FINISHED,), only=SequenceEvent)


def send_event_when() -> Strip:
    guard = {"distance": 30.0}
    fsm = Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(SendEventWhen(lambda: guard["distance"] < 10.0, "SEEN"))
    patrol.add_transition("SEEN", chase)
    return lanes(fsm, 3.0, at={1.8: lambda: guard.update(distance=5.0)})


def broadcast() -> Strip:
    ann, bob = Fsm("Ann", on_unhandled="ignore"), Fsm("Bob")
    guards = FsmGroup([ann, bob])
    for guard in guards:
        patrol, alarm = guard.add_state("Patrol"), guard.add_state("Alarm")
        patrol.add_transition("THIEF", alarm)
    ann.states["Alarm"].add_action(Broadcast(guards, "THIEF"))
    return lanes(
        ann,
        3.0,
        at={1.5: "THIEF"},
        hidden=("?THIEF",),
        others=[bob],
    )


def switch() -> Strip:
    chosen = "quit"
    menu = Fsm("Menu")
    look, choose = menu.add_state("Look"), menu.add_state("Choose")
    play, bye = menu.add_state("Play"), menu.add_state("Bye")
    look.add_transition("CLICK", choose)
    choose.add_action(Switch(lambda: chosen, {"new game": "PLAY", "quit": "QUIT"}))
    choose.add_transition("PLAY", play)
    choose.add_transition("QUIT", bye)
    return lanes(menu, 3.0, at={1.5: "CLICK"})


def compare() -> Strip:
    hero = {"health": 100}
    fsm = Fsm("Hero")
    fight, flee = fsm.add_state("Fight"), fsm.add_state("Flee")
    weak = Compare(lambda: hero["health"], 20, less="WEAK", every_update=True)
    fight.add_action(weak)
    fight.add_transition("WEAK", flee)
    return lanes(fsm, 3.0, at={1.8: lambda: hero.update(health=15)})


def on_change() -> Strip:
    hero = {"health": 100}
    fsm = Fsm("Hero")
    fight, hurt = fsm.add_state("Fight"), fsm.add_state("Hurt")
    fight.add_action(OnChange(lambda: hero["health"], "HIT"))
    fight.add_transition("HIT", hurt)
    return lanes(fsm, 3.0, at={1.8: lambda: hero.update(health=70)})
