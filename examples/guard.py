"""A guard walks her round, runs after the player when she sees him, and returns when he is gone.

    fsmkit run examples/guard.py --seconds 20     # prints when she changes her mind, and why
    python examples/guard.py                      # prints where she is

She sees him within 15 metres and loses him at 30. Afterwards she goes on to the corner
that she was heading for. A game has its own player instead: all it needs is a `position`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from actions import FollowWaypoints, MoveTowards, RotateTowards, SendEventWhen
from fsmkit import Fsm, FsmState
from fsmkit.space import Position, Transform, distance, lerp

CORNERS = [(0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)]
SIGHT = 15.0
OUT_OF_SIGHT = 30.0

SAW_PLAYER = "SAW_PLAYER"
LOST_PLAYER = "LOST_PLAYER"


@dataclass
class Player:
    """Sneaks up for six seconds, then runs for his life: where he is depends on the time only."""

    now: Callable[[], float]

    @property
    def position(self) -> Position:
        time = self.now()
        if time < 6.0:
            return lerp((60.0, 10.0), (33.0, 10.0), time / 6.0)
        return lerp((33.0, 10.0), (93.0, 10.0), min(1.0, (time - 6.0) / 6.0))


@dataclass
class Guard:
    player: Player
    transform: Transform = field(default_factory=Transform)

    @property
    def distance_to_player(self) -> float:
        return distance(self.transform.position, self.player.position)


def sees_player(state: FsmState[Guard]) -> bool:
    return state.context.distance_to_player < SIGHT


def has_lost_player(state: FsmState[Guard]) -> bool:
    return state.context.distance_to_player >= OUT_OF_SIGHT


def build() -> Fsm[Guard]:
    guard = Guard(Player(now=lambda: fsm.time))
    body = guard.transform
    fsm = Fsm("Guard", context=guard)
    patrol = fsm.add_state("Patrol")
    chase = fsm.add_state("Chase")

    patrol.add_action(SendEventWhen(sees_player, SAW_PLAYER))
    round_trip = patrol.add_action(
        FollowWaypoints(body, CORNERS, speed=5.0, resume=True)
    )
    patrol.add_action(
        RotateTowards(
            body, lambda: round_trip.waypoint, smoothing=5.0, follow=True
        )
    )

    chase.add_action(SendEventWhen(has_lost_player, LOST_PLAYER))
    chase.add_action(MoveTowards(body, guard.player, speed=6.0))
    chase.add_action(
        RotateTowards(body, guard.player, smoothing=5.0, follow=True)
    )

    patrol.add_transition(SAW_PLAYER, chase)
    chase.add_transition(LOST_PLAYER, patrol)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    for second in range(1, 21):
        for _ in range(60):
            fsm.update(1 / 60)
        assert fsm.current_state is not None
        x, y = fsm.context.transform.position
        facing = fsm.context.transform.rotation % 360
        away = fsm.context.distance_to_player
        print(
            f"{second:2} s  {fsm.current_state.name:6}  at ({x:4.1f}, {y:4.1f})"
            f"  facing {facing:3.0f}°  player {away:2.0f} m away"
        )


if __name__ == "__main__":
    main()
