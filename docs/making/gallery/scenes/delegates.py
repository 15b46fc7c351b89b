from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import Coroutine, DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm


def delegate_action() -> Strip:
    door = Fsm("Door")
    opening, opened = door.add_state("Opening"), door.add_state("Open")
    creak = DelegateAction(
        lambda: print("creak"),
        on_event={"KNOCK": lambda: print("one moment")},
    )
    opening.add_action(creak)
    opening.add_action(TimedWait(2.0))
    opening.add_transition(FINISHED, opened)
    return lanes(door, 3.0, at={1.0: "KNOCK"})


def coroutine() -> Strip:
    def knock():
        yield 1.0  # seconds
        answer = yield "OPEN"  # an event, and its data
        print("hello", answer)

    visitor = Fsm("Visitor")
    knocking, inside = visitor.add_state("Knocking"), visitor.add_state("Inside")
    knocking.add_action(Coroutine(knock))
    knocking.add_transition(FINISHED, inside)
    return lanes(visitor, 3.0, at={2.0: ("OPEN", "Ann")})
