"""Raise one alarm for a hundred guards.

One guard sees the thief, and all of them run to the place. Each guard has a
machine, and the machines are in one `FsmGroup`. A guard who sees the thief
enters `Shout`, where a `Broadcast` sends `ALARM` to the whole group, including
the guard who shouts. The place is the data of the event, so every guard knows
where to run.

A guard who is already running does not know `ALARM`; with
`on_unhandled="ignore"` it has no effect there. A guard who arrives searches for
a while. Without that, one who stands next to the thief would shout, run and
watch in an endless loop, which is a `TransitionLoopError`. To alert only the
guards within earshot, give the transition for `ALARM` a
[guard](../concepts/guards.md), such as an `InRange`. [Many
machines](../concepts/many_machines.md) says more about groups.
"""

from collections import Counter

from actions import Broadcast, InRange, MoveTowards, SendEventWhen, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.space import Transform

thief = Transform((43.0, 90.0))


def add_guard(group: FsmGroup, number: int) -> None:
    body = Transform((10.0 * number, 0.0))
    guard = group.add(Fsm(f"Guard {number}", body, on_unhandled="ignore"))
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
        add_guard(group, number)
    return group


if __name__ == "__main__":
    group = build()
    group.start()
    for second in range(7):
        thief.position = (43.0, 0.0 if second == 1 else 90.0)
        group.update(1.0)
        print(dict(Counter(fsm.path[0] for fsm in group)))
