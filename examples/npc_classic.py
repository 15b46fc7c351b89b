"""An NPC walks his path and chases the player, in classic style.

    fsmkit run examples/npc_classic.py --seconds 16
    python examples/npc_classic.py

This is the NPC control of the Unity wiki: ids and transitions are enums, and a state is a class
that reasons and acts. He follows a path of waypoints. When he sees the player, he runs after him,
and when the player has got away, he goes back to his path. The same NPC, for the same player, is
made of actions in npc_actions.py and written with conditions in npc_polled.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from math import exp

from actions import Sees
from fsmkit import Fsm
from fsmkit.classic import FsmSystem, State
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


class Transition(Enum):
    SAW_PLAYER = auto()
    LOST_PLAYER = auto()


class StateId(Enum):
    FOLLOW_PATH = auto()
    CHASE_PLAYER = auto()


class NpcState(State):
    @property
    def seconds(self) -> float:
        assert self.system is not None
        return self.system.machine.delta_time


class FollowPath(NpcState):
    waypoint = 0

    def __init__(self, state_id: StateId, sees: Sees) -> None:
        super().__init__(state_id)
        self.sees = sees

    def reason(self, player: Player, npc: Transform) -> None:  # noqa: ARG002  # his eyes know both
        if self.sees():
            self.perform_transition(Transition.SAW_PLAYER)

    def act(self, player: Player, npc: Transform) -> None:  # noqa: ARG002  # whoever the player is
        left = SPEED * self.seconds
        while left > 0.0:
            left = walk(npc, PATH[self.waypoint], left)
            if left > 0.0:
                self.waypoint = (self.waypoint + 1) % len(PATH)
        turn_to(npc, PATH[self.waypoint], self.seconds)


class ChasePlayer(NpcState):
    def __init__(self, state_id: StateId, sees: Sees) -> None:
        super().__init__(state_id)
        self.sees = sees

    def reason(self, player: Player, npc: Transform) -> None:  # noqa: ARG002  # his eyes know both
        if not self.sees():
            self.perform_transition(Transition.LOST_PLAYER)

    def act(self, player: Player, npc: Transform) -> None:
        walk(npc, player.position, SPEED * self.seconds)
        turn_to(npc, player.position, self.seconds)


def make_system(track: Callable[[float], Position]) -> FsmSystem:
    player = Player(track, now=lambda: system.machine.time)
    body = Transform()
    # 15 m before his eyes, 30 degrees to each side; and then as far as 30 m.
    sees = Sees(body, player, 15.0, angle=60.0, until=30.0)
    system = FsmSystem("Npc", player, npc=body)
    follow = system.add_state(FollowPath(StateId.FOLLOW_PATH, sees))
    chase = system.add_state(ChasePlayer(StateId.CHASE_PLAYER, sees))
    follow.add_transition(Transition.SAW_PLAYER, StateId.CHASE_PLAYER)
    chase.add_transition(Transition.LOST_PLAYER, StateId.FOLLOW_PATH)
    return system


def build(track: Callable[[float], Position] = passes_by) -> Fsm[FsmSystem]:
    return make_system(track).machine


def main() -> None:
    system = make_system(passes_by)
    for second in range(1, 17):
        for _ in range(60):
            system.update(1 / 60)
        assert system.current_state_id is not None
        x, y = system.npc.position
        print(
            f"{second:2} s  {system.current_state_id.name:12}  at ({x:4.1f}, {y:4.1f})"
        )


if __name__ == "__main__":
    main()
