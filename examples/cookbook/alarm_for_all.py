"""Raise one alarm for a hundred guards.

Every guard has a machine, and all of these are in one `FsmGroup`. Whoever sees the thief enters
`Shout`, where a `Broadcast` sends `ALARM` to the whole group, the one who shouts among them. The
place goes with the event, as its data, so nobody has to ask where to run.

In `Run` nobody knows `ALARM`, and with `on_unhandled="ignore"` that is as it should be. To let
only those come who can hear it, give its transition a [guard](../concepts/guards.md), such as an
`InRange`. [Many machines](../concepts/many_machines.md) tells more about groups.
"""

from collections import Counter

from actions import Broadcast, InRange, MoveTowards, SendEventWhen, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.space import Transform

thief = Transform((43.0, 90.0))


def add_guard(group: FsmGroup, x: float) -> None:
    body = Transform((x, 0.0))
    guard = group.add(Fsm(f"Guard at {x} m", body, on_unhandled="ignore"))
    watch, shout = map(guard.add_state, ("Watch", "Shout"))
    run, search = map(guard.add_state, ("Run", "Search"))
    watch.add_action(SendEventWhen(InRange(body, thief, 8.0), "SEEN"))
    shout.add_action(Broadcast(group, "ALARM", lambda: thief.position))
    run.add_action(MoveTowards(body, lambda: guard.event_data, speed=200.0))
    search.add_action(TimedWait(2.0))
    watch.add_transition("SEEN", shout)
    watch.add_transition("ALARM", run)
    shout.add_transition("ALARM", run)
    run.add_transition(FINISHED, search)
    search.add_transition(FINISHED, watch)


def build() -> FsmGroup:
    group = FsmGroup()
    for number in range(100):
        add_guard(group, x=10.0 * number)
    return group


if __name__ == "__main__":
    for fsm in (group := build()):
        fsm.start()
    for thief.position in [(43.0, 0.0), (43.0, 90.0)] + [(43.0, 90.0)] * 6:
        group.update(1.0)
        print(dict(Counter(fsm.path[0] for fsm in group)))
