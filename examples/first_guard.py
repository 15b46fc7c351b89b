"""A guard walks her round, stops at a noise, and runs to the door at a second one.

    fsmkit run examples/first_guard.py --seconds 8 --event NOISE@2
    python examples/first_guard.py

At the first noise she listens for a second and walks on from where she stopped, because Patrol
was only suspended. A second noise while she listens sends her to the door.
"""

from actions import FollowWaypoints, MoveTowards, TimedWait
from fsmkit import BACK, FINISHED, Fsm
from fsmkit.space import Transform

ROUND = [(0.0, 0.0), (8.0, 0.0), (8.0, 5.0), (0.0, 5.0)]
DOOR = (4.0, 9.0)


def build() -> Fsm[Transform]:
    guard = Transform(position=(0.0, 0.0))
    fsm = Fsm("Guard", context=guard)
    patrol = fsm.add_state("Patrol")
    listen = fsm.add_state("Listen")
    search = fsm.add_state("Search")

    patrol.add_action(FollowWaypoints(guard, ROUND, speed=3.0))
    listen.add_action(TimedWait(1.0))
    search.add_action(MoveTowards(guard, DOOR, speed=6.0))

    patrol.add_transition("NOISE", listen, suspend=True)
    listen.add_transition("NOISE", search)
    listen.add_transition(FINISHED, BACK)
    search.add_transition(FINISHED, patrol)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    for step in range(1, 17):
        if step in (4, 10, 11):
            fsm.send_event("NOISE")
        fsm.update(0.5)
        x, y = fsm.context.position
        assert fsm.current_state is not None
        print(f"{fsm.time} s  {fsm.current_state.name:6}  ({x:.1f}, {y:.1f})")


if __name__ == "__main__":
    main()
