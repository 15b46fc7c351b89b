from making.gallery.courses import circle, courses, moving, sector
from making.gallery.strip import Strip

from actions import InRange, Sees, SendEventWhen
from fsmkit import Fsm
from fsmkit.space import Transform


def sees() -> Strip:
    guard, thief = Transform((0.0, 0.0), rotation=15.0), Transform((2.0, -4.0))
    seen = Sees(guard, thief, 10.0, angle=70.0)
    fsm = Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(SendEventWhen(seen, "SEEN"))
    patrol.add_transition("SEEN", chase)
    return courses(
        fsm,
        4.0,
        thief=thief,
        guard=guard,
        shapes=[sector((0.0, 0.0), 10.0, 15.0, 70.0)],
        holds=seen,
        others=[moving(thief, 1.5, 2.8)],
    )


def in_range() -> Strip:
    door, hero = Transform((0.0, 0.0)), Transform((-9.0, 2.0))
    near = InRange(door, hero, 3.0, until=5.0)
    fsm = Fsm("Door")
    shut, opened = fsm.add_state("Shut"), fsm.add_state("Open")
    shut.add_action(SendEventWhen(near, "NEAR"))
    shut.add_transition("NEAR", opened)
    opened.add_action(SendEventWhen(lambda: not near(), "FAR"))
    opened.add_transition("FAR", shut)
    return courses(
        fsm,
        6.0,
        hero=hero,
        door=door,
        shapes=[circle((0.0, 0.0), 3.0), circle((0.0, 0.0), 5.0)],
        holds=near,
        others=[moving(hero, 3.0, -0.4)],
    )
