"""An NPC walks his path and chases the player, in action style.

    fsmkit run examples/npc_actions.py --seconds 16
    python examples/npc_actions.py

He follows a path of waypoints. When he sees the player, he runs after him, and when the player
has got away, he goes back to his path. The same NPC, for the same player, is written with enums in
npc_classic.py and with conditions in npc_polled.py.

Walking, turning and seeing come from the library: the code here says what he does when. The player
is a path too, with one waypoint that moves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from actions import FollowWaypoints, RotateTowards, Sees, SendEventWhen
from fsmkit import Fsm
from fsmkit.polled import not_
from fsmkit.space import Position, Transform, lerp

PATH = [(0.0, 0.0), (20.0, 0.0), (20.0, 11.0), (0.0, 11.0)]
SPEED = 9.0
"""Metres per second."""


def passes_by(time: float) -> Position:
    """Return the place of the player: he comes from the north, sees what he has done, and runs."""
    if time < 4.0:
        return lerp((26.0, 45.0), (26.0, 9.0), time / 4.0)
    return lerp((26.0, 9.0), (110.0, 30.0), (time - 4.0) / 6.0)


@dataclass
class Player:
    track: Callable[[float], Position]
    now: Callable[[], float]

    @property
    def position(self) -> Position:
        return self.track(self.now())


SAW_PLAYER, LOST_PLAYER = "SAW_PLAYER", "LOST_PLAYER"


@dataclass
class Npc:
    player: Player
    body: Transform = field(default_factory=Transform)


def build(track: Callable[[float], Position] = passes_by) -> Fsm[Npc]:
    npc = Npc(Player(track, now=lambda: fsm.time))
    body, player = npc.body, npc.player
    # 15 m before his eyes, 30 degrees to each side; and then as far as 30 m.
    sees = Sees(body, player, 15.0, angle=60.0, until=30.0)
    fsm = Fsm("Npc", context=npc)
    follow, chase = fsm.add_state("FollowPath"), fsm.add_state("ChasePlayer")

    follow.add_action(SendEventWhen(sees, SAW_PLAYER))
    path = follow.add_action(FollowWaypoints(body, PATH, SPEED, resume=True))
    follow.add_action(
        RotateTowards(body, lambda: path.waypoint, smoothing=5.0, follow=True)
    )

    chase.add_action(SendEventWhen(not_(sees), LOST_PLAYER))
    chase.add_action(FollowWaypoints(body, [player], SPEED))
    chase.add_action(RotateTowards(body, player, smoothing=5.0, follow=True))

    follow.add_transition(SAW_PLAYER, chase)
    chase.add_transition(LOST_PLAYER, follow)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    for second in range(1, 17):
        for _ in range(60):
            fsm.update(1 / 60)
        assert fsm.current_state is not None
        x, y = fsm.context.body.position
        print(
            f"{second:2} s  {fsm.current_state.name:11}  at ({x:4.1f}, {y:4.1f})"
        )


if __name__ == "__main__":
    main()
