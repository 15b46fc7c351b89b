"""The guards: each walks a round, goes to look at noises, runs after the thief, and gives up.

fsmkit draw examples/night_guard/guards.py --actions
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import events
from difficulty import NORMAL
from museums import PALACE
from noises import Noise
from thief import Thief
from watch import Guard
from ways import next_stop
from world import World

from actions import (
    Broadcast,
    DelegateAction,
    FollowPath,
    FollowWaypoints,
    OnChange,
    Repeat,
    RotateTowards,
    SendEventWhen,
    Sequence,
    TimedWait,
    Timeout,
    Tween,
    WaitUntil,
)
from actions.easing import ease_in_out_sine
from fsmkit import BACK, Fsm, FsmGroup, FsmState
from fsmkit.space import Position, Transform

LISTENS_FOR = 0.8
GLANCES_FOR = 1.5
LOOKS_FOR = 2.7
BLINK = 0.35
SIGHS_FOR = 1.2
LOSES_HIM_AFTER = 1.3
REPLANS_EVERY = 0.25
"""Seconds."""


def guard_machines(guards: Iterable[Guard], sirens: FsmGroup, court: FsmGroup) -> FsmGroup:
    return FsmGroup(guard_machine(guard, sirens, court) for guard in guards)


def guard_machine(guard: Guard, sirens: FsmGroup, court: FsmGroup) -> Fsm[Guard]:
    """Return a guard who rings the sirens when he sees the thief, and brings him to court."""
    fsm = Fsm(guard.name, context=guard, on_unhandled="ignore")
    patrol, glance, listen = map(fsm.add_state, ("Patrol", "Glance", "Listen"))
    investigate, look_around = map(fsm.add_state, ("Investigate", "LookAround"))
    give_up, walk_back = map(fsm.add_state, ("GiveUp", "WalkBack"))
    suspect, chase = map(fsm.add_state, ("Suspect", "Chase"))
    arrest = fsm.add_state("Arrest", final=True)

    at_ease = (patrol, glance, give_up, walk_back)
    for calm in (*at_ease, listen, investigate, look_around):
        calm.add_action(SendEventWhen(guard.sees_thief, events.SEEN))
        calm.add_transition(events.SEEN, suspect)
        calm.add_transition(events.ALARM, investigate, do=note_the_place)
    trip = walk_the_round(patrol)
    look_left_and_right(glance, GLANCES_FOR)
    turn_to_the_noise(listen)
    go_and_see(investigate)
    look_left_and_right(look_around, LOOKS_FOR)
    give_up.add_action(TimedWait(SIGHS_FOR, events.NOBODY))
    walk_to(walk_back, lambda: trip.waypoint, lambda: guard.speeds.walk)
    look_twice(suspect)
    run_after_him(chase, sirens)
    arrest.add_action(Broadcast(court, events.ARREST))

    for state in at_ease:
        state.add_transition(events.NOISE, listen, when=hears, do=note_the_noise)
    for state in (investigate, look_around):
        state.add_transition(events.NOISE, investigate, when=hears, do=note_the_noise)
    patrol.add_transition(events.CORNER, glance, when=is_thorough, suspend=True)
    glance.add_transition(events.NOBODY, BACK)
    listen.add_transition(events.LISTENED, investigate)
    investigate.add_transition(events.ARRIVED, look_around)
    look_around.add_transition(events.NOBODY, give_up)
    give_up.add_transition(events.NOBODY, walk_back)
    walk_back.add_transition(events.ARRIVED, patrol)
    suspect.add_transition(events.CERTAIN, chase)
    suspect.add_transition(events.NOBODY, investigate)
    chase.add_transition(events.LOST, investigate)
    chase.add_transition(events.GOT_HIM, arrest)
    return fsm


def walk_the_round(patrol: FsmState[Guard]) -> FollowWaypoints:
    guard = patrol.context
    trip = FollowWaypoints(guard.body, guard.round, guard.speeds.walk, resume=True, time=guard.legs)
    patrol.add_action(trip)
    patrol.add_action(RotateTowards(guard.body, lambda: trip.waypoint, smoothing=5.0, follow=True))
    patrol.add_action(OnChange(lambda: trip.next_index, events.CORNER))
    return trip


def turn_to_the_noise(listen: FsmState[Guard]) -> None:
    guard = listen.context
    listen.add_action(RotateTowards(guard.body, lambda: guard.lead, smoothing=4.0, follow=True))
    listen.add_action(TimedWait(LISTENS_FOR, events.LISTENED))


def go_and_see(investigate: FsmState[Guard]) -> None:
    """Walk there at the first noise; hurry at the next one, or at an alarm."""
    guard, fsm = investigate.context, investigate.fsm
    walk_to(
        investigate,
        lambda: guard.lead,
        lambda: guard.speeds.walk if fsm.last_event == events.LISTENED else guard.speeds.hurry,
    )


def look_left_and_right(state: FsmState[Guard], seconds: float) -> None:
    """Look around in so many seconds."""
    body = state.context.body

    def turn(by: float) -> Tween:
        return Tween(
            body, "rotation", None, lambda: body.rotation + by, seconds / 3, easing=ease_in_out_sine
        )

    state.add_action(Sequence(turn(70), turn(-140), turn(160), finish_event=events.NOBODY))


def look_twice(suspect: FsmState[Guard]) -> None:
    """Be certain sooner when he is near: far away he can still slip off."""
    guard = suspect.context
    suspect.add_action(DelegateAction(keep_in_mind, keep_in_mind))
    suspect.add_action(Repeat(Timeout(WaitUntil(guard.sees_thief), BLINK, events.NOBODY)))
    suspect.add_action(RotateTowards(guard.body, lambda: guard.lead, smoothing=9.0, follow=True))
    suspect.add_action(TimedWait(lambda: 0.5 + 0.08 * guard.thief_distance, events.CERTAIN))


def run_after_him(chase: FsmState[Guard], sirens: FsmGroup) -> None:
    guard = chase.context
    chase.add_action(DelegateAction(keep_in_mind, keep_in_mind))
    chase.add_action(Broadcast(sirens, events.RING, lambda: guard.lead))
    chase.add_action(SendEventWhen(guard.has_thief, events.GOT_HIM))
    chase.add_action(Repeat(Timeout(WaitUntil(guard.sees_thief), LOSES_HIM_AFTER, events.LOST)))
    way = FollowPath(
        guard.body, lambda: guard.way_to(guard.lead), guard.speeds.run, time=guard.legs
    )
    chase.add_action(Repeat(Timeout(way, REPLANS_EVERY)))
    chase.add_action(RotateTowards(guard.body, lambda: guard.lead, smoothing=9.0, follow=True))


def walk_to(
    state: FsmState[Guard], place: Callable[[], Position], speed: Callable[[], float]
) -> None:
    guard = state.context
    way = FollowPath(
        guard.body, lambda: guard.way_to(place()), speed,
        finish_event=events.ARRIVED, time=guard.legs,
    )  # fmt: skip
    state.add_action(way)
    state.add_action(RotateTowards(guard.body, lambda: next_stop(way), smoothing=6.0, follow=True))


def is_thorough(state: FsmState[Guard]) -> bool:
    return state.context.difficulty.thorough


def hears(state: FsmState[Guard], noise: Noise) -> bool:
    return state.context.hears(noise)


def note_the_noise(state: FsmState[Guard], noise: Noise) -> None:
    state.context.lead = noise.place


def note_the_place(state: FsmState[Guard], place: Position) -> None:
    state.context.lead = place


def keep_in_mind(state: FsmState[Guard]) -> None:
    if state.context.sees_thief():
        state.context.lead = state.context.thief.body.position


def build() -> Fsm[Guard]:
    """Ada's machine, for those who want to see it by itself."""
    world = World(PALACE.plan)
    thief = Thief(Transform(next(world.all_of("T"))), world, make_noise=lambda *_: None)
    ada = Guard("Ada", PALACE.rounds["Ada"], PALACE.sides["Ada"], thief, world, NORMAL)
    return guard_machine(ada, FsmGroup(), FsmGroup())
