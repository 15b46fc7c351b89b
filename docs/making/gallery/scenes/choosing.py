from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import Option, Selector, TimedWait, Utility
from fsmkit import FINISHED, Fsm
from fsmkit.curves import inverse, linear


def selector() -> Strip:
    thief = {"seen": False}
    chase, patrol = TimedWait(9.0), TimedWait(9.0)
    guard = Fsm("Guard", context=thief)
    duty = guard.add_state("Duty")
    duty.add_action(
        Selector(
            Option(chase, when=lambda state: state.context["seen"]),
            Option(patrol),
        )
    )
    return lanes(
        guard,
        3.0,
        at={
            1.0: lambda: thief.update(seen=True),
            2.0: lambda: thief.update(seen=False),
        },
        names={chase: "chase", patrol: "patrol"},
    )


def utility() -> Strip:
    eat, sleep = TimedWait(9.0), TimedWait(9.0)
    cat = Fsm("Cat")
    day = cat.add_state("Day")
    day.add_action(
        Utility(
            Option(eat, score=0.5),
            Option(sleep, score=lambda state: linear(state.fsm.time, high=3.0)),
            hysteresis=0.1,
        )
    )
    return lanes(cat, 3.0, names={eat: "eat", sleep: "sleep"})


def option() -> Strip:
    distance = 4.0
    attack, defend = TimedWait(1.5), TimedWait(1.5)
    knight = Fsm("Knight")
    fight, rest = knight.add_state("Fight"), knight.add_state("Rest")
    fight.add_action(
        Utility(
            Option(attack, score=lambda: inverse(distance, half=8.0)),
            Option(defend, score=0.9, when=lambda: distance < 2.0),
        )
    )
    fight.add_transition(FINISHED, rest)
    return lanes(knight, 3.0, names={attack: "attack", defend: "defend"})
