"""An enemy in a platform game walks back and forth, and follows a player who comes too close.

    fsmkit run examples/patrol_actions.py --seconds 16
    python examples/patrol_actions.py

In action style: walking back and forth is a sequence of four actions, repeated, and following the
player is one action. The same enemy with its own states and conditions is in patrol_polled.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from actions import (
    FollowWaypoints,
    MoveBy,
    Repeat,
    SendEventWhen,
    Sequence,
    TimedWait,
)
from fsmkit import Fsm, FsmState
from fsmkit.space import Position, Transform, distance, lerp

SPEED = 2.0
"""Metres per second."""

STARTS_FOLLOWING, STOPS_FOLLOWING = 4.0, 8.0
"""Metres. With the same distance for both he would not know what to do there."""


@dataclass(frozen=True)
class PatrolData:
    time_stopped: float
    time_walking: float
    first_direction: float


SENTRY = PatrolData(time_stopped=1.0, time_walking=2.0, first_direction=1.0)


def comes_and_goes(time: float) -> Position:
    """Return the place of the target: it comes quite close, waits a little and runs."""
    if time < 7.0:
        return lerp((16.0, 0.0), (5.3, 0.0), max(0.0, time - 2.0) / 5.0)
    return lerp((5.3, 0.0), (40.0, 0.0), max(0.0, time - 9.0) / 7.0)


CLOSE, FAR = "TARGET_IS_CLOSE", "TARGET_IS_FAR"


@dataclass
class Enemy:
    target: Callable[[], Position]
    body: Transform = field(default_factory=lambda: Transform((6.0, 0.0)))

    @property
    def distance(self) -> float:
        return distance(self.body.position, self.target())


def target_is_close(state: FsmState[Enemy]) -> bool:
    return state.context.distance < STARTS_FOLLOWING


def target_is_far(state: FsmState[Enemy]) -> bool:
    return state.context.distance > STOPS_FOLLOWING


def to_and_fro(body: Transform, data: PatrolData) -> Repeat:
    metres = data.first_direction * SPEED * data.time_walking
    return Repeat(
        Sequence(
            TimedWait(data.time_stopped),
            MoveBy(body, (metres, 0.0), data.time_walking),
            TimedWait(data.time_stopped),
            MoveBy(body, (-metres, 0.0), data.time_walking),
        )
    )


def build(track: Callable[[float], Position] = comes_and_goes) -> Fsm[Enemy]:
    enemy = Enemy(target=lambda: track(fsm.time))
    fsm = Fsm("Enemy", context=enemy)
    patrol, follow = fsm.add_state("Patrol"), fsm.add_state("FollowTarget")

    patrol.add_action(to_and_fro(enemy.body, SENTRY))
    patrol.add_action(SendEventWhen(target_is_close, CLOSE))
    follow.add_action(FollowWaypoints(enemy.body, [enemy.target], SPEED))
    follow.add_action(SendEventWhen(target_is_far, FAR))

    patrol.add_transition(CLOSE, follow)
    follow.add_transition(FAR, patrol)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    while fsm.time < 15.75:
        for _ in range(5):
            fsm.update(0.1)
        assert fsm.current_state is not None
        (target, _), (here, _) = fsm.context.target(), fsm.context.body.position
        signs = {round(target): "T", round(here): "E"}
        ground = "".join(signs.get(metre, ".") for metre in range(30))
        print(f"{fsm.time:4.1f} s  {fsm.current_state.name:12}  {ground}")


if __name__ == "__main__":
    main()
