"""An NPC walks his path and chases the player, in polled style.

    fsmkit run examples/npc_polled.py --seconds 16
    python examples/npc_polled.py

He follows a path of waypoints. When he sees the player, he runs after him, and when the player
has got away, he goes back to his path. The same NPC, for the same player, is made of actions in
npc_actions.py and written with enums in npc_classic.py.

Here no state knows which state follows. A transition is a condition and the next state, and is
polled after each step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

from actions import Sees
from fsmkit import Fsm
from fsmkit.polled import PolledFsm, State, not_, when
from fsmkit.space import (
    Position,
    Transform,
    difference,
    distance,
    facing,
    lerp,
    slerp,
)

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


def walk(npc: Transform, target: Position, metres: float) -> float:
    """Go so far towards `target`; return how many metres are left on arrival."""
    way = distance(npc.position, target)
    npc.position = lerp(
        npc.position, target, min(1.0, metres / way) if way else 1.0
    )
    return max(0.0, metres - way)


def turn_to(npc: Transform, target: Position, seconds: float) -> None:
    """Turn smoothly until `target` is in front."""
    way = difference(npc.position, target)
    if any(way):
        npc.rotation = slerp(
            npc.rotation, facing(0.0, way), 1.0 - exp(-5.0 * seconds)
        )


class FollowPath(State):
    waypoint = 0

    def execute(self) -> None:
        npc, seconds = self.fsm.context, self.fsm.delta_time
        left = SPEED * seconds
        while left > 0.0:
            left = walk(npc, PATH[self.waypoint], left)
            if left > 0.0:
                self.waypoint = (self.waypoint + 1) % len(PATH)
        turn_to(npc, PATH[self.waypoint], seconds)


class ChasePlayer(State):
    def __init__(self, player: Player) -> None:
        self.player = player

    def execute(self) -> None:
        npc, seconds = self.fsm.context, self.fsm.delta_time
        walk(npc, self.player.position, SPEED * seconds)
        turn_to(npc, self.player.position, seconds)


class NpcFsm(PolledFsm):
    def __init__(self, track: Callable[[float], Position]) -> None:
        self.player = Player(track, now=lambda: self.machine.time)
        super().__init__("Npc", context=Transform())

    def setup_states(self) -> None:
        npc, player = self.context, self.player
        follow, chase = FollowPath(), ChasePlayer(player)
        # 15 m before his eyes, 30 degrees to each side; and then as far as 30 m.
        sees_player = when(
            Sees(npc, player, 15.0, angle=60.0, until=30.0), "sees_player"
        )
        follow.set_transitions(sees_player.to(chase))
        chase.set_transitions(
            when(not_(sees_player), "has_lost_player").to(follow)
        )
        self.setup_first_state(follow)


def build(track: Callable[[float], Position] = passes_by) -> Fsm[PolledFsm]:
    return NpcFsm(track).machine


def main() -> None:
    npc = NpcFsm(passes_by)
    for second in range(1, 17):
        for _ in range(60):
            npc.update(1 / 60)
        assert npc.current_state is not None
        x, y = npc.context.position
        print(
            f"{second:2} s  {npc.current_state.name:11}  at ({x:4.1f}, {y:4.1f})"
        )


if __name__ == "__main__":
    main()
